import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { gitWorkspaces } from "../../../src/adapters/git/workspaces.ts";
import type { Workspace } from "../../../src/workspace/workspace.ts";
import {
  commit,
  emptyRepository,
  type Items,
  serveRepositories,
  temporaryFolder,
} from "../../kit/repositories.ts";

type Trap = AsyncDisposable & {
  readonly workspace: Workspace;
  readonly folder: string;
  readonly work: string;
  /** A program that leaves a mark when anything runs it. */
  readonly bait: string;
  readonly sprung: () => boolean;
};

async function trap(items: Items = { "a.txt": "a\n" }): Promise<Trap> {
  const stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(temporaryFolder());
  const repository = emptyRepository(join(folder, "served/o/r.git"));
  commit(repository, items);
  const server = stack.use(await serveRepositories(join(folder, "served")));
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
  const workspace = stack.use(pinned.workspace);
  const work = join(folder, "work");
  await workspace.restore(work, workspace.baseTree);
  const bait = join(folder, "bait");
  writeFileSync(bait, `#!/bin/sh\ntouch ${folder}/sprung\ncat\n`, { mode: 0o755 });
  return {
    workspace,
    folder,
    work,
    bait,
    sprung: () => existsSync(join(folder, "sprung")),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function put(root: string, path: string, content: string, mode = 0o644): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content, { mode });
}

/** Everything the port does on a directory and its trees. */
async function useAll({ workspace, work, folder }: Trap): Promise<void> {
  put(work, "a.txt", "changed\n");
  const sealed = await workspace.seal(work);
  if (sealed.kind === "refused") throw new Error(sealed.why);
  await workspace.diff(workspace.baseTree, sealed.tree);
  const pack = await workspace.objects.pack({ have: [], want: [sealed.tree] });
  await workspace.objects.unpack(pack);
  await workspace.objects.has(sealed.tree);
  await workspace.copy(work, join(folder, `copy`));
  await workspace.restore(work, workspace.baseTree);
}

const keys = [
  "core.fsmonitor",
  "core.sshCommand",
  "core.pager",
  "core.editor",
  "core.askPass",
  "core.gitProxy",
  "core.alternateRefsCommand",
  "credential.helper",
  "diff.external",
  "diff.bait.command",
  "diff.bait.textconv",
  "filter.bait.clean",
  "filter.bait.smudge",
  "filter.bait.process",
  "merge.bait.driver",
  "uploadpack.packObjectsHook",
  "gpg.program",
  "sequence.editor",
  "interactive.diffFilter",
  "pager.diff",
];

describe("what a workspace configures is never run", () => {
  it("neither by a planted .git/config with every key that names a program, nor by hooks", async () => {
    await using at = await trap();
    execFileSync("git", ["init", "--quiet", at.work]);
    for (const key of keys) execFileSync("git", ["-C", at.work, "config", key, at.bait]);
    execFileSync("git", ["-C", at.work, "config", "core.hooksPath", join(at.work, "hooks")]);
    for (const hook of [
      "post-checkout",
      "post-index-change",
      "pre-commit",
      "reference-transaction",
      "post-update",
    ]) {
      put(at.work, `hooks/${hook}`, readFileSync(at.bait, "utf8"), 0o755);
      put(at.work, `.git/hooks/${hook}`, readFileSync(at.bait, "utf8"), 0o755);
    }
    put(at.work, ".gitattributes", "* diff=bait filter=bait merge=bait text eol=crlf\n");
    await useAll(at);
    expect(at.sprung()).toBe(false);
  });

  it("nor by attributes of the base commit itself", async () => {
    const lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n";
    await using at = await trap({
      ".gitattributes": "* filter=lfs diff=bait text eol=crlf export-ignore\n*.bin filter=lfs\n",
      "a.txt": "a\n",
      "large.bin": lfs,
    });
    await useAll(at);
    expect(readFileSync(join(at.work, "large.bin"), "utf8")).toBe(lfs);
    expect(readFileSync(join(at.work, "a.txt"), "utf8")).toBe("a\n");
    expect(at.sprung()).toBe(false);
  });

  it("nor by a .git file that points elsewhere, a bare repository among the files, or one under another name", async () => {
    await using at = await trap();
    const evil = join(at.folder, "evil.git");
    execFileSync("git", ["init", "--quiet", "--bare", evil]);
    execFileSync("git", ["-C", evil, "config", "core.fsmonitor", at.bait]);
    put(at.work, ".git", `gitdir: ${evil}\n`);
    for (const [name, content] of [
      ["HEAD", "ref: refs/heads/main\n"],
      ["config", `[core]\n\tfsmonitor = ${at.bait}\n`],
    ])
      put(at.work, name ?? "", content ?? "");
    mkdirSync(join(at.work, "objects"));
    mkdirSync(join(at.work, "refs"));
    await useAll(at);
    expect(at.sprung()).toBe(false);
  });

  it("nor by programs that lie in the workspace under the names of git and cp", async () => {
    await using at = await trap();
    for (const name of ["git", "cp", "sh"]) put(at.work, name, readFileSync(at.bait, "utf8"), 0o755);
    await useAll(at);
    expect(at.sprung()).toBe(false);
  });
});

describe("files that play tricks", () => {
  it.each([
    ["a FIFO", (path: string) => execFileSync("mkfifo", [path])],
    [
      "a socket",
      (path: string) =>
        execFileSync("python3", ["-c", `import socket;socket.socket(socket.AF_UNIX).bind("${path}")`]),
    ],
  ])("refuses %s by name without waiting for it, and removes it when restoring", async (_, make) => {
    await using at = await trap();
    make(join(at.work, "odd"));
    expect(await at.workspace.seal(at.work)).toMatchObject({ kind: "refused", path: "odd" });
    await at.workspace.restore(at.work, at.workspace.baseTree);
    expect(readdirSync(at.work)).toEqual(["a.txt"]);
  });

  it("reads a link's text, never what it points to, be it a loop, a device or a folder outside (F60)", async () => {
    await using at = await trap();
    for (const [name, target] of Object.entries({ loop: "loop", zero: "/dev/zero", up: "../..", root: "/" }))
      symlinkSync(target, join(at.work, name));
    const sealed = await at.workspace.seal(at.work);
    if (sealed.kind === "refused") throw new Error(sealed.why);
    const changes = await at.workspace.diff(at.workspace.baseTree, sealed.tree);
    expect(changes.map(({ path, mode }) => `${path} ${mode}`)).toEqual(
      ["loop", "root", "up", "zero"].map((name) => `${name} 120000`),
    );
  });

  it("refuses a file larger than GitHub takes, before reading it (F64)", async () => {
    await using at = await trap();
    execFileSync("truncate", ["--size=101M", join(at.work, "huge")]);
    expect(await at.workspace.seal(at.work)).toMatchObject({ kind: "refused", path: "huge" });
  });

  it("carries a hostile .gitmodules to another machine as the bytes it is", async () => {
    await using at = await trap();
    put(
      at.work,
      ".gitmodules",
      '[submodule "../x"]\n\tpath = -x\n\turl = -oProxyCommand=touch\n\tupdate = !touch\n',
    );
    const sealed = await at.workspace.seal(at.work);
    if (sealed.kind === "refused") throw new Error(sealed.why);
    const pack = await at.workspace.objects.pack({ have: [], want: [sealed.tree] });
    await at.workspace.objects.unpack(pack);
    expect(at.sprung()).toBe(false);
  });
});
