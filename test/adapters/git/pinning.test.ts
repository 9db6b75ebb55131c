import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Sha } from "../../../src/base/hash.ts";
import type { PinTarget } from "../../../src/workspace/workspace.ts";
import { commit, git } from "../../kit/repositories.ts";
import { clone, ground, history, mainBranch, pull } from "./given-pinning.ts";

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

  it("answers a SHA-256 repository with unsupported (F64)", async () => {
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
