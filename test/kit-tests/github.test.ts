// The local GitHub keeps the rules that the product relies on.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Octokit } from "@octokit/rest";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { gitEnvironment } from "../kit/git-server.ts";
import { loadContract } from "../kit/github/contract.ts";
import { type LocalGitHub, startGitHub } from "../kit/github/local-github.ts";
import type { GitHubOptions } from "../kit/github/world-setup.ts";

const run = promisify(execFile);
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const at = { owner: "octo", repo: "demo" };

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "github-rig-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(dir, { recursive: true, force: true });
});

function start(options: Pick<GitHubOptions, "private" | "settings"> = {}): Promise<LocalGitHub> {
  return startGitHub({
    dir: join(dir, "git"),
    ...at,
    users: [
      { login: "octo", permission: "admin", token: "ghp_octo" },
      { login: "maria", permission: "maintain", token: "ghp_maria" },
      { login: "stranger", permission: "read", token: "ghp_stranger" },
      { login: "renovate[bot]", permission: "read", token: "ghs_renovate", type: "Bot" },
    ],
    files: { "README.md": "# Demo\n", "src/sum.js": "export const sum = (a, b) => a - b;\n" },
    ...options,
  });
}

function client(github: LocalGitHub, auth: string | undefined = github.jobToken): Octokit {
  return new Octokit({ baseUrl: github.url, log: silent, ...(auth && { auth }) });
}

async function refusal(request: Promise<unknown>): Promise<{ status: number; message: string }> {
  try {
    await request;
  } catch (error) {
    const { status, message } = error as { status: number; message: string };
    return { status, message };
  }
  throw new Error("the request was not refused");
}

function git(...args: readonly string[]) {
  return run("git", args, { cwd: dir, env: gitEnvironment() });
}

/** The official client, as a job of this run would have it. */
async function artifactClient(github: LocalGitHub, id: number) {
  const env = github.env({ id, attempt: 1, job: "agent" });
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  // It talks to the runner on standard output, and this process has no runner.
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const { DefaultArtifactClient } = await import("@actions/artifact");
  return new DefaultArtifactClient();
}

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
    expect(readFileSync(join(dir, "clone/src/sum.js"), "utf8")).toContain("a + b");
    expect(readFileSync(join(dir, "clone/README.md"), "utf8")).toBe("# Demo\n");
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
    writeFileSync(join(dir, "clone/a.txt"), randomBytes(3 * 1024 * 1024));
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

describe("the contract", () => {
  it("notices a field that is missing from an answer, and a status that GitHub does not give", () => {
    const contract = loadContract();
    const url = new URL("http://127.0.0.1/repos/octo/demo/git/ref/heads%2Fmain");
    const whole = { ref: "refs/heads/main", node_id: "x", url: url.href };
    const object = { type: "commit", sha: "1".repeat(40), url: url.href };
    const check = (status: number, responseBody: unknown) =>
      contract.response({ method: "GET", url, status, responseBody });
    expect(check(200, { ...whole, object })).toEqual([]);
    expect(check(200, whole)).toEqual([expect.stringContaining("'object'")]);
    expect(check(418, {})).toEqual(["undocumented status 418"]);
  });

  it("records a request that GitHub does not document", async () => {
    await using github = await start();
    const issue = github.createIssue({ title: "t", by: "maria" });
    const path = `/repos/octo/demo/issues/${issue.number}/comments`;
    await client(github).request(`POST ${path}`, { body: "hello", colour: "red" });
    await client(github).request(`GET ${path}?everything=1`);
    expect(github.problems().map(({ problems }) => problems)).toEqual([
      ["request/colour is not documented"],
      ["query everything is not documented"],
    ]);
  });

  it("does not blame a client that is killed in the middle of a request", async () => {
    await using github = await start();
    const { number } = github.createIssue({ title: "t", by: "maria" });
    const { hostname, port } = new URL(github.url);
    const socket = connect(Number(port), hostname);
    const head = `POST /repos/octo/demo/issues/${number}/comments HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{`;
    await new Promise<void>((sent) => socket.write(head, () => sent()));
    socket.resetAndDestroy();
    await client(github).issues.listComments({ ...at, issue_number: number });
    expect(github.comments(number)).toEqual([]);
    expect(github.problems()).toEqual([]);
  });

  it("fails the requests that a test wants to fail, before or after they are carried out", async () => {
    await using github = await start();
    const { number: issue_number } = github.createIssue({ title: "t", by: "maria" });
    const comment = () => client(github).issues.createComment({ ...at, issue_number, body: "hello" });
    github.fail({ method: "POST", path: /comments$/, status: 502 });
    expect(await refusal(comment())).toMatchObject({ status: 502 });
    expect(github.comments(issue_number)).toHaveLength(0);
    github.fail({ method: "POST", path: /comments$/, network: "reset", after: true });
    await expect(comment()).rejects.toThrow();
    expect(github.comments(issue_number)).toHaveLength(1);
    expect((await comment()).headers["x-ratelimit-remaining"]).toBeDefined();
    expect(github.exchanges.map(({ status, fault }) => [status, fault])).toEqual([
      [502, true],
      [0, true],
      [201, undefined],
    ]);
  });
});

describe("runs and artifacts", () => {
  it("takes an artifact from the real client, refuses its name twice, and gives it back", async () => {
    await using github = await start();
    const workflow = github.addRun({ event: "issue_comment", actor: "maria" });
    const artifacts = await artifactClient(github, workflow.id);
    const file = join(dir, "shipment.bin");
    writeFileSync(file, "sealed bytes");
    const sent = await artifacts.uploadArtifact("agent-session-1", [file], dir, { retentionDays: 1 });
    expect(github.artifacts.list()).toMatchObject([
      {
        name: "agent-session-1",
        run: workflow.id,
        id: sent.id,
        digest: `sha256:${sent.digest}`,
        expired: false,
      },
    ]);
    await expect(artifacts.uploadArtifact("agent-session-1", [file], dir)).rejects.toThrow(/already exists/);

    const octokit = client(github);
    const listed = await octokit.actions.listWorkflowRunArtifacts({ ...at, run_id: workflow.id });
    const [artifact] = listed.data.artifacts;
    expect(artifact).toMatchObject({
      workflow_run: { id: workflow.id, repository_id: github.repository.id },
    });
    const findBy = {
      token: github.jobToken,
      workflowRunId: workflow.id,
      repositoryOwner: at.owner,
      repositoryName: at.repo,
    };
    const read = async (path: string) => {
      const options = { path: join(dir, path), findBy, expectedHash: `sha256:${sent.digest}` };
      const { digestMismatch } = await artifacts.downloadArtifact(sent.id ?? 0, options);
      return { digestMismatch, text: readFileSync(join(dir, path, "shipment.bin"), "utf8") };
    };
    expect(await read("first")).toEqual({ digestMismatch: false, text: "sealed bytes" });

    // A byte behind the archive: the file still unpacks, but the digest does not fit.
    await github.artifacts.tamper("agent-session-1", (bytes) => Buffer.concat([bytes, Buffer.from("\n")]));
    expect((await read("second")).digestMismatch).toBe(true);
    github.artifacts.expire("agent-session-1");
    const gone = octokit.actions.downloadArtifact({
      ...at,
      artifact_id: sent.id ?? 0,
      archive_format: "zip",
    });
    expect(await refusal(gone)).toMatchObject({ status: 410 });
    github.artifacts.remove("agent-session-1");
    expect((await octokit.actions.listArtifactsForRepo(at)).data.total_count).toBe(0);
    expect(github.problems()).toEqual([]);
  });

  it("keeps a name taken when finalizing failed", async () => {
    await using github = await start();
    const workflow = github.addRun({ event: "issue_comment", actor: "maria" });
    const artifacts = await artifactClient(github, workflow.id);
    const file = join(dir, "shipment.bin");
    writeFileSync(file, "sealed bytes");
    github.fail({ path: /FinalizeArtifact$/, status: 400, body: { code: "invalid_argument", msg: "no" } });
    const upload = () => artifacts.uploadArtifact("burnt", [file], dir);
    await expect(upload()).rejects.toThrow();
    expect(github.artifacts.list()).toEqual([]);
    await expect(upload()).rejects.toThrow(/already exists/);
  });

  it("shows which attempt's job still runs", async () => {
    await using github = await start();
    const first = github.addRun({ event: "workflow_dispatch", actor: "maria" });
    github.completeRun(first.id, "cancelled");
    github.addRun({ id: first.id, attempt: 2, event: "workflow_dispatch", actor: "maria" });
    const octokit = client(github);
    const run_id = first.id;
    const jobs = async (attempt_number: number) =>
      (await octokit.actions.listJobsForWorkflowRunAttempt({ ...at, run_id, attempt_number })).data.jobs;
    expect(await jobs(1)).toMatchObject([{ name: "agent", status: "completed", conclusion: "cancelled" }]);
    expect(await jobs(2)).toMatchObject([{ status: "in_progress", conclusion: null, run_attempt: 2 }]);
    expect((await octokit.actions.getWorkflowRun({ ...at, run_id })).data).toMatchObject({
      run_attempt: 2,
      path: ".github/workflows/agent.yml",
      status: "in_progress",
    });
    expect(
      (await octokit.actions.listJobsForWorkflowRun({ ...at, run_id, filter: "all" })).data.total_count,
    ).toBe(2);
    expect(github.problems()).toEqual([]);
  });

  it("gives a job only the permissions that its workflow asks for", async () => {
    await using github = await start({ settings: { job: { contents: "read", actions: "none" } } });
    const octokit = client(github);
    const sha = github.git("rev-parse", "main");
    expect(await refusal(octokit.git.createRef({ ...at, ref: "refs/agent/s/1", sha }))).toMatchObject({
      status: 403,
    });
    expect(await refusal(octokit.actions.listArtifactsForRepo(at))).toMatchObject({ status: 403 });
    const content = await octokit.repos.getContent({ ...at, path: "src/sum.js" });
    expect(content.data).toMatchObject({ type: "file", encoding: "base64" });
    await octokit.repos.getContent({ ...at, path: "" });
    await octokit.repos.getBranch({ ...at, branch: "main" });
    await octokit.repos.listCommits({ ...at, sha: "main", path: "src/sum.js" });
    expect(github.problems()).toEqual([]);
  });
});
