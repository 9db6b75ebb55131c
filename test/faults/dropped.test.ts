import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Asked, commentPayload, givenWorld, type World } from "../kit/world.ts";

let world: World;
beforeAll(async () => {
  world = await givenWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** A comment that starts a run, unless its run is dropped. */
function says(issue: number, body: string, by = "maintainer"): Asked {
  const { id } = world.github.comment({ issue, body, by });
  const payload = commentPayload(world.github, { issue, comment: id, by });
  return { payload, inputs: {}, actor: by, issue, comment: id };
}

const answersOn = (issue: number): readonly string[] =>
  world.github
    .comments(issue)
    .filter(({ user }) => user?.login === "github-actions[bot]")
    .map(({ body }) => body ?? "")
    .filter((body) => body.includes("No run has taken up"));

describe("a command whose run was dropped while it waited", () => {
  it("is answered by the next run on its thread, once, and only if who gave it may command (F66)", async () => {
    const { issue, comment } = world.asked({ comment: "/agent fix" });
    says(issue, "/agent fix", "stranger");
    says(issue, "I would say /agent fix");
    // These are answered beside whatever works or waits, so that they say nothing of it.
    await world.finish(says(issue, "/agent status"));
    expect(answersOn(issue)).toEqual([]);
    await world.finish(says(issue, "/agent resume"));
    expect(answersOn(issue)).toHaveLength(1);
    expect(answersOn(issue)[0]).toContain(`#issuecomment-${comment}`);
    await world.finish(says(issue, "/agent resume"));
    expect(answersOn(issue)).toHaveLength(1);
  });

  it("is not said of one that a run has seen, nor of one that came later (F66)", async () => {
    const first = world.asked({ comment: "/agent help" });
    await world.finish(first);
    const second = says(first.issue, "/agent resume");
    says(first.issue, "/agent fix");
    await world.finish(second);
    expect(answersOn(first.issue)).toEqual([]);
  });
});
