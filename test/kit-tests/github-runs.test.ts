// The local GitHub keeps the rules that the product relies on.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { LocalGitHub } from "../kit/github/local-github.ts";
import { at, client, givenRoom, refusal } from "./given-github.ts";

const { dir, start } = givenRoom();
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** The official client, as a job of this run would have it. */
async function artifactClient(github: LocalGitHub, id: number) {
  const env = github.env({ id, attempt: 1, job: "agent" });
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  // It talks to the runner on standard output, and this process has no runner.
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const { DefaultArtifactClient } = await import("@actions/artifact");
  return new DefaultArtifactClient();
}

describe("runs and artifacts", () => {
  it("takes an artifact from the real client, refuses its name twice, and gives it back", async () => {
    await using github = await start();
    const workflow = github.addRun({ event: "issue_comment", actor: "maria" });
    const artifacts = await artifactClient(github, workflow.id);
    const file = join(dir(), "shipment.bin");
    writeFileSync(file, "sealed bytes");
    const sent = await artifacts.uploadArtifact("agent-session-1", [file], dir(), { retentionDays: 1 });
    expect(github.artifacts.list()).toMatchObject([
      {
        name: "agent-session-1",
        run: workflow.id,
        id: sent.id,
        digest: `sha256:${sent.digest}`,
        expired: false,
      },
    ]);
    await expect(artifacts.uploadArtifact("agent-session-1", [file], dir())).rejects.toThrow(
      /already exists/,
    );

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
      const options = { path: join(dir(), path), findBy, expectedHash: `sha256:${sent.digest}` };
      const { digestMismatch } = await artifacts.downloadArtifact(sent.id ?? 0, options);
      return { digestMismatch, text: readFileSync(join(dir(), path, "shipment.bin"), "utf8") };
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
    const file = join(dir(), "shipment.bin");
    writeFileSync(file, "sealed bytes");
    github.fail({ path: /FinalizeArtifact$/, status: 400, body: { code: "invalid_argument", msg: "no" } });
    const upload = () => artifacts.uploadArtifact("burnt", [file], dir());
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
