import { afterEach, describe, expect, it, vi } from "vitest";
import { githubClient } from "../../../src/adapters/github/client.ts";
import { parseSha, type Sha } from "../../../src/base/hash.ts";
import { handClock } from "../../kit/given.ts";
import { type GitHubWorld, githubWorld } from "./world.ts";

afterEach(() => vi.unstubAllGlobals());

const branch = "agent/1-s";

/** A branch at main's commit, and a commit on top of it. */
async function branchIn({ github }: GitHubWorld): Promise<{ readonly from: Sha; readonly to: Sha }> {
  const from = shaOf(github.git("rev-parse", "main"));
  github.git("update-ref", `refs/heads/${branch}`, from);
  const tree = github.git("rev-parse", "main^{tree}");
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
  return { from, to: shaOf(github.git(...who, "commit-tree", "-p", from, "-m", "On top", tree)) };
}

function shaOf(text: string): Sha {
  const sha = parseSha(text.trim());
  if (sha === null) throw new Error(`${text} is no commit id`);
  return sha;
}

const at = ({ github }: GitHubWorld) => github.git("rev-parse", branch).trim();

const asked = ({ github }: GitHubWorld) =>
  github.exchanges.filter(({ method, path }) => `${method} ${path}` === "POST /graphql");

describe("moving a branch by a compare-and-swap", () => {
  it.each([
    ["breaks the connection", { network: "reset" as const }],
    ["answers 502", { status: 502 }],
    ["says that something went wrong", wrong("Something went wrong while executing your query.")],
  ])("is asked once, and cannot tell, when GitHub %s (F39)", async (_, fault) => {
    await using world = await githubWorld();
    const { from, to } = await branchIn(world);
    world.github.fail({ path: /^\/graphql$/, after: true, ...fault });
    const moved = await world.host.branch.advance(branch, { from, to });
    expect(moved).toMatchObject({ kind: "refused", code: "unavailable" });
    expect(asked(world)).toHaveLength(1);
    expect(at(world)).toBe(to);
  });

  it("counts as made when the branch is there although GitHub refused", async () => {
    await using world = await githubWorld();
    const { from, to } = await branchIn(world);
    world.github.git("update-ref", `refs/heads/${branch}`, to);
    expect(await world.host.branch.advance(branch, { from, to })).toEqual({ kind: "made" });
  });

  it("cannot tell, and throws nothing, when the look after a refusal gets no answer", async () => {
    await using world = await githubWorld();
    const { from, to } = await branchIn(world);
    world.github.fail({ path: /^\/graphql$/, ...wrong("Expected something else", "UNPROCESSABLE") });
    world.github.fail({ path: /\/git\/ref\//, status: 500, times: 9 });
    const moved = await world.host.branch.advance(branch, { from, to });
    expect(moved).toMatchObject({ kind: "refused", code: "unavailable" });
  });

  it("names the missing permission, and keeps the work when an hour's limit is used up", async () => {
    await using world = await githubWorld({ settings: { job: { contents: "read" } } });
    const { from, to } = await branchIn(world);
    const move = () => world.host.branch.advance(branch, { from, to });
    expect(await move()).toMatchObject({
      kind: "refused",
      code: "forbidden",
      why: expect.stringContaining("contents: write"),
    });
    const reset = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "2114380800" };
    world.github.fail({
      path: /^\/graphql$/,
      ...wrong("API rate limit exceeded", "RATE_LIMITED"),
      headers: reset,
    });
    expect(await move()).toMatchObject({ kind: "refused", code: "unavailable" });
    expect(at(world)).toBe(from);
  });

  it("is never a move backwards or sideways", async () => {
    await using world = await githubWorld();
    const { from, to } = await branchIn(world);
    world.github.git("update-ref", `refs/heads/${branch}`, to);
    const back = await world.host.branch.advance(branch, { from: to, to: from });
    expect(back).toMatchObject({ kind: "refused", code: "rejected" });
    expect(at(world)).toBe(to);
  });

  it.each([
    ["https://api.github.com", "https://api.github.com/graphql"],
    ["https://api.example.ghe.com/", "https://api.example.ghe.com/graphql"],
    ["https://github.example.com/api/v3", "https://github.example.com/api/graphql"],
  ])("goes to GraphQL's own address beside %s", async (baseUrl, expected) => {
    const urls: string[] = [];
    vi.stubGlobal("fetch", async (url: string) => {
      urls.push(url);
      return Response.json({ data: {} });
    });
    const { signal } = new AbortController();
    const client = githubClient({ baseUrl, token: "t", version: "0", clock: handClock(), signal });
    expect(await client.graphql("query { viewer { login } }", {}, { signal })).toMatchObject({ kind: "ok" });
    expect(urls).toEqual([expected]);
  });
});

function wrong(message: string, type?: string) {
  const error = { ...(type !== undefined && { type, path: ["updateRefs"] }), message };
  return { status: 200, body: { data: { updateRefs: null }, errors: [error] } };
}
