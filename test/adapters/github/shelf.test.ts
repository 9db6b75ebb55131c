import { afterEach, describe, expect, it, vi } from "vitest";
import { foreignBecause, type Home, type RunOrigin } from "../../../src/adapters/github/provenance.ts";
import { githubShelf } from "../../../src/adapters/github/shelf.ts";
import type { ShelfItem } from "../../../src/session/shelf.ts";
import { type GitHubWorld, githubWorld } from "./world.ts";

afterEach(() => vi.unstubAllEnvs());

const { signal } = new AbortController();
const session = "s0123456789ab";
const name = `agent-session-${session}-1-1-1.1`;
const bytes = Buffer.from("sealed");
const workflowPaths = [".github/workflows/agent.yml"];

function shelfOf(world: GitHubWorld, run: number, over: { readonly putMs?: number } = {}) {
  const { github, dir, place } = world;
  for (const [key, value] of Object.entries(github.env({ id: run, attempt: 1, job: "agent" })))
    vi.stubEnv(key, value);
  const home = { repositoryId: github.repository.id, defaultBranch: "main", workflowPaths };
  return githubShelf({ ...place, home, retentionDays: 1, tempDir: dir, ...over });
}

async function stored(world: GitHubWorld, request: Parameters<GitHubWorld["github"]["addRun"]>[0]) {
  const run = world.github.addRun(request);
  const shelf = shelfOf(world, run.id);
  await shelf.put(name, bytes, { signal });
  const [item] = await shelf.list(session, { runs: [String(run.id)], signal });
  if (!item) throw new Error("nothing was stored");
  return { shelf, item };
}

const ours = { event: "issue_comment", actor: "write" } as const;

describe("artifacts as the shelf", () => {
  it.each([
    ["a fork's run", { ...ours, fork: "read" }, /fork/],
    ["another branch", { ...ours, headBranch: "topic" }, /default branch/],
    ["another event", { ...ours, event: "pull_request" }, /pull_request/],
    ["another workflow", { ...ours, path: ".github/workflows/ci.yml" }, /ci\.yml/],
  ])("passes over an item of %s and says why (R14)", async (_, request, why) => {
    await using world = await githubWorld();
    const { item } = await stored(world, request);
    expect(item.foreign).toMatch(why);
  });

  it("cannot store where the quota is used up, nothing may be stored or there is no service (F42)", async () => {
    await using world = await githubWorld();
    const run = world.github.addRun(ours);
    const shelf = shelfOf(world, run.id);
    const create = { method: "POST", path: /CreateArtifact/ };
    world.github.fail({
      ...create,
      status: 403,
      body: { msg: "Create Artifact Container failed: insufficient usage" },
    });
    expect(await shelf.put(name, bytes, { signal })).toMatchObject({ kind: "unavailable" });
    world.github.fail({ ...create, status: 403, body: { msg: "artifact storage is disabled" } });
    expect(await shelf.put(name, bytes, { signal })).toMatchObject({ kind: "unavailable" });
    vi.stubEnv("ACTIONS_RUNTIME_TOKEN", "");
    expect(await shelf.put(name, bytes, { signal })).toMatchObject({
      kind: "unavailable",
      why: expect.stringContaining("ACTIONS_RUNTIME_TOKEN"),
    });
  });

  it("has failed, and may be tried under another name, when finalizing is refused", async () => {
    await using world = await githubWorld();
    const run = world.github.addRun(ours);
    const shelf = shelfOf(world, run.id);
    world.github.fail({ path: /FinalizeArtifact/, status: 400, body: { msg: "no" } });
    expect(await shelf.put(name, bytes, { signal })).toMatchObject({ kind: "failed" });
    expect(await shelf.put(name, bytes, { signal })).toEqual({ kind: "taken" });
    expect(await shelf.put(`${name}-2`, bytes, { signal })).toMatchObject({ kind: "stored" });
  });

  it("stops waiting for an upload after its time, and when it is cancelled", async () => {
    await using world = await githubWorld();
    const run = world.github.addRun(ours);
    world.github.fail({ path: /CreateArtifact/, status: 500, body: { msg: "no" }, times: 2 });
    const shelf = shelfOf(world, run.id, { putMs: 50 });
    expect(await shelf.put(name, bytes, { signal })).toMatchObject({
      kind: "failed",
      why: expect.stringContaining("did not end"),
    });
    const cancel = new AbortController();
    const put = shelfOf(world, run.id).put(`${name}-2`, bytes, { signal: cancel.signal });
    cancel.abort();
    expect(await put).toEqual({ kind: "failed", why: "cancelled" });
  });

  it("reads again when a download breaks or answers with other bytes", async () => {
    await using world = await githubWorld();
    const { shelf, item } = await stored(world, ours);
    const blob = { method: "GET", path: /devstoreaccount1/ };
    world.github.fail({ ...blob, network: "reset" });
    world.github.fail({ ...blob, status: 200, body: "other bytes" });
    const got = await shelf.get(item, { signal });
    expect(got.kind === "bytes" && String(Buffer.from(got.bytes))).toBe("sealed");
  });

  it("never gives bytes whose digest GitHub did not record", async () => {
    await using world = await githubWorld();
    const { shelf, item } = await stored(world, ours);
    world.github.fail({ method: "GET", path: /devstoreaccount1/, status: 200, body: "other", times: 3 });
    expect(await shelf.get(item, { signal })).toMatchObject({ kind: "missing" });
  });

  it("does not send the token to the storage", async () => {
    await using world = await githubWorld();
    const { shelf, item } = await stored(world, ours);
    await shelf.get(item, { signal });
    const blobs = world.github.exchanges.filter(({ via }) => via === "blob");
    expect(blobs.some(({ method }) => method === "GET")).toBe(true);
    expect(blobs.filter(({ authorized }) => authorized)).toEqual([]);
  });

  it("refuses what is larger than its limit before downloading it (F48)", async () => {
    await using world = await githubWorld();
    const { item } = await stored(world, ours);
    const home = { repositoryId: world.github.repository.id, defaultBranch: "main", workflowPaths };
    const small = githubShelf({ ...world.place, home, retentionDays: 1, tempDir: world.dir, bytesMax: 3 });
    expect(await small.get(item, { signal })).toMatchObject({
      kind: "missing",
      why: expect.stringContaining("larger"),
    });
    const odd: ShelfItem = { ...item, id: "../1" };
    expect(await small.get(odd, { signal })).toMatchObject({ kind: "missing" });
  });

  it("throws rather than show an empty shelf when it cannot be listed", async () => {
    await using world = await githubWorld({ settings: { job: { actions: "none" } } });
    const shelf = shelfOf(world, world.github.addRun(ours).id);
    await expect(shelf.list(session, { runs: ["5"], signal })).rejects.toThrow("actions: read");
  });
});

describe("provenance", () => {
  const home: Home = { repositoryId: 1, defaultBranch: "main", workflowPaths };
  const run: RunOrigin = {
    path: ".github/workflows/agent.yml@refs/heads/main",
    event: "schedule",
    head_branch: "main",
    repository: { id: 1 },
    head_repository: { id: 1 },
  };
  const artifact = { repository_id: 1, head_repository_id: 1, head_branch: "main" };

  it("accepts what our own workflow stored", () => {
    expect(foreignBecause(home, run, artifact)).toBeNull();
  });

  it.each([
    [null, artifact],
    [run, null],
    [{ ...run, repository: { id: 2 } }, artifact],
    [{ ...run, head_repository: { id: 2 } }, artifact],
    [{ ...run, head_repository: null }, artifact],
    [{ ...run, head_branch: "mains" }, artifact],
    [{ ...run, head_branch: null }, artifact],
    [{ ...run, event: "pull_request_target" }, artifact],
    [{ ...run, path: ".github/workflows/agent.yml.yml" }, artifact],
    [{ ...run, path: "" }, artifact],
    [run, { ...artifact, repository_id: 2 }],
    [run, { ...artifact, head_repository_id: 2 }],
    [run, { ...artifact, head_branch: "x" }],
    [run, {}],
  ])("accepts nothing with one field wrong: %j %j", (wrongRun, wrongArtifact) => {
    expect(foreignBecause(home, wrongRun, wrongArtifact)).toBeTypeOf("string");
  });
});
