import { execFile, execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { gitWorkspaces, localWorkspaces } from "../../../src/adapters/git/workspaces.ts";
import type { Sha } from "../../../src/base/hash.ts";
import type { PinTarget } from "../../../src/workspace/workspace.ts";
import { gitEnvironment } from "../../kit/git-server.ts";
import {
  commit,
  emptyRepository,
  fingerprint,
  git,
  type RepositoryServer,
  serveRepositories,
  temporaryFolder,
} from "../../kit/repositories.ts";

const run = promisify(execFile);
const path = process.env["PATH"] ?? "";
const never = new AbortController().signal;
const mainBranch: PinTarget = { kind: "branch", branch: "main", baseSha: null, configSha: null };

type Ground = AsyncDisposable & {
  readonly folder: string;
  readonly repository: string;
  readonly server: RepositoryServer;
  readonly pin: (
    target: PinTarget,
    options?: { borrowFrom?: string; token?: string; dir?: string; signal?: AbortSignal; url?: string },
  ) => ReturnType<ReturnType<typeof gitWorkspaces>["pin"]>;
};

async function ground(options: { token?: string } = {}): Promise<Ground> {
  const stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(temporaryFolder());
  const repository = emptyRepository(join(folder, "served/o/r.git"));
  const server = stack.use(await serveRepositories(join(folder, "served"), options));
  return {
    folder,
    repository,
    server,
    pin: async (target, { borrowFrom = null, token = null, dir = "private", signal = never, url } = {}) => {
      const pinned = await gitWorkspaces({
        remote: { url: url ?? `${server.url}/o/r.git`, token },
        dir: join(folder, dir),
        borrowFrom,
        path,
      }).pin(target, { signal });
      if (pinned.kind === "pinned") stack.use(pinned.workspace);
      return pinned;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function pull(headSha: string, over: { configSha?: string } = {}): PinTarget {
  const configSha = (over.configSha ?? null) as Sha | null;
  return { kind: "pull-request", number: 7, headSha: headSha as Sha, baseRef: "main", configSha };
}

/** Adds commits that each change `file.txt`, and returns all of them, the oldest first. */
function history(repository: string, length: number, ref = "refs/heads/main"): string[] {
  const tip = git(repository, ["for-each-ref", "--format=%(objectname)", ref]);
  const data = (text: string) => `data ${text.length}\n${text}\n`;
  const commits = Array.from({ length }, (_, at) => {
    const from = at === 0 && tip !== "" ? `from ${tip}\n` : "";
    const head = `commit ${ref}\ncommitter Octo Seed <seed@example.com> ${1_700_000_000 + at} +0000\n`;
    return `${head}${data("Change")}${from}M 100644 inline file.txt\n${data(`${ref} ${at}\n`)}\n`;
  });
  git(repository, ["fast-import", "--quiet"], { input: commits.join("") });
  const range = tip === "" ? ref : `${tip}..${ref}`;
  return git(repository, ["rev-list", "--reverse", range]).split("\n");
}

/** Not waiting in a blocking way: the server that is cloned from runs in this process. */
async function clone(from: string, to: string, ...options: readonly string[]): Promise<string> {
  await run("git", ["clone", "--quiet", ...options, from, to], { env: gitEnvironment() });
  return to;
}

const uploads = (server: RepositoryServer) =>
  server.requests.filter((request) => request.path.endsWith("/git-upload-pack")).length;

describe("what is pinned", () => {
  it("is the head of the branch for both commits when none is given", async () => {
    await using at = await ground();
    const [, , head] = history(at.repository, 3);
    expect(await at.pin(mainBranch)).toMatchObject({
      kind: "pinned",
      workspace: { baseSha: head, configSha: head },
    });
  });

  it("is the commit that was given, also when the branch has moved on or was rewritten", async () => {
    await using at = await ground();
    const [, old] = history(at.repository, 60);
    const target: PinTarget = { ...mainBranch, baseSha: old as Sha, configSha: old as Sha };
    expect(await at.pin(target)).toMatchObject({ workspace: { baseSha: old, configSha: old } });
    commit(at.repository, { "other.txt": "rewritten\n" }, { parent: null });
    expect(await at.pin(target)).toMatchObject({ workspace: { baseSha: old } });
  });

  it("is found through the branch where the server gives out no commit by id", async () => {
    await using at = await ground();
    git(at.repository, ["config", "uploadpack.allowAnySHA1InWant", "false"]);
    const commits = history(at.repository, 70);
    const old = commits[5] as Sha;
    // Protocol version 2 gives out every commit; version 0 only what it may.
    const target: PinTarget = { ...mainBranch, baseSha: old, configSha: old };
    expect(await at.pin(target)).toMatchObject({ workspace: { baseSha: old } });
    const stranger = "5".repeat(40) as Sha;
    expect(await at.pin({ ...target, baseSha: stranger })).toMatchObject({ kind: "refused", code: "moved" });
  });

  it("is the head of the pull request and its base branch", async () => {
    await using at = await ground();
    const [base] = history(at.repository, 1);
    const head = commit(
      at.repository,
      { "new.txt": "x\n" },
      { ref: "refs/pull/7/head", parent: base ?? null },
    );
    const pinned = await at.pin(pull(head));
    expect(pinned).toMatchObject({ workspace: { baseSha: head, configSha: base } });
  });

  it("stays the authorised commit when more was pushed, and is refused when it was pushed away", async () => {
    await using at = await ground();
    history(at.repository, 1);
    const heads = history(at.repository, 120, "refs/pull/7/head");
    const authorised = heads[10] ?? "";
    expect(await at.pin(pull(authorised))).toMatchObject({ workspace: { baseSha: authorised } });
    commit(at.repository, { "forced.txt": "x\n" }, { ref: "refs/pull/7/head", parent: heads[5] ?? null });
    const refused = await at.pin(pull(authorised));
    expect(refused).toMatchObject({ kind: "refused", code: "moved" });
    expect(refused).toHaveProperty("why", expect.stringContaining(authorised));
  });

  it("takes no tags, follows no submodule and leaves no branch behind", async () => {
    await using at = await ground();
    const [base = ""] = history(at.repository, 1);
    git(at.repository, ["update-ref", "refs/tags/v1", base]);
    commit(at.repository, {
      ".gitmodules": '[submodule "evil"]\n\tpath = sub\n\turl = -oProxyCommand=touch\n',
      sub: { mode: "160000", id: base },
    });
    const pinned = await at.pin(mainBranch);
    expect(pinned.kind).toBe("pinned");
    const refs = git(join(at.folder, "private/pinned.git"), ["for-each-ref", "--format=%(refname)"]);
    expect(refs.split("\n")).toEqual(["refs/pinned/base", "refs/pinned/config"]);
  });
});

describe("refusals", () => {
  const refusals: [rule: string, code: string, target: PinTarget][] = [
    ["a branch that is not there", "moved", { ...mainBranch, branch: "gone" }],
    ["a pull request that is not there", "moved", pull("1".repeat(40))],
    ["a branch name that is a refspec", "moved", { ...mainBranch, branch: "main:refs/heads/other" }],
    ["a branch name with a parent folder", "moved", { ...mainBranch, branch: "../../x" }],
  ];
  it.each(refusals)("answers %s with %s", async (_, code, target) => {
    await using at = await ground();
    history(at.repository, 1);
    expect(await at.pin(target)).toMatchObject({ kind: "refused", code });
  });

  it("answers a server that is not there, or that gives nothing, with unreachable", async () => {
    await using at = await ground({ token: "right" });
    history(at.repository, 1);
    expect(await at.pin(mainBranch, { url: "http://127.0.0.1:1/o/r.git" })).toMatchObject({
      code: "unreachable",
    });
    const wrong = await at.pin(mainBranch, { token: "wrong" });
    expect(wrong).toMatchObject({ code: "unreachable" });
    expect(JSON.stringify(wrong)).not.toContain(Buffer.from("x-access-token:wrong").toString("base64"));
    expect(await at.pin(mainBranch)).toMatchObject({ code: "unreachable" });
  });

  it("answers a SHA-256 repository with unsupported", async () => {
    await using at = await ground();
    rmSync(at.repository, { recursive: true });
    git(at.folder, [
      "init",
      "--quiet",
      "--bare",
      "--object-format=sha256",
      "--initial-branch=main",
      at.repository,
    ]);
    const tree = git(at.repository, ["write-tree"]);
    git(at.repository, [
      "update-ref",
      "refs/heads/main",
      git(at.repository, ["commit-tree", tree, "-m", "x"]),
    ]);
    expect(await at.pin(mainBranch)).toMatchObject({ kind: "refused", code: "unsupported" });
    const lender = await clone(at.repository, join(at.folder, "checkout"));
    expect(await at.pin(mainBranch, { borrowFrom: lender })).toMatchObject({ code: "unsupported" });
  });

  it("refuses a tree with a .git folder in it as it arrives", async () => {
    await using at = await ground();
    const blob = git(at.repository, ["hash-object", "-w", "--stdin"], { input: "x" });
    const inner = git(at.repository, ["mktree"], { input: `100644 blob ${blob}\tconfig\n` });
    const tree = git(at.repository, ["mktree"], { input: `040000 tree ${inner}\t.git\n` });
    git(at.repository, [
      "update-ref",
      "refs/heads/main",
      git(at.repository, ["commit-tree", tree, "-m", "x"]),
    ]);
    expect(await at.pin(mainBranch)).toMatchObject({ kind: "refused", code: "unsupported" });
  });

  it("rejects with the signal's reason when it is aborted", async () => {
    await using at = await ground();
    history(at.repository, 1);
    await expect(at.pin(mainBranch, { signal: AbortSignal.abort(new Error("stopped")) })).rejects.toThrow(
      "stopped",
    );
  });
});

describe("the token", () => {
  it("opens a repository that answers 401 without it, and stands in no file", async () => {
    await using at = await ground({ token: "tok-canary" });
    history(at.repository, 2);
    expect(await at.pin(mainBranch, { token: "tok-canary" })).toMatchObject({ kind: "pinned" });
    const encoded = Buffer.from("x-access-token:tok-canary").toString("base64");
    for (const [name, content] of fingerprint(join(at.folder, "private"))) {
      const bytes = Buffer.from(content.split(" ")[1] ?? "", "base64").toString("latin1");
      expect(`${name} ${bytes}`).not.toMatch(new RegExp(`tok-canary|${encoded}`));
    }
  });

  it("is not sent to another origin: a redirect is not followed", async () => {
    await using at = await ground();
    history(at.repository, 1);
    const { createServer } = await import("node:http");
    const redirect = createServer((request, response) => {
      response.writeHead(302, { location: `${at.server.url}${request.url}` }).end();
    });
    await new Promise<void>((done) => redirect.listen(0, "127.0.0.1", done));
    const address = redirect.address();
    const port = typeof address === "object" ? address?.port : 0;
    const pinned = await at.pin(mainBranch, { token: "tok-canary", url: `http://127.0.0.1:${port}/o/r.git` });
    redirect.closeAllConnections();
    await new Promise((done) => redirect.close(done));
    expect(pinned).toMatchObject({ kind: "refused", code: "unreachable" });
    expect(at.server.requests).toEqual([]);
  });

  it("stands in the environment of git alone, not in its arguments", async () => {
    await using at = await ground({ token: "tok-canary" });
    history(at.repository, 1);
    // A git in front of git notes how it was called.
    const bin = join(at.folder, "bin");
    const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    execFileSync("mkdir", [bin]);
    writeFileSync(
      join(bin, "git"),
      `#!/bin/sh\necho "$@" >> ${at.folder}/calls\nenv >> ${at.folder}/env-$1\nexec ${real} "$@"\n`,
      {
        mode: 0o755,
      },
    );
    const pinned = await gitWorkspaces({
      remote: { url: `${at.server.url}/o/r.git`, token: "tok-canary" },
      dir: join(at.folder, "private"),
      borrowFrom: null,
      path: `relative:${bin}:${path}`,
    }).pin(mainBranch, { signal: never });
    if (pinned.kind === "pinned") await pinned.workspace[Symbol.asyncDispose]();
    const encoded = Buffer.from("x-access-token:tok-canary").toString("base64");
    expect(readFileSync(join(at.folder, "calls"), "utf8")).not.toMatch(new RegExp(`tok-canary|${encoded}`));
    expect(readFileSync(join(at.folder, "env-fetch"), "utf8")).toContain(encoded);
    expect(readFileSync(join(at.folder, "env-fetch"), "utf8")).not.toMatch(/^PATH=.*relative|^npm_|^VITEST/m);
    expect(readFileSync(join(at.folder, "env-cat-file"), "utf8")).not.toContain(encoded);
  });
});

describe("borrowing from a checkout", () => {
  it.each([
    ["a full clone", []],
    ["a shallow clone", ["--depth=1"]],
  ])("fetches nothing when %s has the commit, and leaves it as it was", async (_, options) => {
    await using at = await ground();
    const [, head] = history(at.repository, 2);
    const checkout = await clone(`${at.server.url}/o/r.git`, join(at.folder, "checkout"), ...options);
    const before = fingerprint(checkout);
    const asked = uploads(at.server);
    const pinned = await at.pin(mainBranch, { borrowFrom: checkout });
    expect(pinned).toMatchObject({ workspace: { baseSha: head } });
    // One request lists the refs; none asks for a pack.
    expect(uploads(at.server) - asked).toBe(1);
    expect(readdirSync(join(at.folder, "private/pinned.git/objects/pack"))).toEqual([]);
    expect(fingerprint(checkout)).toEqual(before);
  });

  it.each([
    ["a full clone", []],
    ["a shallow clone", ["--depth=1"]],
    ["a shallow clone that is older", ["--depth=2"]],
    ["a partial clone", ["--filter=blob:none", "--no-checkout"]],
    ["a partial clone without trees", ["--filter=tree:0", "--no-checkout"]],
    ["a worktree", []],
  ])("pins what %s lacks, and leaves it as it was: its shallow file, its objects", async (kind, options) => {
    await using at = await ground();
    const first = history(at.repository, 5);
    let checkout = await clone(`${at.server.url}/o/r.git`, join(at.folder, "checkout"), ...options);
    if (kind === "a worktree") {
      git(checkout, ["worktree", "add", "--quiet", join(at.folder, "tree"), "HEAD"]);
      checkout = join(at.folder, "tree");
    }
    const later = history(at.repository, 3).at(-1);
    const head = commit(
      at.repository,
      { "pr.txt": "x\n" },
      { ref: "refs/pull/7/head", parent: first[2] ?? null },
    );
    const before = fingerprint(join(at.folder, "checkout"));
    const pinned = await at.pin(pull(head), { borrowFrom: checkout });
    expect(pinned).toMatchObject({ workspace: { baseSha: head, configSha: later } });
    if (pinned.kind !== "pinned") return;
    await pinned.workspace.restore(join(at.folder, "work"), pinned.workspace.baseTree);
    expect(readFileSync(join(at.folder, "work/file.txt"), "utf8")).toBe("refs/heads/main 2\n");
    expect(await pinned.workspace.objects.has(pinned.workspace.baseTree)).toBe(true);
    expect(fingerprint(join(at.folder, "checkout"))).toEqual(before);
    expect(existsSync(join(at.folder, "checkout/.git/shallow"))).toBe(/shallow/.test(kind));
  });

  it("does without a checkout whose objects are damaged or that is no repository", async () => {
    await using at = await ground();
    history(at.repository, 3);
    const checkout = await clone(`${at.server.url}/o/r.git`, join(at.folder, "checkout"));
    const blob = git(checkout, ["rev-parse", "HEAD:file.txt"]);
    git(checkout, ["unpack-objects", "-q"], {
      input: execFileSync("git", ["pack-objects", "--all", "--stdout", "-q"], {
        cwd: checkout,
        env: gitEnvironment(),
        input: "",
      }),
    });
    for (const name of readdirSync(join(checkout, ".git/objects/pack")))
      rmSync(join(checkout, ".git/objects/pack", name));
    rmSync(join(checkout, ".git/objects", blob.slice(0, 2), blob.slice(2)), { force: true });
    for (const borrowFrom of [checkout, join(at.folder, "nowhere"), at.folder]) {
      const pinned = await at.pin(mainBranch, { borrowFrom });
      expect(pinned.kind).toBe("pinned");
      if (pinned.kind !== "pinned") return;
      expect(await pinned.workspace.objects.has(pinned.workspace.baseTree)).toBe(true);
    }
  });

  it("resumes on given commits without asking the server when the checkout has them", async () => {
    await using at = await ground();
    const [old, head] = history(at.repository, 2);
    const checkout = await clone(`${at.server.url}/o/r.git`, join(at.folder, "checkout"));
    const asked = at.server.requests.length;
    const target: PinTarget = { ...mainBranch, baseSha: old as Sha, configSha: head as Sha };
    expect(await at.pin(target, { borrowFrom: checkout })).toMatchObject({
      workspace: { baseSha: old, configSha: head },
    });
    expect(at.server.requests.length).toBe(asked);
  });
});

describe("a repository on this machine", () => {
  it("is pinned without being touched", async () => {
    await using at = await ground();
    const [, head] = history(at.repository, 2);
    const checkout = await clone(at.repository, join(at.folder, "checkout"), "--no-local");
    const before = fingerprint(checkout);
    const pinned = await localWorkspaces({ repository: checkout, dir: join(at.folder, "private"), path }).pin(
      mainBranch,
      { signal: never },
    );
    expect(pinned).toMatchObject({ workspace: { baseSha: head } });
    if (pinned.kind === "pinned") await pinned.workspace[Symbol.asyncDispose]();
    expect(fingerprint(checkout)).toEqual(before);
  });

  it("is refused as unsupported when it is a partial clone or none at all", async () => {
    await using at = await ground();
    history(at.repository, 2);
    git(at.repository, ["config", "uploadpack.allowFilter", "true"]);
    const partial = await clone(`${at.server.url}/o/r.git`, join(at.folder, "partial"), "--filter=blob:none");
    for (const repository of [partial, at.folder]) {
      const workspaces = localWorkspaces({ repository, dir: join(at.folder, "private"), path });
      expect(await workspaces.pin(mainBranch, { signal: never })).toMatchObject({ code: "unsupported" });
    }
  });
});
