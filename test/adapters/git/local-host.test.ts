import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { localHost } from "../../../src/adapters/git/local-host.ts";
import type { Sha } from "../../../src/base/hash.ts";
import { baseFiles, branchContract } from "../../contracts/host.ts";
import { commit, emptyRepository, git, temporaryFolder } from "../../kit/repositories.ts";

async function givenRepository() {
  const kept = new AsyncDisposableStack();
  const folder = kept.use(temporaryFolder());
  const repository = emptyRepository(join(folder.path, "local.git"));
  const base = commit(repository, baseFiles) as Sha;
  const place = { gitDir: repository, home: folder.path, path: process.env["PATH"] ?? "" };
  const host = localHost({ place, now: () => 1_764_000_000_000 });
  const rewind = (name: string, to: Sha): void => {
    git(repository, ["update-ref", `refs/heads/${name}`, to]);
  };
  return { repository, base, host, rewind, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

describe("a repository of this machine", () => {
  branchContract(givenRepository);

  it("has no threads, and refuses pull requests and comments", async () => {
    await using world = await givenRepository();
    const { host } = world;
    const pull = { branch: "agent/1-s", base: "main", title: "Fix", body: "Why", draft: true };
    expect(await host.thread(1)).toBeNull();
    expect(await host.pullRequest.find("main")).toEqual([]);
    expect(await host.pullRequest.open(pull)).toMatchObject({ kind: "refused", code: "forbidden" });
    expect(await host.comment.create(1, "hello")).toMatchObject({ kind: "refused", code: "forbidden" });
  });

  it("signs commits as itself, whatever the repository says", async () => {
    await using world = await givenRepository();
    const { host, repository, base } = world;
    git(repository, ["config", "author.name", "Somebody"]);
    git(repository, ["config", "i18n.commitEncoding", "latin1"]);
    const parentTree = git(repository, ["rev-parse", `${base}^{tree}`]) as never;
    const files = [] as const;
    const made = await host.branch.commit({
      parent: base,
      parentTree,
      tree: parentTree,
      files,
      message: "Grüße\n",
    });
    if (made.kind !== "committed") throw new Error(made.why);
    const who = "%an <%ae> %at, %cn <%ce> %ct: %s, %e";
    expect(git(repository, ["show", "--no-patch", "--encoding=UTF-8", `--format=${who}`, made.sha])).toBe(
      "baton <baton@localhost> 1764000000, baton <baton@localhost> 1764000000: Grüße, ",
    );
  });

  it("does not take a folder of branches for a branch, and says what stands in the way of one", async () => {
    await using world = await givenRepository();
    const { host, base } = world;
    await host.branch.create("agent/1-s", base);
    expect(await host.branch.find("agent")).toBeNull();
    expect(await host.branch.create("agent", base)).toMatchObject({ kind: "refused", code: "rejected" });
  });

  it("runs no hook of the repository", async () => {
    await using world = await givenRepository();
    const { host, repository, base } = world;
    git(repository, ["config", "core.hooksPath", "hooks"]);
    mkdirSync(join(repository, "hooks"), { recursive: true });
    writeFileSync(join(repository, "hooks/reference-transaction"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    expect(await host.branch.create("agent/1-s", base)).toEqual({ kind: "made" });
  });
});
