import { expect, it } from "vitest";
import { type Step, say, use } from "../kit/model/script.ts";
import { sessionOf, shipmentsOf, storedSession } from "../kit/stored.ts";
import { givenWorld, type Job, type World } from "../kit/world.ts";
import { commentsOfOurs, fixesSum } from "../scenarios/given.ts";
import { orEnd } from "../scenarios/given-journal.ts";

/** A reply that never comes, and the moment when it is waited for. */
function silence(): { readonly step: Step; readonly reached: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const hold = { until: new Promise(() => undefined), onReached: () => resolve() };
  return { step: say("", { hold }), reached: promise };
}

it("re-running a failed job goes on with its session, whatever became of the machine, and an attempt that dies before it has one takes nothing away (F51, F73)", async () => {
  await using world = await givenWorld({ inputs: { "ship-seconds": "0" } });
  const { github, model } = world;
  const [edit = say(""), done = say("")] = fixesSum;
  const asked = world.asked();
  const session = sessionOf(world, asked);

  const first = silence();
  model.script.push(use("read", { path: "sum.mjs" }), edit, first.step);
  const lost = await world.job(asked);
  await orEnd(lost, first.reached);
  await lost.lose();
  github.completeRun(lost.runId, "failure");
  const kept = await stored(world, session);
  expect(kept.filter((type) => type === "turn.ended")).toHaveLength(2);

  const shipments = shipmentsOf(world, session);
  const asks = github.exchanges.length;
  const early = await world.job(asked, { again: lost });
  await expect.poll(() => github.exchanges.length, { timeout: 30_000, interval: 1 }).toBeGreaterThan(asks);
  early.kill("SIGKILL");
  const { postCode, annotations } = await early.done;
  expect({ postCode, annotations }).toEqual({ postCode: 0, annotations: [] });
  github.completeRun(early.runId, "failure");
  expect(shipmentsOf(world, session)).toEqual(shipments);

  const second = silence();
  model.script.push(second.step);
  const killed = await world.job(asked, { again: early });
  await orEnd(killed, second.reached);
  killed.kill("SIGKILL");
  await killed.done;
  github.completeRun(killed.runId, "failure");
  expect((await stored(world, session)).slice(0, kept.length)).toEqual(kept);

  model.script.push(done);
  const last = await world.finish(asked, { again: killed });
  expect(last.outputs, last.log).toMatchObject({ outcome: "pull-request", "session-id": session });
  await expectOneStory(world, asked.issue, [lost, early, killed]);
});

async function stored(world: World, session: string): Promise<readonly string[]> {
  return (await storedSession(world, session))?.events.map(({ type }) => type) ?? [];
}

async function expectOneStory(world: World, issue: number, jobs: readonly Job[]): Promise<void> {
  const { github, model } = world;
  expect(new Set(jobs.map(({ runId }) => runId)).size).toBe(1);
  expect(jobs.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  expect(model.requests.slice(1).map(({ extendsPrevious }) => extendsPrevious)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(await github.pulls()).toHaveLength(1);
  expect(commentsOfOurs(world, issue)).toHaveLength(1);
  expect(github.refs("refs/agent/")).toEqual([]);
  expect(github.problems()).toEqual([]);
  model.assertDone();
}
