import { describe, expect, it, vi } from "vitest";
import { githubClient } from "../../../src/adapters/github/client.ts";
import { handClock } from "../../kit/given.ts";
import { heldClock } from "../../kit/held-clock.ts";
import { type GitHubWorld, githubWorld } from "./world.ts";

const { signal } = new AbortController();

const readRepository = ({ place: { client, owner, repo } }: GitHubWorld) =>
  client.ask((request) => client.rest.repos.get({ owner, repo, request }), { signal });

const writeComment = ({ place: { client, owner, repo } }: GitHubWorld, issue: number) =>
  client.ask(
    (request) =>
      client.rest.issues.createComment({ owner, repo, issue_number: issue, body: "hello", request }),
    { signal },
  );

const tries = ({ github }: GitHubWorld, method: string) =>
  github.exchanges.filter((exchange) => exchange.method === method).length;

describe("the client of GitHub", () => {
  it.each([
    ["answers 500", { status: 500 }],
    ["answers 503", { status: 503 }],
    ["breaks the connection", { network: "reset" as const }],
    ["answers with a page instead of JSON", { status: 200, body: "<html>unicorn</html>" }],
    ["answers with half of the JSON", { change: (body: Buffer) => body.subarray(0, body.length / 2) }],
    ["breaks off in the middle of its answer", { network: "cut" as const }],
  ])("reads again when GitHub %s (F28, F39)", async (_, fault) => {
    await using world = await githubWorld();
    world.github.fail({ path: /^\/repos\/octo\/demo$/, times: 2, ...fault });
    expect(await readRepository(world)).toMatchObject({ kind: "ok", data: { name: "demo" } });
    expect(tries(world, "GET")).toBe(3);
  });

  it("gives up reading after four tries (F28)", async () => {
    await using world = await githubWorld();
    world.github.fail({ path: /./, times: 9, status: 502 });
    expect(await readRepository(world)).toMatchObject({ kind: "no", status: 502 });
    expect(tries(world, "GET")).toBe(4);
  });

  it.each([
    ["answers 502", { status: 502 }, 502],
    ["breaks the connection", { network: "reset" as const }, null],
  ])("never writes again when GitHub %s, because it may have happened", async (_, fault, status) => {
    await using world = await githubWorld();
    const issue = world.github.createIssue({ title: "A bug", by: "read" }).number;
    world.github.fail({ path: /comments/, times: 9, after: true, ...fault });
    expect(await writeComment(world, issue)).toMatchObject({ kind: "no", status });
    expect(tries(world, "POST")).toBe(1);
    expect(world.github.comments(issue)).toHaveLength(1);
  });

  const secondary = {
    message: "You have exceeded a secondary rate limit.",
    documentation_url: "https://docs",
  };
  const tooMany = { message: "Too many requests." };

  it.each([
    ["403 and a time", 1, { status: 403, body: secondary, headers: { "retry-after": "7" } }, 7],
    ["429 and a time", 1, { status: 429, body: tooMany, headers: { "retry-after": "7" } }, 7],
    ["403 and no time", 1, { status: 403, body: secondary }, 60],
    ["403 and no time again", 2, { status: 403, body: secondary }, 60 + 120],
    ["429 and no time", 1, { status: 429, body: tooMany }, 60],
  ])(
    "waits as long as a limit says, else a minute and then longer, for %s (F26)",
    async (_, times, fault, s) => {
      const clock = handClock();
      await using world = await githubWorld({ clock });
      const issue = world.github.createIssue({ title: "A bug", by: "read" }).number;
      world.github.fail({ path: /comments/, times, ...fault });
      expect(await writeComment(world, issue)).toMatchObject({ kind: "ok" });
      expect([tries(world, "POST"), clock.elapsed()]).toEqual([times + 1, s * 1000]);
      expect(world.github.comments(issue)).toHaveLength(1);
    },
  );

  it("gives up where limits ask for more than five minutes, and says what GitHub said (F26)", async () => {
    const clock = handClock();
    await using world = await githubWorld({ clock });
    const issue = world.github.createIssue({ title: "A bug", by: "read" }).number;
    world.github.fail({ path: /comments/, times: 9, status: 403, body: secondary });
    expect(await writeComment(world, issue)).toEqual({ kind: "no", status: 403, why: secondary.message });
    expect([tries(world, "POST"), clock.elapsed()]).toEqual([3, 180_000]);
  });

  it("sends nothing else while a limit has it wait, and no two writes at once after it (F26)", async () => {
    const clock = heldClock();
    await using world = await githubWorld({ clock });
    const issue = world.github.createIssue({ title: "A bug", by: "read" }).number;
    world.github.fail({ path: /comments/, status: 403, body: secondary, headers: { "retry-after": "7" } });
    const [write, other] = [writeComment(world, issue), writeComment(world, issue)];
    await vi.waitFor(() => expect(clock.sleepers()).toBe(2));
    const read = readRepository(world);
    await vi.waitFor(() => expect(clock.sleepers()).toBe(3));
    expect(world.github.exchanges).toHaveLength(1);
    await clock.advance(7000);
    expect(await read).toMatchObject({ kind: "ok" });
    await vi.waitFor(() => expect(clock.sleepers()).toBe(1));
    expect(tries(world, "POST")).toBe(2);
    await clock.advance(1000);
    expect(await Promise.all([write, other])).toMatchObject([{ kind: "ok" }, { kind: "ok" }]);
  });

  it("waits until the hour's limit begins anew where that is soon (F27)", async () => {
    const clock = handClock();
    await using world = await githubWorld({ clock });
    const reset = String(clock.now() / 1000 + 90);
    const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset };
    world.github.fail({ path: /./, status: 403, body: { message: "API rate limit exceeded" }, headers });
    expect(await readRepository(world)).toMatchObject({ kind: "ok" });
    expect(clock.elapsed()).toBe(91_000);
  });

  it("does not wait for an hour's limit, and says when requests are possible again (F27)", async () => {
    const clock = handClock();
    await using world = await githubWorld({ clock });
    world.github.fail({
      path: /./,
      status: 403,
      body: { message: "API rate limit exceeded for installation.", documentation_url: "https://docs" },
      headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "2114380800" },
    });
    const answer = await readRepository(world);
    expect(answer).toMatchObject({ kind: "no", status: 403 });
    expect(answer.kind === "no" && answer.why).toContain("2037-01-01T00:00:00.000Z");
    expect([clock.elapsed(), world.place.client.left()]).toEqual([0, 0]);
  });

  it("knows what share of the hour's requests is left", async () => {
    await using world = await githubWorld();
    const { client } = world.place;
    expect(client.left()).toBe(1);
    await readRepository(world);
    const [before, headers] = [
      client.left(),
      { "x-ratelimit-limit": "1000", "x-ratelimit-remaining": "250" },
    ];
    expect(before).toBeGreaterThan(0.9);
    expect(before).toBeLessThan(1);
    world.github.fail({ path: /./, status: 404, body: {}, headers });
    await readRepository(world);
    expect(client.left()).toBe(0.25);
    const other = { ...headers, "x-ratelimit-remaining": "1", "x-ratelimit-resource": "graphql" };
    world.github.fail({ path: /./, status: 404, body: {}, headers: other });
    await readRepository(world);
    expect(client.left()).toBe(0.25);
  });

  it("lets no token and no header into what it says about an error (R15)", async () => {
    await using world = await githubWorld();
    const token = world.github.jobToken;
    world.github.fail({
      path: /./,
      status: 422,
      body: { message: `bad credentials ${token}`, errors: [{ message: `${token}!` }] },
      headers: { "x-echo": token },
    });
    const answer = await readRepository(world);
    expect(answer).toEqual({ kind: "no", status: 422, why: "bad credentials ***; ***!" });
  });

  it("ends a request when its signal or the client's is aborted", async () => {
    await using world = await githubWorld();
    const { client, owner, repo } = world.place;
    const own = new AbortController();
    const asked = client.ask(
      (request) => {
        own.abort();
        return client.rest.repos.get({ owner, repo, request });
      },
      { signal: own.signal },
    );
    expect(await asked).toEqual({ kind: "no", status: null, why: "cancelled" });
    const ended = githubClient({
      baseUrl: world.github.url,
      token: "t",
      version: "0",
      clock: handClock(),
      signal: AbortSignal.abort(),
    });
    const never = await ended.ask((request) => ended.rest.repos.get({ owner, repo, request }), { signal });
    expect(never).toEqual({ kind: "no", status: null, why: "cancelled" });
  });

  it("writes one at a time, and spaces them out after a burst (F26)", async () => {
    const clock = handClock();
    await using world = await githubWorld({ clock });
    const issue = world.github.createIssue({ title: "A bug", by: "read" }).number;
    for (let number = 0; number < 6; number++) await writeComment(world, issue);
    expect(clock.elapsed()).toBe(0);
    await writeComment(world, issue);
    expect(clock.elapsed()).toBe(3000);
  });
});
