import {
  chmodSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Sha, Tree } from "../../src/base/hash.ts";
import { atBase, type MakeWorkspace, put, small, text, treeOf } from "./given-workspace.ts";

const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904" as Tree;

/** The part of the port `Workspace` that makes a tree of a directory. */
export function sealingContract(make: MakeWorkspace): void {
  describe("sealing", () => {
    it("seals what it restored to the very same tree, again and again", async () => {
      await using bench = await make({ base: small });
      const dir = await atBase(bench);
      for (let time = 0; time < 3; time += 1)
        expect(await treeOf(bench.workspace, dir)).toBe(bench.workspace.baseTree);
    });

    it("notices a change that keeps size and modification time", async () => {
      await using bench = await make({ base: small });
      const dir = await atBase(bench);
      const place = join(dir, "README.md");
      const { atime, mtime } = lstatSync(place);
      writeFileSync(place, "# Dmeo\n");
      utimesSync(place, atime, mtime);
      expect(await treeOf(bench.workspace, dir)).not.toBe(bench.workspace.baseTree);
    });

    it("notices each of many writes in quick succession", async () => {
      await using bench = await make({ base: small });
      const dir = await atBase(bench);
      const trees = new Set<Tree>();
      for (let time = 0; time < 20; time += 1) {
        put(dir, "README.md", `${time + 10}\n`);
        trees.add(await treeOf(bench.workspace, dir));
      }
      expect(trees.size).toBe(20);
    });

    it("takes bytes as they are, whatever attributes the workspace asks for", async () => {
      await using bench = await make({ base: small });
      const dir = await atBase(bench);
      put(dir, ".gitattributes", "* text=auto eol=crlf ident filter=evil working-tree-encoding=UTF-16\n");
      put(dir, "crlf.txt", "one\r\ntwo\n$Id$\r\n");
      const tree = await treeOf(bench.workspace, dir);
      const change = (await bench.workspace.diff(bench.workspace.baseTree, tree)).find(
        ({ path }) => path === "crlf.txt",
      );
      expect(text(await bench.workspace.objects.blob(change?.blob as Sha))).toBe("one\r\ntwo\n$Id$\r\n");
    });

    it("keeps executable bits and links, dangling and outward ones too, without following them", async () => {
      await using bench = await make({ base: small });
      const dir = await atBase(bench);
      put(bench.room, "outside/secret.txt", "secret\n");
      chmodSync(join(dir, "src/a.js"), 0o755);
      symlinkSync("nowhere", join(dir, "dangling"));
      symlinkSync(join(bench.room, "outside"), join(dir, "outward"));
      const changes = await bench.workspace.diff(
        bench.workspace.baseTree,
        await treeOf(bench.workspace, dir),
      );
      expect(changes.map(({ path, mode }) => [path, mode])).toEqual([
        ["dangling", "120000"],
        ["outward", "120000"],
        ["src/a.js", "100755"],
      ]);
    });

    it("ignores by the rules of the configuration commit; a changed .gitignore hides nothing", async () => {
      await using bench = await make({ base: small });
      const dir = await atBase(bench);
      put(dir, "debug.log", "ignored\n");
      put(dir, "out/result.js", "ignored\n");
      expect(await treeOf(bench.workspace, dir)).toBe(bench.workspace.baseTree);
      put(dir, ".gitignore", "*\n");
      put(dir, "src/.gitignore", "*\n");
      put(dir, "src/new.js", "shown\n");
      rmSync(join(dir, "src/a.js"));
      const changes = await bench.workspace.diff(
        bench.workspace.baseTree,
        await treeOf(bench.workspace, dir),
      );
      expect(changes.map(({ path, status }) => [path, status])).toEqual([
        [".gitignore", "modified"],
        ["src/.gitignore", "added"],
        ["src/a.js", "deleted"],
        ["src/new.js", "added"],
      ]);
    });

    it("never ignores a file of the base, even in an ignored folder", async () => {
      await using bench = await make({ base: { ...small, "out/keep.txt": "kept\n", "old.log": "kept\n" } });
      const dir = await atBase(bench);
      put(dir, "out/other.txt", "ignored\n");
      expect(await treeOf(bench.workspace, dir)).toBe(bench.workspace.baseTree);
      put(dir, "out/keep.txt", "changed\n");
      rmSync(join(dir, "old.log"));
      const changes = await bench.workspace.diff(
        bench.workspace.baseTree,
        await treeOf(bench.workspace, dir),
      );
      expect(changes.map(({ path }) => path)).toEqual(["old.log", "out/keep.txt"]);
    });

    it("refuses a nested repository and names it, unless it lies in an ignored folder", async () => {
      await using bench = await make({ base: small });
      const dir = await atBase(bench);
      put(dir, "out/dep/.git/HEAD", "ref: refs/heads/main\n");
      expect(await treeOf(bench.workspace, dir)).toBe(bench.workspace.baseTree);
      put(dir, "vendor/dep/.git/HEAD", "ref: refs/heads/main\n");
      expect(await bench.workspace.seal(dir)).toMatchObject({ kind: "refused", path: "vendor/dep/.git" });
      rmSync(join(dir, "vendor"), { recursive: true });
      put(dir, "src/.git", "gitdir: /evil\n");
      expect(await bench.workspace.seal(dir)).toMatchObject({ kind: "refused", path: "src/.git" });
    });

    it.each([".GIT", "git~1", ".git ", ".git::$INDEX_ALLOCATION", ".g\u200cit"])(
      "refuses %j, which git on some system takes for .git",
      async (name) => {
        await using bench = await make({ base: small });
        const dir = await atBase(bench);
        put(dir, `src/${name}/config`, "x");
        expect(await bench.workspace.seal(dir)).toMatchObject({ kind: "refused", path: `src/${name}` });
      },
    );

    it("sees a rename that changes only the case (F64)", async () => {
      await using bench = await make({ base: small });
      const dir = await atBase(bench);
      renameSync(join(dir, "README.md"), join(dir, "ReadMe.md"));
      const changes = await bench.workspace.diff(
        bench.workspace.baseTree,
        await treeOf(bench.workspace, dir),
      );
      expect(changes.map(({ path, status }) => [path, status])).toEqual([
        ["README.md", "deleted"],
        ["ReadMe.md", "added"],
      ]);
    });

    it("counts empty folders for nothing and an empty directory for the empty tree", async () => {
      await using bench = await make({ base: small });
      const dir = await atBase(bench);
      mkdirSync(join(dir, "empty/inner"), { recursive: true });
      expect(await treeOf(bench.workspace, dir)).toBe(bench.workspace.baseTree);
      const bare = join(bench.room, "bare");
      mkdirSync(bare);
      expect(await treeOf(bench.workspace, bare)).toBe(emptyTree);
      await bench.workspace.restore(dir, emptyTree);
      expect(await treeOf(bench.workspace, dir)).toBe(emptyTree);
    });

    it("throws for a directory that is not there rather than taking all files for deleted", async () => {
      await using bench = await make({ base: small });
      await expect(bench.workspace.seal(join(bench.room, "missing"))).rejects.toThrow();
    });
  });
}
