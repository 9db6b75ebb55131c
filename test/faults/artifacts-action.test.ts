import { describe, expect, it } from "vitest";
import { say, use } from "../kit/model/script.ts";
import { sessionOf, shipmentsOf, storedSession } from "../kit/stored.ts";
import { givenWorld, type World } from "../kit/world.ts";
import { commentsOfOurs, expectEnding, fixesSum, plain } from "../scenarios/given.ts";

const create = { method: "POST", path: /CreateArtifact/ };
const finalize = { method: "POST", path: /FinalizeArtifact/ };
const quota = {
  status: 403,
  body: { msg: "Create Artifact Container failed: insufficient usage" },
  times: 100,
};

function commentOn(world: World, issue: number): string {
  return plain(commentsOfOurs(world, issue).at(-1)?.body ?? "");
}

describe("a run whose session cannot be stored", () => {
  it("says so, and what the input says then, and publishes work that passed (F42)", async () => {
    await using world = await givenWorld({ script: fixesSum });
    world.github.fail({ ...create, ...quota });
    const asked = world.asked();
    const result = await world.finish(asked);
    await expectEnding(world, result, {
      outcome: "pull-request",
      reason: "opened",
      exit: 0,
      thread: asked.issue,
      requests: 2,
      branches: [/^agent\//],
      pulls: 1,
    });
    expect(result.annotations).toEqual([
      expect.objectContaining({
        level: "warning",
        message: expect.stringMatching(
          /cannot be resumed elsewhere: .*quota.*The work goes on; the input on-unsaved can stop it/s,
        ),
      }),
    ]);
    for (const text of [commentOn(world, asked.issue), plain(result.summary)])
      expect(text).toContain("**This session cannot be resumed on another machine:** it could not be stored");
  });

  it("asks the model nothing more where on-unsaved is stop, and claims nothing is kept (F42)", async () => {
    await using world = await givenWorld({ inputs: { "on-unsaved": "stop", "ship-seconds": "0" } });
    // It waits for the answer that never comes: the run stops in the middle of the request.
    world.model.script.push(say("", { hold: { until: new Promise(() => undefined) } }));
    world.github.fail({ ...create, ...quota });
    const asked = world.asked();
    const result = await world.finish(asked);
    await expectEnding(world, result, {
      outcome: "suspended",
      reason: "unsaved",
      exit: 0,
      resumable: false,
      says: "the input on-unsaved of the workflow says to stop then",
      thread: asked.issue,
      requests: 1,
    });
    const comment = commentOn(world, asked.issue);
    expect(comment).toContain("cannot be resumed on another machine");
    expect(comment).not.toContain("To go on");
    expect(comment).not.toContain("is kept");
  });

  it("goes on elsewhere from what was stored before the room was used up, and says what is lost (F42)", async () => {
    await using world = await givenWorld({
      script: [use("read", { path: "sum.mjs" }), use("read", { path: "sum.test.mjs" })],
    });
    world.github.fail({ ...create, ...quota, skip: 1 });
    const asked = world.asked();
    const first = await world.finish(asked, { inputs: { "max-turns": "2" } });
    expect(first.outputs, first.log).toMatchObject({ outcome: "suspended", resumable: "true" });
    const session = sessionOf(world, asked);
    expect(shipmentsOf(world, session)).toHaveLength(1);
    const comment = commentOn(world, asked.issue);
    expect(comment).toContain("What was done last is lost with this machine");
    expect(comment).toContain(`To go on, comment /agent resume ${session} here`);
    world.model.script.push(...fixesSum);
    const resumed = await world.finish(world.dispatch({ session }));
    expect(resumed.outputs, resumed.log).toMatchObject({ outcome: "pull-request", resumable: "false" });
    world.model.assertDone();
  });
});

describe("a shipment that was stored while nobody was told", () => {
  it("is found once, and the session goes on from one chain (F44)", async () => {
    await using world = await givenWorld({
      inputs: { "ship-seconds": "0" },
      script: [use("read", { path: "sum.mjs" }), use("read", { path: "sum.test.mjs" })],
    });
    world.github.fail({ ...finalize, network: "reset", after: true, skip: 1 });
    const asked = world.asked();
    const job = await world.job(asked, { inputs: { "max-turns": "2" }, post: false });
    const first = await job.done;
    world.github.completeRun(job.runId, first.conclusion);
    expect(first.outputs, first.log).toMatchObject({
      outcome: "suspended",
      reason: "turns",
      resumable: "true",
    });
    const session = sessionOf(world, asked);
    const names = shipmentsOf(world, session).map(({ name }) => name);
    expect(names.filter((name) => /-1-2-/.test(name))).toHaveLength(2);
    world.model.script.push(...fixesSum);
    const resumed = await world.finish(world.dispatch({ session }), { inputs: { "max-turns": "9" } });
    expect(resumed.outputs, resumed.log).toMatchObject({ outcome: "pull-request" });
    const stored = await storedSession(world, session);
    const settled =
      stored?.events.flatMap((event) => (event.type === "call.settled" ? [event.id] : [])) ?? [];
    expect(new Set(settled).size).toBe(settled.length);
    expect(stored?.found.reported).toEqual([]);
    world.model.assertDone();
  });
});
