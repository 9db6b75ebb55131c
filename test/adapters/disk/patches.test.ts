import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { diskPatches } from "../../../src/adapters/disk/patches.ts";
import { patchesContract } from "../../contracts/patches.ts";
import { temporaryFolder } from "../../kit/repositories.ts";

const name = "agent-patch-s0123456789ab-01234567";

describe("patches in a directory", () => {
  patchesContract(async () => {
    const folder = temporaryFolder();
    return {
      patches: () => diskPatches({ dir: join(folder.path, "new") }),
      runId: (run) => run,
      taken: async ({ fetch, file }) => {
        expect(fetch).toBeNull();
        return readFile(file);
      },
      [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
    };
  });

  it("are not there by half, and are written again over what a killed run began", async () => {
    using folder = temporaryFolder();
    const dir = folder.path;
    const patches = diskPatches({ dir });
    await writeFile(join(dir, `${name}.patch.unfinished`), "di");
    expect(await patches.find(name, { runs: [] })).toBeNull();
    expect(await patches.put(name, Buffer.from("diff"))).toMatchObject({ kind: "stored" });
    expect(await readFile(join(dir, `${name}.patch`), "utf8")).toBe("diff");
  });

  it("are refused where nothing can be written, and named for nothing that is no name", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "file");
    await writeFile(file, "");
    expect(await diskPatches({ dir: file }).put(name, Buffer.from("diff"))).toMatchObject({
      ...{ kind: "refused", code: "rejected", unmade: true },
    });
    await expect(diskPatches({ dir: file }).find("../x", { runs: [] })).rejects.toThrow("no patch's name");
  });
});
