import { mkdir, open, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Patches, StoredPatch } from "../../delivery/patches.ts";

/** Files of one directory, named for what they hold: whichever run wrote one, it is the same. */
export function diskPatches({ dir }: { readonly dir: string }): Patches {
  const storedAs = (name: string): StoredPatch => {
    if (!/^agent-patch-[a-z0-9-]+$/.test(name)) throw new Error(`"${name}" is no patch's name`);
    return { name, fetch: null, file: join(dir, `${name}.patch`), url: null };
  };
  return {
    find: async (name) => {
      const stored = storedAs(name);
      return (await exists(stored.file)) ? stored : null;
    },
    put: async (name, patch) => {
      const stored = storedAs(name);
      try {
        await writeWhole(dir, stored.file, patch);
      } catch (error) {
        const why = `cannot write ${stored.file}: ${String(error)}`;
        return { kind: "refused", code: "rejected", why, unmade: true };
      }
      return { kind: "stored", patch: stored };
    },
  };
}

/** Under its name it is never there by half. */
async function writeWhole(dir: string, path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const unfinished = `${path}.unfinished`;
  const file = await open(unfinished, "w", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
}

async function exists(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}
