import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Tree } from "../../src/base/hash.ts";
import { atBase, type MakeWorkspace, put, small, treeOf } from "./given-workspace.ts";

/** The part of the port `Workspace` that makes directories, and tells how trees differ. */
export function directoriesContract(make: MakeWorkspace): void {
  describe("restoring", () => {
    it("makes files, modes and links of the tree", async () => {
      await using bench = await make({ base: small });
      const dir = await atBase(bench);
      expect(readFileSync(join(dir, "src/deep/b.js"), "utf8")).toBe("export const b = 2;\n");
      expect(lstatSync(join(dir, "bin/run")).mode & 0o777).toBe(0o755);
      expect(lstatSync(join(dir, "README.md")).mode & 0o777).toBe(0o644);
      expect(readlinkSync(join(dir, "link-to-a"))).toBe("src/a.js");
    });

    it("restores over garbage: files for folders, folders for files, links, nested repositories", async () => {
      await using bench = await make({ base: small });
      const dir = await atBase(bench);
      rmSync(join(dir, "src"), { recursive: true });
      put(dir, "src", "a file now\n");
      rmSync(join(dir, "README.md"));
      put(dir, "README.md/inner/x", "a folder now\n");
      rmSync(join(dir, "bin/run"));
      symlinkSync("/etc/hostname", join(dir, "bin/run"));
      put(dir, "nested/.git/HEAD", "x\n");
      mkdirSync(join(dir, "empty/inner"), { recursive: true });
      await bench.workspace.restore(dir, bench.workspace.baseTree);
      expect(await treeOf(bench.workspace, dir)).toBe(bench.workspace.baseTree);
      expect(existsSync(join(dir, "nested"))).toBe(false);
      expect(existsSync(join(dir, "empty"))).toBe(false);
    });

    it("never writes or deletes through a link", async () => {
      await using bench = await make({ base: small });
      const dir = await atBase(bench);
      const outside = join(bench.room, "outside");
      put(outside, "a.js", "outside\n");
      put(outside, "other.js", "outside\n");
      rmSync(join(dir, "src"), { recursive: true });
      symlinkSync(outside, join(dir, "src"));
      symlinkSync(outside, join(dir, "more"));
      await bench.workspace.restore(dir, bench.workspace.baseTree);
      expect(readFileSync(join(outside, "a.js"), "utf8")).toBe("outside\n");
      expect(readFileSync(join(outside, "other.js"), "utf8")).toBe("outside\n");
      expect(lstatSync(join(dir, "src")).isDirectory()).toBe(true);
    });

    it("leaves ignored files and the directory's own .git alone", async () => {
      await using bench = await make({ base: small });
      const dir = await atBase(bench);
      put(dir, "out/cache/x", "cache\n");
      put(dir, "src/gone/debug.log", "log\n");
      put(dir, "src/gone/extra.js", "extra\n");
      put(dir, ".git/HEAD", "ref\n");
      await bench.workspace.restore(dir, bench.workspace.baseTree);
      expect(readFileSync(join(dir, "out/cache/x"), "utf8")).toBe("cache\n");
      expect(existsSync(join(dir, "src/gone/debug.log"))).toBe(true);
      expect(existsSync(join(dir, "src/gone/extra.js"))).toBe(false);
      expect(existsSync(join(dir, ".git/HEAD"))).toBe(true);
    });

    it("opens what was closed to its reader (F60)", async () => {
      await using bench = await make({ base: small });
      const dir = await atBase(bench);
      chmodSync(join(dir, "src/a.js"), 0o000);
      chmodSync(join(dir, "src"), 0o000);
      await bench.workspace.restore(dir, bench.workspace.baseTree);
      expect(readFileSync(join(dir, "src/a.js"), "utf8")).toBe("export const a = 1;\n");
      expect(lstatSync(join(dir, "src/a.js")).mode & 0o777).toBe(0o644);
    });

    it("goes back and forth between two sealed trees", async () => {
      await using bench = await make({ base: small });
      const dir = await atBase(bench);
      put(dir, "src/new/c.js", "export const c = 3;\n");
      put(dir, "README.md", "# Changed\n");
      rmSync(join(dir, "src/deep"), { recursive: true });
      const changed = await treeOf(bench.workspace, dir);
      await bench.workspace.restore(dir, bench.workspace.baseTree);
      expect(existsSync(join(dir, "src/new"))).toBe(false);
      await bench.workspace.restore(dir, changed);
      expect(readFileSync(join(dir, "src/new/c.js"), "utf8")).toBe("export const c = 3;\n");
      expect(existsSync(join(dir, "src/deep"))).toBe(false);
    });

    it("throws for a tree that is not here", async () => {
      await using bench = await make({ base: small });
      await expect(
        bench.workspace.restore(join(bench.room, "work"), "1".repeat(40) as Tree),
      ).rejects.toThrow();
    });
  });

  describe("copying and comparing", () => {
    it("copies everything, ignored files and modes too, and copies onto nothing that exists", async () => {
      await using bench = await make({ base: small });
      const dir = await atBase(bench);
      put(dir, "out/built.js", "built\n");
      chmodSync(join(dir, "out/built.js"), 0o700);
      const copy = join(bench.room, "copy");
      await bench.workspace.copy(dir, copy);
      expect(await treeOf(bench.workspace, copy)).toBe(bench.workspace.baseTree);
      expect(lstatSync(join(copy, "out/built.js")).mode & 0o777).toBe(0o700);
      expect(readlinkSync(join(copy, "link-to-a"))).toBe("src/a.js");
      await expect(bench.workspace.copy(dir, copy)).rejects.toThrow();
    });

    it("counts changed lines, gives none for binary files, and shows a rename as two changes", async () => {
      await using bench = await make({ base: small });
      const dir = await atBase(bench);
      put(dir, "README.md", "# Demo\nmore\nlines\n");
      put(dir, "data.bin", Buffer.from([0, 1, 2, 3]));
      renameSync(join(dir, "src/a.js"), join(dir, "src/z.js"));
      const tree = await treeOf(bench.workspace, dir);
      expect(await bench.workspace.diff(bench.workspace.baseTree, tree)).toMatchObject([
        { path: "README.md", status: "modified", mode: "100644", addedLines: 2, deletedLines: 0 },
        { path: "data.bin", status: "added", mode: "100644", addedLines: null, deletedLines: null },
        { path: "src/a.js", status: "deleted", mode: null, blob: null, addedLines: 0, deletedLines: 1 },
        { path: "src/z.js", status: "added", addedLines: 1, deletedLines: 0 },
      ]);
      expect(await bench.workspace.diff(tree, tree)).toEqual([]);
    });
  });
}
