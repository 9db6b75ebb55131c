import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitWorkspaces } from "../../../src/adapters/git/workspaces.ts";
import type { Tree } from "../../../src/base/hash.ts";
import type { Workspace } from "../../../src/workspace/workspace.ts";
import {
  commit,
  emptyRepository,
  git,
  type Items,
  serveRepositories,
  temporaryFolder,
  treeByGit,
} from "../../kit/repositories.ts";

type Opened = AsyncDisposable & {
  readonly workspace: Workspace;
  readonly repository: string;
  readonly folder: string;
  readonly work: string;
  readonly pinAgain: () => Promise<Workspace>;
};

async function open(items: Items): Promise<Opened> {
  const stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(temporaryFolder());
  const repository = emptyRepository(join(folder, "served/o/r.git"));
  commit(repository, items);
  const server = stack.use(await serveRepositories(join(folder, "served")));
  const pinAgain = async () => {
    const pinned = await gitWorkspaces({
      remote: { url: `${server.url}/o/r.git`, token: null },
      dir: join(folder, "private"),
      borrowFrom: null,
      path: process.env["PATH"] ?? "",
    }).pin(
      { kind: "branch", branch: "main", baseSha: null, configSha: null },
      { signal: new AbortController().signal },
    );
    if (pinned.kind === "refused") throw new Error(pinned.why);
    return stack.use(pinned.workspace);
  };
  const workspace = await pinAgain();
  const work = join(folder, "work");
  await workspace.restore(work, workspace.baseTree);
  return { workspace, repository, folder, work, pinAgain, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function treeOf(workspace: Workspace, dir: string): Promise<Tree> {
  const sealed = await workspace.seal(dir);
  if (sealed.kind === "refused") throw new Error(`${sealed.path}: ${sealed.why}`);
  return sealed.tree;
}

const odd: Items = {
  "-option": "x\n",
  " space ": "x\n",
  'quo"te': "x\n",
  "line\nbreak": "x\n",
  "back\\slash": "x\n",
  "üñí/😀.txt": "x\n",
  "bytes:latin-\xe9\xff/\xfe.txt": "x\n",
  a: "file before folders\n",
  "a.b/c": "sorts before a/\n",
  a0: "sorts after a/\n",
  empty: "",
  "zero.bin": Buffer.from([0, 0, 0]),
  "crlf.txt": "a\r\nb\n",
  run: { mode: "100755", content: "#!/bin/sh\n" },
  dangling: { mode: "120000", content: "no/where" },
  absolute: { mode: "120000", content: "/etc/passwd" },
};

describe("odd trees", () => {
  it("are restored and sealed as git has them: names of any bytes, links, modes, line endings (F64)", async () => {
    await using at = await open(odd);
    expect(at.workspace.baseTree).toBe(git(at.repository, ["rev-parse", "main^{tree}"]));
    expect(await treeOf(at.workspace, at.work)).toBe(at.workspace.baseTree);
    expect(treeByGit(at.work)).toBe(at.workspace.baseTree);
    const names = readdirSync(at.work, { encoding: "buffer" }).map((name) => name.toString("latin1"));
    expect(names).toContain("latin-\xe9\xff");
  });

  it("are sealed to the tree git itself would write after any edit", async () => {
    await using at = await open(odd);
    const folder = Buffer.concat([Buffer.from(`${at.work}/`), Buffer.from([0xff, 0xfe])]);
    mkdirSync(folder);
    writeFileSync(Buffer.concat([folder, Buffer.from("/\xe9", "latin1")]), "new\n");
    rmSync(join(at.work, "a"));
    mkdirSync(join(at.work, "a/b"), { recursive: true });
    writeFileSync(join(at.work, "a/b/c"), "x");
    renameSync(join(at.work, "a0"), join(at.work, "A0"));
    chmodSync(join(at.work, "empty"), 0o711);
    const tree = await treeOf(at.workspace, at.work);
    expect(tree).toBe(treeByGit(at.work));
    expect(git(join(at.folder, "private/trees.git"), ["fsck", "--no-dangling", "--strict", tree])).toBe("");
    await at.workspace.restore(at.work, at.workspace.baseTree);
    expect(treeByGit(at.work)).toBe(at.workspace.baseTree);
    await at.workspace.restore(at.work, tree);
    expect(treeByGit(at.work)).toBe(tree);
  });

  it("show a name that is not UTF-8 with U+FFFD", async () => {
    await using at = await open({ "bytes:caf\xe9": "x\n" });
    expect(await at.workspace.list()).toEqual(["caf\ufffd"]);
  });

  // Long only where the machine is busy: five thousand files are written three times.
  it("of 5,000 files are sealed again after one change, and rolled back (F64)", async () => {
    const items = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`base/${at}.txt`, `${at}\n`]));
    await using at = await open(items);
    for (let folder = 0; folder < 47; folder += 1) {
      mkdirSync(join(at.work, `many/${folder}`), { recursive: true });
      for (let file = 0; file < 100; file += 1)
        writeFileSync(join(at.work, `many/${folder}/${file}`), `${folder} ${file}`);
    }
    const first = await treeOf(at.workspace, at.work);
    expect(await treeOf(at.workspace, at.work)).toBe(first);
    writeFileSync(join(at.work, "many/3/3"), "changed");
    const second = await treeOf(at.workspace, at.work);
    expect((await at.workspace.diff(first, second)).map(({ path }) => path)).toEqual(["many/3/3"]);
    await at.workspace.restore(at.work, first);
    expect(readFileSync(join(at.work, "many/3/3"), "utf8")).toBe("3 3");
  }, 30_000);

  it("with a large file are kept whole (F64)", async () => {
    const large = Buffer.alloc(3_000_000, "0123456789abcdef\n");
    await using at = await open({ "large.txt": large });
    writeFileSync(join(at.work, "large2.txt"), Buffer.concat([large, Buffer.from("end")]));
    const tree = await treeOf(at.workspace, at.work);
    await at.workspace.restore(join(at.folder, "again"), tree);
    expect(readFileSync(join(at.folder, "again/large2.txt")).length).toBe(large.length + 3);
    expect(readFileSync(join(at.folder, "again/large.txt")).equals(large)).toBe(true);
  });
});

describe("submodules", () => {
  const id = "4".repeat(40);

  it("stay the commits they are, as empty folders, and can be deleted but not filled (F64)", async () => {
    await using at = await open({ "a.txt": "a\n", "vendor/sub": { mode: "160000", id } });
    expect(readdirSync(join(at.work, "vendor/sub"))).toEqual([]);
    expect(await treeOf(at.workspace, at.work)).toBe(at.workspace.baseTree);
    writeFileSync(join(at.work, "vendor/sub/new.txt"), "x");
    expect(await at.workspace.seal(at.work)).toMatchObject({ kind: "refused", path: "vendor/sub/new.txt" });
    rmSync(join(at.work, "vendor"), { recursive: true });
    const tree = await treeOf(at.workspace, at.work);
    expect(await at.workspace.diff(at.workspace.baseTree, tree)).toMatchObject([
      { path: "vendor/sub", status: "deleted", mode: null },
    ]);
    await at.workspace.restore(at.work, at.workspace.baseTree);
    expect(existsSync(join(at.work, "vendor/sub"))).toBe(true);
  });
});

describe("what a killed run leaves behind", () => {
  it("is no obstacle: half-written objects and packs, a half-fetched repository, locks of refs (F61)", async () => {
    await using at = await open({ "a.txt": "a\n" });
    writeFileSync(join(at.work, "b.txt"), "b\n");
    const tree = await treeOf(at.workspace, at.work);
    const objects = join(at.folder, "private/trees.git/objects");
    for (let number = 1; number < 5; number += 1)
      writeFileSync(join(objects, `tmp_obj_${process.pid}_${number}`), "half", { mode: 0o600 });
    writeFileSync(join(objects, "pack/tmp_pack_1"), "half");
    writeFileSync(join(at.folder, "private/pinned.git/shallow.lock"), "");
    writeFileSync(join(at.folder, "private/pinned.git/refs/pinned/base.lock"), "");
    const again = await at.pinAgain();
    expect(await again.objects.has(tree)).toBe(true);
    writeFileSync(join(at.work, "c.txt"), "c\n");
    const next = await treeOf(again, at.work);
    expect(await again.objects.has(next)).toBe(true);
    await again.restore(join(at.folder, "fresh"), next);
    expect(readFileSync(join(at.folder, "fresh/c.txt"), "utf8")).toBe("c\n");
  });
});

describe.runIf(process.getuid?.() === 0)("as root", () => {
  it("gives restored files, folders and links to the owner of the directory, and copies keep theirs", async () => {
    await using at = await open({ "src/a.txt": "a\n", link: { mode: "120000", content: "src" } });
    const dir = join(at.folder, "theirs");
    mkdirSync(dir);
    chownSync(dir, 1234, 2345);
    await at.workspace.restore(dir, at.workspace.baseTree);
    const copy = join(at.folder, "copy");
    await at.workspace.copy(dir, copy);
    for (const place of [dir, copy])
      for (const name of ["src", "src/a.txt", "link"])
        expect(lstatSync(join(place, name))).toMatchObject({ uid: 1234, gid: 2345 });
  });
});
