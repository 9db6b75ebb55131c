import { describe, expect, it } from "vitest";
import type { Means } from "../../src/app/means.ts";
import { endOf, live } from "../kit/story/play.ts";
import { givenStage } from "../kit/story/stage.ts";

const why = "Resource not accessible by integration (needs `pull-requests: write`)";

const forbids = ({ host }: Means): Partial<Means> => ({
  host: { ...host, pullRequest: { ...host.pullRequest, forbidden: async () => why } },
});

describe("a job that may open no pull request", () => {
  it("is told the missing line before the model is asked anything, and goes on with it (F33)", async () => {
    const stage = givenStage();
    const first = await live(stage, { over: forbids });
    expect(endOf(first)).toBe("suspended/permission");
    expect(first.end).toMatchObject({ resumable: true, detail: expect.stringContaining(why) });
    expect([first.requests, stage.github.branches.size]).toEqual([[], 1]);
    expect(stage.github.comments.map(({ body }) => body)).toEqual([
      expect.stringContaining("pull-requests: write"),
    ]);
    expect(endOf(await live(stage, { asks: "resume" }))).toBe("pull-request/opened");
  });

  it("works where it is to open none (F33)", async () => {
    const stage = givenStage();
    const run = await live(stage, { over: forbids, orders: { publish: "branch" } });
    expect(endOf(run)).toBe("pull-request/pushed");
  });
});
