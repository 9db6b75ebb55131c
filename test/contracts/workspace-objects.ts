import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Sha, Tree } from "../../src/base/hash.ts";
import { atBase, type MakeWorkspace, put, small, text, treeOf } from "./given-workspace.ts";

/** The part of the port `Workspace` that needs no directory: commits, trees and packs. */
export function objectsContract(make: MakeWorkspace): void {
  describe("reading the configuration commit", () => {
    it("gives the files of the configuration commit, not of the base", async () => {
      await using bench = await make({ base: small, config: { ".github/agent.yml": "checks: []\n" } });
      expect(text(await bench.workspace.file(".github/agent.yml"))).toBe("checks: []\n");
      expect(await bench.workspace.file("README.md")).toBeNull();
      expect(await bench.workspace.list()).toEqual([".github/agent.yml"]);
    });

    it("follows no link and takes no folder for a file", async () => {
      await using bench = await make({
        base: small,
        config: { "AGENTS.md": { mode: "120000", content: "src/a.js" }, "src/a.js": "x", src2: "y" },
      });
      expect(await bench.workspace.file("AGENTS.md")).toBeNull();
      expect(await bench.workspace.file("src")).toBeNull();
      expect(await bench.workspace.file("../src2")).toBeNull();
      expect(await bench.workspace.list()).toEqual(["AGENTS.md", "src/a.js", "src2"]);
    });
  });

  describe("objects that travel", () => {
    it("takes a tree to another machine that has only the base commit", async () => {
      await using bench = await make({ base: small });
      const dir = await atBase(bench);
      put(dir, "src/new.js", "new\n");
      const first = await treeOf(bench.workspace, dir);
      put(dir, "src/deep/newer.js", "newer\n");
      const second = await treeOf(bench.workspace, dir);
      const other = await bench.elsewhere();
      expect(other.baseTree).toBe(bench.workspace.baseTree);
      expect(await other.objects.has(other.baseTree)).toBe(true);
      expect(await other.objects.has(first)).toBe(false);
      await other.objects.unpack(await bench.workspace.objects.pack({ have: [], want: [first] }));
      expect(await other.objects.has(first)).toBe(true);
      expect(await other.objects.has(second)).toBe(false);
      await other.objects.unpack(await bench.workspace.objects.pack({ have: [first], want: [second] }));
      const there = join(bench.room, "there");
      await other.restore(there, second);
      expect(readFileSync(join(there, "src/deep/newer.js"), "utf8")).toBe("newer\n");
      expect(await treeOf(other, there)).toBe(second);
    });

    it("packs nothing that the base or the given trees hold", async () => {
      const noise = Buffer.from(Array.from({ length: 20_000 }, (_, at) => (at * 7919) % 251));
      await using bench = await make({ base: { ...small, "large.txt": noise.toString("hex") } });
      const dir = await atBase(bench);
      put(dir, "moved/large.txt", readFileSync(join(dir, "large.txt")));
      const tree = await treeOf(bench.workspace, dir);
      const objects = async (have: readonly Tree[]) =>
        Buffer.from(await bench.workspace.objects.pack({ have, want: [tree] })).readUInt32BE(8);
      expect(await objects([])).toBe(2);
      expect(await objects([tree])).toBe(0);
      expect(await objects(["2".repeat(40) as Tree, tree])).toBe(0);
    });

    it("refuses a pack that is cut, flipped or lacks what it names, and keeps nothing of it (F63)", async () => {
      await using bench = await make({ base: small });
      const dir = await atBase(bench);
      put(dir, "src/new.js", "new\n");
      const first = await treeOf(bench.workspace, dir);
      put(dir, "src/newer.js", "newer\n");
      const second = await treeOf(bench.workspace, dir);
      const pack = Buffer.from(await bench.workspace.objects.pack({ have: [], want: [second] }));
      const flipped = Buffer.from(pack);
      flipped[30] = (flipped[30] ?? 0) ^ 1;
      const partial = await bench.workspace.objects.pack({ have: [first], want: [second] });
      const other = await bench.elsewhere();
      for (const broken of [pack.subarray(0, pack.length - 25), flipped, Buffer.from("no pack"), partial])
        await expect(other.objects.unpack(broken)).rejects.toThrow();
      expect(await other.objects.has(second)).toBe(false);
      await other.objects.unpack(pack);
      expect(await other.objects.has(second)).toBe(true);
    });

    it("takes in an empty pack", async () => {
      await using bench = await make({ base: small });
      const { objects, baseTree } = bench.workspace;
      await objects.unpack(await objects.pack({ have: [], want: [baseTree] }));
    });

    it("throws for a blob that is not here", async () => {
      await using bench = await make({ base: small });
      await expect(bench.workspace.objects.blob("3".repeat(40) as Sha)).rejects.toThrow();
    });
  });

  describe("trees beside the base", () => {
    it("reads a file of any tree, and follows no link there", async () => {
      await using bench = await make({ base: small });
      const dir = await atBase(bench);
      put(dir, "src/a.js", "changed\n");
      const tree = await treeOf(bench.workspace, dir);
      const { fileAt } = bench.workspace.objects;
      expect(text(await fileAt(tree, "src/a.js"))).toBe("changed\n");
      expect(text(await fileAt(bench.workspace.baseTree, "src/a.js"))).toBe("export const a = 1;\n");
      expect(await fileAt(tree, "link-to-a")).toBeNull();
      expect(await fileAt(tree, "src")).toBeNull();
      expect(await fileAt(tree, "gone")).toBeNull();
    });

    it("lays the difference of two trees onto a third, which keeps what does not differ", async () => {
      await using bench = await make({ base: small });
      const { baseTree: from, objects } = bench.workspace;
      const dir = await atBase(bench);
      put(dir, "theirs.txt", "theirs\n");
      put(dir, "bin/run", "theirs\n");
      const onto = await treeOf(bench.workspace, dir);
      await bench.workspace.restore(dir, from);
      put(dir, "src/a.js", "ours\n");
      put(dir, "bin/run", "ours\n");
      rmSync(join(dir, "src/deep"), { recursive: true });
      const to = await treeOf(bench.workspace, dir);
      const laid = await objects.transplant({ from, to, onto });
      expect((await bench.workspace.diff(onto, laid)).map(({ path, status }) => `${status} ${path}`)).toEqual(
        ["modified bin/run", "modified src/a.js", "deleted src/deep/b.js"],
      );
      expect(text(await objects.fileAt(laid, "bin/run"))).toBe("ours\n");
      expect(await objects.transplant({ from, to, onto: from })).toBe(to);
      expect(await objects.transplant({ from, to: from, onto })).toBe(onto);
    });

    it("lays only the paths that are wanted, deleted ones too", async () => {
      await using bench = await make({ base: small });
      const { baseTree: from, objects } = bench.workspace;
      const dir = await atBase(bench);
      put(dir, "src/a.js", "ours\n");
      put(dir, "src/\u00e4.test.js", "new\n");
      rmSync(join(dir, "src/deep"), { recursive: true });
      const to = await treeOf(bench.workspace, dir);
      const laid = async (only: (path: string) => boolean) => {
        const tree = await objects.transplant({ from, to, onto: from, only });
        return (await bench.workspace.diff(from, tree)).map(({ path, status }) => `${status} ${path}`);
      };
      expect(await laid((path) => path.endsWith(".test.js"))).toEqual(["added src/\u00e4.test.js"]);
      expect(await laid((path) => path.startsWith("src/deep/"))).toEqual(["deleted src/deep/b.js"]);
      expect(await laid(() => false)).toEqual([]);
      expect(await objects.transplant({ from, to, onto: from, only: () => true })).toBe(to);
    });
  });
}
