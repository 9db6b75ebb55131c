import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { localWorkspaces } from "../../../src/adapters/git/workspaces.ts";
import type { Sha } from "../../../src/base/hash.ts";
import type { PinTarget } from "../../../src/workspace/workspace.ts";
import { gitEnvironment } from "../../kit/git-server.ts";
import { commit, fingerprint, git, type RepositoryServer } from "../../kit/repositories.ts";
import { clone, ground, history, mainBranch, never, path, pull } from "./given-pinning.ts";

const uploads = (server: RepositoryServer) =>
  server.requests.filter((request) => request.path.endsWith("/git-upload-pack")).length;

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
  ])(
    "pins what %s lacks, and leaves it as it was: its shallow file, its objects (F64)",
    async (kind, options) => {
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
    },
  );

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

  it("is refused as unsupported when it is a partial clone or none at all (F64)", async () => {
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
