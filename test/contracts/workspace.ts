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
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Sha, Tree } from "../../src/base/hash.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";

/** What the pinned commits hold, by path: a plain string is a file of mode 100644. */
export type PinnedFiles = Readonly<
  Record<string, string | { readonly mode: "100755" | "120000"; readonly content: string }>
>;

/** One workspace pinned to two commits, and room for directories. */
export type WorkspaceBench = AsyncDisposable & {
  readonly workspace: Workspace;
  /** An empty private directory in which the suite makes its working directories. */
  readonly room: string;
  /** The same commits pinned on another machine, which has nothing else. */
  readonly elsewhere: () => Promise<Workspace>;
};

export type MakeWorkspace = (commits: {
  readonly base: PinnedFiles;
  /** Same as `base` when left out. */
  readonly config?: PinnedFiles;
}) => Promise<WorkspaceBench>;

const small: PinnedFiles = {
  ".gitignore": "*.log\n/out/\n",
  "README.md": "# Demo\n",
  "bin/run": { mode: "100755", content: "#!/bin/sh\necho run\n" },
  "src/a.js": "export const a = 1;\n",
  "src/deep/b.js": "export const b = 2;\n",
  "link-to-a": { mode: "120000", content: "src/a.js" },
};

const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904" as Tree;

/** The acceptance suite of the port `Workspace`. */
export function workspaceContract(name: string, make: MakeWorkspace): void {
  describe(`${name} keeps the workspace's contract`, () => {
    describe("reading the configuration commit", () => reading(make));
    describe("sealing", () => sealing(make));
    describe("restoring", () => restoring(make));
    describe("copying and comparing", () => comparing(make));
    describe("objects that travel", () => travelling(make));
    describe("trees beside the base", () => transplanting(make));
  });
}

function put(dir: string, path: string, content: string | Buffer): string {
  const place = join(dir, path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, content);
  return place;
}

async function treeOf(workspace: Workspace, dir: string): Promise<Tree> {
  const sealed = await workspace.seal(dir);
  if (sealed.kind === "refused") throw new Error(`${sealed.path}: ${sealed.why}`);
  return sealed.tree;
}

async function atBase(bench: WorkspaceBench, name = "work"): Promise<string> {
  const dir = join(bench.room, name);
  await bench.workspace.restore(dir, bench.workspace.baseTree);
  return dir;
}

function text(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString();
}

function reading(make: MakeWorkspace): void {
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
}

function sealing(make: MakeWorkspace): void {
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
    const changes = await bench.workspace.diff(bench.workspace.baseTree, await treeOf(bench.workspace, dir));
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
    const changes = await bench.workspace.diff(bench.workspace.baseTree, await treeOf(bench.workspace, dir));
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
    const changes = await bench.workspace.diff(bench.workspace.baseTree, await treeOf(bench.workspace, dir));
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

  it("sees a rename that changes only the case", async () => {
    await using bench = await make({ base: small });
    const dir = await atBase(bench);
    renameSync(join(dir, "README.md"), join(dir, "ReadMe.md"));
    const changes = await bench.workspace.diff(bench.workspace.baseTree, await treeOf(bench.workspace, dir));
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
}

function restoring(make: MakeWorkspace): void {
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

  it("opens what was closed to its reader", async () => {
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
    await expect(bench.workspace.restore(join(bench.room, "work"), "1".repeat(40) as Tree)).rejects.toThrow();
  });
}

function comparing(make: MakeWorkspace): void {
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
}

function transplanting(make: MakeWorkspace): void {
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
    expect((await bench.workspace.diff(onto, laid)).map(({ path, status }) => `${status} ${path}`)).toEqual([
      "modified bin/run",
      "modified src/a.js",
      "deleted src/deep/b.js",
    ]);
    expect(text(await objects.fileAt(laid, "bin/run"))).toBe("ours\n");
    expect(await objects.transplant({ from, to, onto: from })).toBe(to);
    expect(await objects.transplant({ from, to: from, onto })).toBe(onto);
  });
}

function travelling(make: MakeWorkspace): void {
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

  it("refuses a pack that is cut, flipped or lacks what it names, and keeps nothing of it", async () => {
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
}
