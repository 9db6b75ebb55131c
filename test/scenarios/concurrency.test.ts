import { describe, expect, it } from "vitest";
import { say, use } from "../kit/model/script.ts";
import { sessionOf } from "../kit/stored.ts";
import { type Asked, givenWorld, type Job, type JobEvent, type World } from "../kit/world.ts";
import { askedOnPullRequest, commentsOfOurs, expectEnding, fixesSum } from "./given.ts";

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

describe("two runs for one session (F65)", () => {
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
    expect(refused.log).toContain(`take-over: ${job.runId}`);
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

  it("lets a person take it from one that works, which then publishes nothing", async () => {
    await using world = await givenWorld();
    const asked = world.asked();
    const reached = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const hold = { until: go.promise, onReached: () => reached.resolve() };
    const edit = (to: string) => use("edit", { path: "sum.mjs", old: "a - b", new: to });
    world.model.script.push(edit("a + b"), { ...say("Add in sum"), hold }, edit("b + a"), say("Add in sum"));
    const works = await world.job(asked, { inputs: { "ship-seconds": "3600" } });
    await reached.promise;
    const session = sessionOf(world, asked);
    const takeOver = { inputs: { "take-over": String(works.runId) } };
    const taken = await world.finish(world.dispatch({ session }), takeOver);
    go.resolve();
    const overtaken = await works.done;
    expect(taken.outputs, taken.log).toMatchObject({ outcome: "pull-request", reason: "opened" });
    expect(overtaken.outputs, overtaken.log).toMatchObject({ outcome: "suspended", reason: "fenced" });
    expect(world.github.git("show", `agent/1-${session}:sum.mjs`)).toContain("b + a");
    expect(await world.github.pulls()).toHaveLength(1);
    expect(world.github.refs("refs/agent/")).toEqual([]);
    const [status, ...more] = commentsOfOurs(world, asked.issue);
    expect([more, status?.body?.includes("/pull/")]).toEqual([[], true]);
    world.model.assertDone();
  });
});

describe("a repository whose rules allow no lease", () => {
  it("still gets one branch and one pull request, and is told that no more is promised", async () => {
    await using world = await givenWorld({ script: fixesSum });
    const body = { message: "Repository rule violations found" };
    world.github.fail({ method: "POST", path: /\/git\/refs$/, status: 422, body });
    const asked = world.asked();
    const one = {
      outcome: "pull-request",
      reason: "opened",
      exit: 0,
      thread: 1,
      requests: 2,
      pulls: 1,
    } as const;
    await expectEnding(world, await world.finish(asked), { ...one, branches: [/^agent\/1-/] });
    const [status] = commentsOfOurs(world, asked.issue);
    expect(status?.body).toContain(
      "only one branch and one pull request are promised, not one run at a time",
    );
  });
});

describe("the branch of a pull request", () => {
  it("does not get back a commit that a person takes off right before the run pushes (F65)", async () => {
    await using world = await givenWorld({ script: fixesSum });
    const asked = await askedOnPullRequest(world, { comment: "/agent fix" });
    const base = world.github.git("rev-parse", "main").trim();
    let looked = false;
    // Blobs are made once the branch has been looked at.
    world.github.meanwhile(/^POST .*\/git\/blobs$/, () => {
      looked = true;
      world.github.git("update-ref", "refs/heads/topic", base);
    });
    await expectEnding(world, await world.finish(asked), {
      outcome: "suspended",
      reason: "moved",
      exit: 0,
      resumable: true,
      says: /the branch topic moved to [0-9a-f]{40}; expected [0-9a-f]{40}/,
      thread: asked.issue,
      requests: 2,
      branches: ["topic"],
      pulls: 1,
    });
    expect(looked).toBe(true);
    expect(world.github.git("rev-parse", "topic").trim()).toBe(base);
  });
});
