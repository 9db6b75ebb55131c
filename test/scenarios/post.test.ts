import { describe, expect, it } from "vitest";
import { say, use } from "../kit/model/script.ts";
import type { RunResult } from "../kit/runner/run.ts";
import { sessionOf, shipmentsOf, storedSession, workOf } from "../kit/stored.ts";
import { type Asked, givenWorld, type Job, type World } from "../kit/world.ts";
import { commentsOfOurs, fixesSum, plain } from "./given.ts";
import { orEnd } from "./given-journal.ts";
import { postOnce } from "./given-post.ts";

/** A run that dies while the model is asked, on a machine that survives it; its post step has not run yet. */
async function died(
  world: World,
): Promise<{ readonly asked: Asked; readonly job: Job; readonly result: RunResult }> {
  const reached = Promise.withResolvers<void>();
  const hold = { until: new Promise(() => undefined), onReached: () => reached.resolve() };
  world.model.script.push(use("read", { path: "sum.mjs" }), say("", { hold }), ...fixesSum);
  const asked = world.asked();
  const job = await world.job(asked, { post: false });
  await orEnd(job, reached.promise);
  job.kill("SIGKILL");
  return { asked, job, result: await job.done };
}

describe("the post step", () => {
  it("asks nobody anything after a comment that is not for us", async () => {
    await using world = await givenWorld();
    const result = await world.finish(world.asked({ comment: "thank you" }));
    expect(result.outputs, result.log).toMatchObject({ outcome: "ignored" });
    expect(result.postCode).toBe(0);
    expect(world.github.exchanges).toEqual([]);
  });

  it("does nothing after a main that never started, or never opened a session (F73)", async () => {
    await using world = await givenWorld({ files: { ".github/agent.yml": "cheks: []\n" } });
    const asked = world.asked();
    const job = await world.job(asked, { post: false });
    const main = await job.done;
    expect(main.outputs, main.log).toMatchObject({ outcome: "refused" });
    const before = world.github.exchanges.length;
    for (const kept of [main.state, {}]) {
      const post = await postOnce(world, job, asked, kept);
      expect({ code: post.code, annotations: post.annotations }).toEqual({ code: 0, annotations: [] });
    }
    expect(world.github.exchanges).toHaveLength(before);
    expect(world.github.artifacts.list()).toEqual([]);
  });

  it("stores what a main that died left, and says in the comment how to go on", async () => {
    await using world = await givenWorld();
    const { asked, job, result } = await died(world);
    const session = sessionOf(world, asked);
    const post = await postOnce(world, job, asked, result.state);
    expect({ code: post.code, annotations: post.annotations }).toEqual({ code: 0, annotations: [] });
    const stored = await storedSession(world, session);
    expect(workOf(stored?.events ?? []).at(-1)).toBe("reply.requested");
    const [comment] = commentsOfOurs(world, asked.issue);
    expect(plain(comment?.body ?? "")).toContain("Reason: died.");
    expect(plain(comment?.body ?? "")).toContain(`To go on, comment /agent resume ${session} here`);
    world.github.completeRun(job.runId, "failure");
    const resumed = await world.finish(world.dispatch({ session }));
    expect(resumed.outputs, resumed.log).toMatchObject({ outcome: "pull-request" });
    world.model.assertDone();
  });

  it("harms nothing when it runs a second time", async () => {
    await using world = await givenWorld();
    const { asked, job, result } = await died(world);
    const session = sessionOf(world, asked);
    const first = await postOnce(world, job, asked, result.state);
    expect(first.log).toContain(`${session} is stored up to record`);
    const before = { shipments: shipmentsOf(world, session), comments: commentsOfOurs(world, asked.issue) };
    const second = await postOnce(world, job, asked, result.state);
    expect({ code: second.code, annotations: second.annotations }).toEqual({ code: 0, annotations: [] });
    expect(second.log).toContain("Nothing to store");
    expect({
      shipments: shipmentsOf(world, session),
      comments: commentsOfOurs(world, asked.issue),
    }).toEqual(before);
  });

  it("adds nothing to a session that came to its end", async () => {
    await using world = await givenWorld({ script: fixesSum });
    const asked = world.asked();
    const job = await world.job(asked, { post: false });
    const main = await job.done;
    const before = shipmentsOf(world, sessionOf(world, asked));
    const post = await postOnce(world, job, asked, main.state);
    expect(post.log).toContain("Nothing to store: the session ended.");
    expect(shipmentsOf(world, sessionOf(world, asked))).toEqual(before);
  });
});
