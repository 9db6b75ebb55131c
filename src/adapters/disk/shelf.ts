import { constants } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Put, Shelf, ShelfItem } from "../../session/shelf.ts";

const namePattern = /^agent-session-[a-z0-9.-]+$/;
const runPattern = /^[a-z0-9.-]+$/;

/**
 * Shipments as files, `<dir>/<run>/<name>`: what the command line keeps and a test can look at. A file appears under
 * its name whole or not at all; a name is taken by making a directory entry that nobody else can make.
 */
export function diskShelf(options: { readonly dir: string; readonly run: string }): Shelf {
  const { dir, run } = options;
  if (!runPattern.test(run)) throw new Error(`"${run}" cannot name a run on the shelf ${dir}`);
  return {
    put: async (name, bytes, { signal }) => {
      if (!namePattern.test(name)) return { kind: "unavailable", why: `"${name}" is no shipment's name` };
      if (signal.aborted) return { kind: "failed", why: "cancelled" };
      return store(join(dir, run), name, bytes, `${run}/${name}`);
    },
    list: async (session, { runs }) => {
      const items: ShelfItem[] = [];
      for (const one of new Set(runs)) items.push(...(await itemsIn(dir, one, session)));
      return items;
    },
    get: async ({ run: from, name }) => {
      if (!runPattern.test(from) || !namePattern.test(name)) return { kind: "missing", why: "no such item" };
      try {
        return { kind: "bytes", bytes: await readFile(join(dir, from, name)) };
      } catch (error) {
        if (codeOf(error) === "ENOENT") return { kind: "missing", why: "no such item" };
        throw new Error(`cannot read the shipment ${join(dir, from, name)}`, { cause: error });
      }
    },
  };
}

async function store(folder: string, name: string, bytes: Uint8Array, id: string): Promise<Put> {
  const path = join(folder, name);
  const unfinished = `${path}.unfinished`;
  try {
    await mkdir(folder, { recursive: true });
    // The unfinished file is the claim on the name, so two writers cannot both go on to the rename.
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
    const file = await open(unfinished, flags, 0o600);
    try {
      if (await exists(path)) return { kind: "taken" };
      await file.writeFile(bytes);
      await file.sync();
      await rename(unfinished, path);
    } finally {
      await file.close();
      await rm(unfinished, { force: true });
    }
    return { kind: "stored", id };
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return { kind: "taken" };
    const why = `cannot store ${path}: ${code ?? "unknown error"}`;
    const never = code === "EACCES" || code === "EROFS" || code === "ENOTDIR";
    return never ? { kind: "unavailable", why } : { kind: "failed", why };
  }
}

async function itemsIn(dir: string, run: string, session: string): Promise<readonly ShelfItem[]> {
  if (!runPattern.test(run)) return [];
  const names = (await entries(join(dir, run))).filter(
    (name) => namePattern.test(name) && name.startsWith(`agent-session-${session}-`),
  );
  const items: ShelfItem[] = [];
  for (const name of names.filter((one) => !one.endsWith(".unfinished")).sort()) {
    const { size } = await stat(join(dir, run, name));
    items.push({ id: `${run}/${name}`, name, bytes: size, expired: false, run, foreign: null });
  }
  return items;
}

async function entries(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw new Error(`cannot list the shipments in ${folder}`, { cause: error });
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
