import { describe, expect, it } from "vitest";
import { githubClient } from "../../../src/adapters/github/client.ts";
import { handClock } from "../../kit/given.ts";
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
  ])("reads again when GitHub %s", async (_, fault) => {
    await using world = await githubWorld();
    world.github.fail({ path: /^\/repos\/octo\/demo$/, times: 2, ...fault });
    expect(await readRepository(world)).toMatchObject({ kind: "ok", data: { name: "demo" } });
    expect(tries(world, "GET")).toBe(3);
  });

  it("gives up reading after four tries", async () => {
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

  it("waits as long as a limit asks for, and then writes", async () => {
    await using world = await githubWorld();
    const issue = world.github.createIssue({ title: "A bug", by: "read" }).number;
    world.github.fail({
      path: /comments/,
      status: 403,
      body: { message: "You have exceeded a secondary rate limit.", documentation_url: "https://docs" },
      headers: { "retry-after": "1" },
    });
    expect(await writeComment(world, issue)).toMatchObject({ kind: "ok" });
    expect(tries(world, "POST")).toBe(2);
  });

  it("does not wait for an hour's limit, and says when requests are possible again", async () => {
    await using world = await githubWorld();
    world.github.fail({
      path: /./,
      status: 403,
      body: { message: "API rate limit exceeded for installation.", documentation_url: "https://docs" },
      headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "2114380800" },
    });
    const answer = await readRepository(world);
    expect(answer).toMatchObject({ kind: "no", status: 403 });
    expect(answer.kind === "no" && answer.why).toContain("2037-01-01T00:00:00.000Z");
    expect(world.place.client.left()).toBe(0);
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

  it("spaces writes out only after a burst", async () => {
    const clock = handClock();
    await using world = await githubWorld({ clock });
    const issue = world.github.createIssue({ title: "A bug", by: "read" }).number;
    for (let number = 0; number < 6; number++) await writeComment(world, issue);
    expect(clock.elapsed()).toBe(0);
    await writeComment(world, issue);
    expect(clock.elapsed()).toBe(3000);
  });
});
