import { describe, expect, it } from "vitest";
import { say, use } from "../kit/model/script.ts";
import { sessionOf } from "../kit/stored.ts";
import { type Asked, givenWorld, type Job, type JobEvent, type World } from "../kit/world.ts";
import { commentsOfOurs, fixesSum } from "./given.ts";

/** A session that a first run left after one turn. */
async function suspended(world: World): Promise<Asked> {
  world.model.script.push(use("read", { path: "sum.mjs" }));
  const asked = world.asked();
  const result = await world.finish(asked, { inputs: { "max-turns": "1" } });
  expect(result.outputs, result.log).toMatchObject({ outcome: "suspended", reason: "turns" });
  return asked;
}

/** Starts both at once. Who gets to ask the model waits with its first reply until the other one has ended. */
async function race(world: World, [a, b]: readonly [JobEvent, JobEvent]) {
  const ended = Promise.withResolvers<unknown>();
  const [first = say(""), ...rest] = fixesSum;
  world.model.script.push({ ...first, hold: { until: ended.promise } }, ...rest);
  const jobs = await Promise.all([world.job(a), world.job(b)]);
  await Promise.race(jobs.map(({ done }) => done));
  ended.resolve(null);
  const results = await Promise.all(
    jobs.map(async (job: Job) => {
      const result = await job.done;
      world.github.completeRun(job.runId, result.conclusion);
      return { job, result };
    }),
  );
  const winner = results.find(({ result }) => result.outputs["outcome"] === "pull-request");
  const loser = results.find((one) => one !== winner);
  if (winner === undefined || loser === undefined)
    throw new Error(
      `nobody opened a pull request: ${results.map(({ result }) => result.log).join("\n---\n")}`,
    );
  return { winner, loser };
}

async function expectOne(world: World, { winner, loser }: Awaited<ReturnType<typeof race>>, asked: Asked) {
  // Which of the two depends on whether the winner had claimed it when the loser looked.
  const reason = expect.stringMatching(/^(busy|lost-race)$/);
  expect(loser.result.outputs, loser.result.log).toMatchObject({ outcome: "refused", reason });
  expect(loser.result.log).toContain(`Run ${winner.job.runId} (attempt 1)`);
  expect(loser.result.code).toBe(1);
  world.model.assertDone();
  const session = sessionOf(world, asked);
  expect(await world.github.pulls()).toHaveLength(1);
  expect(world.github.branches().filter((name) => name !== "main")).toEqual([`agent/1-${session}`]);
  expect(world.github.refs("refs/agent/")).toEqual([]);
  const status = commentsOfOurs(world, asked.issue).filter(({ body }) =>
    body?.includes(`${session}:comment:`),
  );
  expect(status).toHaveLength(1);
  expect(world.github.problems()).toEqual([]);
}

describe("two runs for one session", () => {
  it("lets exactly one of two dispatches work, and tells the other which run has it", async () => {
    await using world = await givenWorld();
    const asked = await suspended(world);
    const dispatch = world.dispatch({ session: sessionOf(world, asked), "max-turns": "9" });
    await expectOne(world, await race(world, [dispatch, dispatch]), asked);
  });

  it("refuses a dispatch while a run works, and names that run", async () => {
    await using world = await givenWorld();
    const asked = world.asked();
    const reached = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const [first = say(""), ...rest] = fixesSum;
    const hold = { until: go.promise, onReached: () => reached.resolve() };
    world.model.script.push({ ...first, hold }, ...rest);
    const job = await world.job(asked);
    await reached.promise;
    const refused = await world.finish(world.dispatch({ session: sessionOf(world, asked) }));
    go.resolve();
    const result = await job.done;
    expect(refused.outputs, refused.log).toMatchObject({ outcome: "refused", reason: "busy" });
    expect(refused.log).toContain(`Run ${job.runId} (attempt 1) works on this session`);
    expect(result.outputs, result.log).toMatchObject({ outcome: "pull-request" });
    world.model.assertDone();
  });

  it("makes one session and one pull request of a comment that is delivered twice at once", async () => {
    await using world = await givenWorld();
    const asked = world.asked();
    await expectOne(world, await race(world, [asked, asked]), asked);
  });

  it("does nothing for a comment that is delivered again after its session has ended", async () => {
    await using world = await givenWorld({ script: fixesSum });
    const asked = world.asked();
    await world.finish(asked);
    const again = await world.finish(asked);
    expect(again.outputs, again.log).toMatchObject({ outcome: "ignored", reason: "done-before" });
    expect(await world.github.pulls()).toHaveLength(1);
    world.model.assertDone();
  });
});
