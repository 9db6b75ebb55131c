// The local GitHub keeps the rules that the product relies on.
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { at, client, givenRoom, refusal } from "./given-github.ts";

const { dir, git, start } = givenRoom();

describe("pull requests", () => {
  it("refuses a missing branch, a branch without commits and a duplicate, in GitHub's words", async () => {
    await using github = await start();
    github.git("branch", "empty", "main");
    github.commit({ files: { "src/sum.js": "export const sum = 2;\n" }, branch: "fix" });
    const open = (head: string) =>
      client(github).pulls.create({ ...at, head, base: "main", title: "Fix", draft: true });
    expect(await refusal(open("missing"))).toMatchObject({ status: 422 });
    expect((await refusal(open("empty"))).message).toContain("No commits between main and empty");
    const { data } = await open("fix");
    expect(data).toMatchObject({ draft: true, user: { login: "github-actions[bot]", type: "Bot" } });
    expect((await refusal(open("octo:fix"))).message).toContain(
      "A pull request already exists for octo:fix.",
    );
    const files = await client(github).pulls.listFiles({ ...at, pull_number: data.number });
    expect(files.data).toMatchObject([
      { filename: "src/sum.js", status: "modified", additions: 1, deletions: 1 },
    ]);
    const found = await client(github).pulls.list({ ...at, head: "octo:fix" });
    expect(found.data.map(({ number }) => number)).toEqual([data.number]);
    expect(github.problems()).toEqual([]);
  });

  it("refuses pull requests of the job when the repository's settings forbid them", async () => {
    await using github = await start({ settings: { actionsMayCreatePullRequests: false } });
    github.commit({ files: { "a.txt": "a" }, branch: "fix" });
    const open = (auth?: string) =>
      client(github, auth).pulls.create({ ...at, head: "fix", base: "main", title: "Fix" });
    const { status, message } = await refusal(open());
    expect(status).toBe(403);
    expect(message).toContain("GitHub Actions is not permitted to create or approve pull requests.");
    expect((await open("ghp_maria")).status).toBe(201);
  });

  it("moves the pull request's ref with a push to its branch", async () => {
    await using github = await start();
    github.commit({ files: { "a.txt": "a" }, branch: "fix" });
    const pull = await github.pullRequest({ head: "fix", title: "Fix", by: "maria" });
    await git("clone", "--quiet", "--branch=fix", `${github.url}/octo/demo.git`, "clone");
    // More than git sends in one piece, so that the push comes chunked.
    writeFileSync(join(dir(), "clone/a.txt"), randomBytes(3 * 1024 * 1024));
    await git("-C", "clone", "commit", "--quiet", "--all", "--message=Change");
    const { stdout } = await git("-C", "clone", "rev-parse", "HEAD");
    const to = (token: string) => `${github.url.replace("//", `//x-access-token:${token}@`)}/octo/demo.git`;
    await expect(git("-C", "clone", "push", "--quiet", to("ghp_stranger"), "fix")).rejects.toThrow(/403/);
    await git("-C", "clone", "push", "--quiet", to("ghp_maria"), "fix");
    expect(github.git("rev-parse", `refs/pull/${pull.number}/head`)).toBe(stdout.trim());
  });
});

describe("people and threads", () => {
  it("tells roles apart, and a job from a user", async () => {
    await using github = await start();
    const permission = async (username: string) =>
      (await client(github).repos.getCollaboratorPermissionLevel({ ...at, username })).data;
    expect(await permission("maria")).toMatchObject({ permission: "write", role_name: "maintain" });
    expect(await permission("stranger")).toMatchObject({ permission: "read", role_name: "read" });
    expect(await refusal(permission("nobody"))).toMatchObject({ status: 404 });
    expect((await refusal(client(github).users.getAuthenticated())).message).toContain(
      "Resource not accessible by integration",
    );
    expect((await client(github, "ghp_maria").users.getAuthenticated()).data.login).toBe("maria");
    expect((await client(github).users.getByUsername({ username: "maria" })).data.type).toBe("User");
    expect((await client(github).repos.get(at)).data.id).toBe(github.repository.id);
    await client(github).rateLimit.get();
    await client(github).meta.get();
    expect(github.problems()).toEqual([]);
  });

  it("gives comments the identity of the token they were made with", async () => {
    await using github = await start();
    const { number: issue_number } = github.createIssue({ title: "t", by: "maria" });
    for (const token of [github.jobToken, "ghp_stranger", "ghs_renovate"]) {
      await client(github, token).issues.createComment({ ...at, issue_number, body: "hello" });
    }
    const seen = github.comments(issue_number).map(({ user, performed_via_github_app: app, ...comment }) => {
      return [user?.login, user?.type, app?.slug, comment.author_association];
    });
    expect(seen).toEqual([
      ["github-actions[bot]", "Bot", "github-actions", "NONE"],
      ["stranger", "User", undefined, "NONE"],
      ["renovate[bot]", "Bot", undefined, "NONE"],
    ]);
    const { data } = await client(github).users.getByUsername({ username: "renovate[bot]" });
    expect(data).toMatchObject({ type: "Bot", id: github.comments(issue_number)[2]?.user?.id });
    expect(github.problems()).toEqual([]);
  });

  it("keeps comments, reactions and locks as GitHub does", async () => {
    await using github = await start();
    const issue = github.createIssue({ title: "sum subtracts", body: null, by: null });
    const asked = github.comment({ issue: issue.number, body: "/agent fix", by: "maria" });
    const octokit = client(github);
    expect((await octokit.issues.get({ ...at, issue_number: issue.number })).data).toMatchObject({
      user: null,
    });
    const react = () =>
      octokit.reactions.createForIssueComment({ ...at, comment_id: asked.id, content: "eyes" });
    expect([(await react()).status, (await react()).status]).toEqual([201, 200]);
    const made = await octokit.issues.createComment({ ...at, issue_number: issue.number, body: "working" });
    await octokit.issues.updateComment({ ...at, comment_id: made.data.id, body: "done" });
    const pages = await octokit.paginate(octokit.issues.listComments, {
      ...at,
      issue_number: issue.number,
      per_page: 1,
    });
    expect(pages.map(({ body, user }) => [body, user?.type])).toEqual([
      ["/agent fix", "User"],
      ["done", "Bot"],
    ]);
    github.lockIssue(issue.number);
    const late = octokit.issues.createComment({ ...at, issue_number: issue.number, body: "more" });
    expect(await refusal(late)).toMatchObject({
      status: 403,
      message: expect.stringContaining("Unable to create comment because issue is locked."),
    });
    await octokit.issues.listEventsForTimeline({ ...at, issue_number: issue.number });
    expect(github.reactions()).toEqual([
      { on: "comment", id: asked.id, content: "eyes", login: "github-actions[bot]" },
    ]);
    expect(github.problems()).toEqual([]);
  });

  it("asks for a password before a private repository can be read", async () => {
    await using github = await start({ private: true });
    const url = `${github.url}/octo/demo.git`;
    await expect(git("ls-remote", url)).rejects.toThrow(/could not read Username|Authentication failed/);
    const named = url.replace("//", `//x-access-token:${github.jobToken}@`);
    expect((await git("ls-remote", named)).stdout).toContain("refs/heads/main");
    const reads = github.exchanges
      .filter(({ via }) => via === "git")
      .map(({ status, authorized }) => [status, authorized]);
    expect(reads).toContainEqual([401, false]);
    expect(reads).toContainEqual([200, true]);
    expect(await refusal(client(github, "").repos.get(at))).toMatchObject({ status: 404 });
  });
});
