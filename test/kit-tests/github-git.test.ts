// The local GitHub keeps the rules that the product relies on.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Octokit } from "@octokit/rest";
import { describe, expect, it } from "vitest";
import { at, client, givenRoom, refusal } from "./given-github.ts";

const { dir, git, start } = givenRoom();

async function commitThroughApi(octokit: Octokit, content: string): Promise<string> {
  const main = await octokit.git.getRef({ ...at, ref: "heads/main" });
  const parent = await octokit.git.getCommit({ ...at, commit_sha: main.data.object.sha });
  const blob = await octokit.git.createBlob({ ...at, content, encoding: "utf-8" });
  const tree = await octokit.git.createTree({
    ...at,
    base_tree: parent.data.tree.sha,
    tree: [{ path: "src/sum.js", mode: "100644", type: "blob", sha: blob.data.sha }],
  });
  const commit = await octokit.git.createCommit({
    ...at,
    message: "Add, do not subtract",
    tree: tree.data.sha,
    parents: [parent.data.sha],
  });
  return commit.data.sha;
}

describe("git data and refs", () => {
  it("writes commits through the API that git clones from the server", async () => {
    await using github = await start();
    const sha = await commitThroughApi(client(github), "export const sum = (a, b) => a + b;\n");
    await client(github).git.createRef({ ...at, ref: "refs/heads/agent/issue-1", sha });
    await git(
      "clone",
      "--quiet",
      "--depth=1",
      "--branch=agent/issue-1",
      `${github.url}/octo/demo.git`,
      "clone",
    );
    expect(readFileSync(join(dir(), "clone/src/sum.js"), "utf8")).toContain("a + b");
    expect(readFileSync(join(dir(), "clone/README.md"), "utf8")).toBe("# Demo\n");
    const { stdout } = await git("-C", "clone", "log", "-1", "--format=%H %an");
    expect(stdout.trim()).toBe(`${sha} github-actions[bot]`);
    expect(github.problems()).toEqual([]);
  });

  it("lets exactly one of several racing requests create a ref", async () => {
    await using github = await start();
    const sha = github.git("rev-parse", "main");
    const claims = [1, 2, 3, 4].map(() =>
      client(github)
        .git.createRef({ ...at, ref: "refs/agent/session-1/1", sha })
        .then(
          () => "created",
          (error: { status: number; message: string }) => `${error.status} ${error.message.split(" - ")[0]}`,
        ),
    );
    expect((await Promise.all(claims)).sort()).toEqual([
      ...Array(3).fill("422 Reference already exists"),
      "created",
    ]);
    const matching = await client(github).git.listMatchingRefs({ ...at, ref: "agent/session-1/" });
    expect(matching.data.map(({ ref }) => ref)).toEqual(["refs/agent/session-1/1"]);
    await client(github).git.deleteRef({ ...at, ref: "agent/session-1/1" });
    expect(github.refs("refs/agent/")).toEqual([]);
    expect(github.problems()).toEqual([]);
  });

  it("refuses an update that is no fast-forward and a tree whose objects do not exist", async () => {
    await using github = await start();
    const sideways = github.commit({ files: { "other.txt": "x" }, parent: "main", branch: "side" });
    github.commit({ files: { "README.md": "# New\n" }, branch: "main" });
    const octokit = client(github);
    expect(await refusal(octokit.git.updateRef({ ...at, ref: "heads/main", sha: sideways }))).toMatchObject({
      status: 422,
      message: expect.stringContaining("Update is not a fast forward"),
    });
    const tree = [{ path: "a", mode: "100644", type: "blob", sha: "1".repeat(40) }] as const;
    expect(await refusal(octokit.git.createTree({ ...at, tree: [...tree] }))).toMatchObject({ status: 422 });
    expect(github.problems()).toEqual([]);
  });

  it("serves any commit by its id, and a fork's pull request by its ref", async () => {
    await using github = await start();
    const sha = github.commit({ files: { "src/sum.js": "export const sum = 1;\n" }, parent: "main" });
    const pull = await github.pullRequest({
      head: "patch-1",
      title: "Mine",
      by: "stranger",
      fork: "stranger",
      sha,
    });
    expect(pull.head.repo).toMatchObject({ full_name: "stranger/demo", fork: true });
    expect(pull.head.repo?.id).not.toBe(github.repository.id);
    await git("init", "--quiet", "work");
    const url = `${github.url}/octo/demo.git`;
    await git("-C", "work", "fetch", "--quiet", "--depth=1", url, `refs/pull/${pull.number}/head`);
    expect((await git("-C", "work", "rev-parse", "FETCH_HEAD")).stdout.trim()).toBe(sha);
    await git("-C", "work", "fetch", "--quiet", url, github.git("rev-parse", "main"));
    const seen = await client(github).pulls.get({ ...at, pull_number: pull.number });
    expect(seen.data).toMatchObject({ changed_files: 1, head: { sha, label: "stranger:patch-1" } });
    expect(github.problems()).toEqual([]);
  });
});
