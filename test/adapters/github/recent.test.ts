import { describe, expect, it } from "vitest";
import { githubWorld } from "./world.ts";

const { signal } = new AbortController();

describe("recent comments at GitHub", () => {
  it("cost nothing of the limit while nothing has changed", async () => {
    await using world = await githubWorld();
    const { github, host } = world;
    const { number } = github.createIssue({ title: "A bug", by: "read" });
    const { id } = github.comment({ issue: number, body: "one", by: "write" });
    const look = () => host.comment.recent(number, { since: 0, signal });
    const first = await look();
    expect(await look()).toEqual(first);
    github.editComment(id, "another");
    expect(await look()).toMatchObject([{ body: "another", edited: true }]);
    await host.comment.recent(number, { since: 1000, signal });
    expect(github.exchanges.map(({ status }) => status)).toEqual([200, 304, 200, 200]);
    expect(github.problems()).toEqual([]);
  });

  it("say when they were written, and whether since then they were changed", async () => {
    await using world = await githubWorld();
    const { github, host } = world;
    const { number } = github.createIssue({ title: "A bug", by: "read" });
    const { id, created_at } = github.comment({ issue: number, body: "one", by: "write" });
    const written = { id, createdAt: Date.parse(created_at), edited: false };
    expect(await host.comment.recent(number, { since: written.createdAt, signal })).toMatchObject([written]);
    expect(await host.comment.recent(number, { since: written.createdAt + 1000, signal })).toEqual([]);
    github.editComment(id, "another");
    expect(await host.comment.recent(number, { since: written.createdAt + 1000, signal })).toMatchObject([
      { ...written, edited: true },
    ]);
  });

  it("are given up when whoever asked does not want them any more", async () => {
    await using world = await githubWorld();
    const { github, host } = world;
    const { number } = github.createIssue({ title: "A bug", by: "read" });
    github.fail({ path: /comments/, network: "stall" });
    const asking = new AbortController();
    const asked = host.comment.recent(number, { since: 0, signal: asking.signal });
    asking.abort();
    await expect(asked).rejects.toThrow("cancelled");
  });
});
