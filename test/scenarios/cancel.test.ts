import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { DemoJournal } from "../demo/journal.ts";
import { journalVariable } from "../kit/kill/story.ts";
import { type Hold, type Step, say, use } from "../kit/model/script.ts";
import { processesOf } from "../kit/processes.ts";
import type { RunResult } from "../kit/runner/run.ts";
import { type Stored, sessionOf, shipmentsOf, storedSession, workOf } from "../kit/stored.ts";
import { type Asked, canSandbox, givenWorld, type Job, type World } from "../kit/world.ts";
import { commentsOfOurs, fixesSum, plain } from "./given.ts";
import { configWith, givenJournal, inJournal, orEnd } from "./given-journal.ts";

const [edit = say(""), done = say("")] = fixesSum;

/** Whatever a command may do to outlive its call: deaf to signals, in sessions of their own, holding the output. */
const undying = [
  "trap '' HUP INT TERM",
  "setsid sh -c \"trap '' HUP INT TERM; exec sleep 600\" &",
  "(setsid sh -c '(exec sleep 600) & exit' &)",
  "nohup sleep 600 &",
  "ulimit -u 200; b() { b | b & }; b 2>/dev/null",
].join("\n");

type Cancelled = {
  readonly world: World;
  readonly asked: Asked;
  readonly job: Job;
  readonly result: RunResult;
  /** How often the runner waited for main to end. It sends SIGTERM after the first time. */
  readonly waits: number;
  /** What was left of the machine's processes when main had ended and post had not begun. */
  readonly left: readonly string[];
};

/** Starts a job, cancels it as the runner does when `moment` has come, and marks its run as over. */
async function cancelAt(
  world: World,
  journal: DemoJournal,
  moment: (job: Job, asked: Asked) => Promise<unknown>,
): Promise<Cancelled> {
  const asked = world.asked();
  const machine = world.machine();
  let waits = 0;
  let left: readonly string[] = ["post began before main had ended"];
  const job = await world.job(asked, {
    machine,
    env: { [journalVariable]: journal.dir },
    ladder: {
      sleep: (ms, gone) => {
        waits += 1;
        return sleep(ms, undefined, { signal: gone, ref: false }).catch(() => undefined);
      },
    },
    afterMain: async () => {
      left = processesOf(machine);
    },
  });
  await orEnd(job, moment(job, asked));
  await job.cancel();
  const result = await job.done;
  world.github.completeRun(job.runId, "cancelled");
  return { world, asked, job, result, waits, left };
}

/** What holds whatever was under way: main ended by itself, post stored everything, the comment says how to go on. */
async function expectCancelled({
  world,
  asked,
  job,
  result,
  waits,
  left,
}: Cancelled): Promise<Stored["events"]> {
  const { code, signal, postCode, conclusion, orphans } = result;
  const ending = { code, signal, postCode, conclusion, orphans };
  const byItself = { code: 0, signal: null, postCode: 0, conclusion: "cancelled", orphans: [] };
  expect(ending, result.log).toEqual(byItself);
  expect(result.outputs).toMatchObject({ outcome: "suspended", reason: "cancelled", resumable: "true" });
  expect({ waits, left }).toEqual({ waits: 1, left: [] });
  expect(processesOf(job.machine)).toEqual([]);
  const session = sessionOf(world, asked);
  const stored = await storedSession(world, session);
  expect(stored?.events.at(-1)).toMatchObject({ type: "run.suspended", reason: "cancelled" });
  const [comment, ...more] = commentsOfOurs(world, asked.issue);
  expect(more).toEqual([]);
  expect(plain(comment?.body ?? "")).toContain("Baton stopped: **suspended**.");
  expect(plain(comment?.body ?? "")).toContain(`To go on, comment /agent resume ${session} here`);
  return stored?.events ?? [];
}

async function expectResumed({ world, asked }: Cancelled): Promise<RunResult> {
  const resumed = await world.finish(world.dispatch({ session: sessionOf(world, asked) }));
  expect(resumed.outputs, resumed.log).toMatchObject({ outcome: "pull-request" });
  expect(world.github.refs("refs/agent/")).toEqual([]);
  expect(await world.github.pulls()).toHaveLength(1);
  expect(commentsOfOurs(world, asked.issue)).toHaveLength(1);
  expect(world.github.problems()).toEqual([]);
  return resumed;
}

/** A reply that is held after some of it was sent, and the moment when it is. */
function held(step: Step, at: number): { readonly step: Step; readonly reached: Promise<void> } {
  const reached = Promise.withResolvers<void>();
  const hold: Hold = { until: new Promise(() => undefined), at, onReached: () => reached.resolve() };
  return { step: { ...(step as object), hold } as Step, reached: reached.promise };
}

describe("a run that the runner cancels", () => {
  it("drops a reply that is half there, and asks for it again when it is resumed (F50)", async () => {
    await using world = await givenWorld();
    using journal = givenJournal(world);
    const { step, reached } = held(edit, 2);
    world.model.script.push(step, edit, done);
    const cancelled = await cancelAt(world, journal, () => reached);
    await expectCancelled(cancelled);
    await expectResumed(cancelled);
    expect(world.model.requests[1]).toMatchObject({ extendsPrevious: true });
    world.model.assertDone();
  });

  it.skipIf(!canSandbox)(
    "ends a command under way with all it started, keeps none of its changes, and tells the model (F50, F58)",
    async () => {
      await using world = await givenWorld({ files: { ".github/agent.yml": configWith({}) } });
      using journal = givenJournal(world);
      const half = `echo half >> sum.mjs\n${undying}\n${inJournal("blocked")}`;
      world.model.script.push(
        use("shell", { command: half }),
        use("shell", { command: "cat sum.mjs" }),
        edit,
        done,
      );
      const cancelled = await cancelAt(world, journal, async ({ machine }) => {
        await journal.seen("blocked");
        // What it left in the background comes up in its own time; the bound is the test's.
        while (processesOf(machine).length <= 8) await new Promise((next) => setImmediate(next));
      });
      const events = await expectCancelled(cancelled);
      // Nothing is half settled: the call stays open.
      const since = events.slice(events.findLastIndex(({ type }) => type === "calls.intended") + 1);
      expect(workOf(since)).toEqual(["run.suspended"]);
      await expectResumed(cancelled);
      const told = world.model.requests.map(({ body }) => JSON.stringify(body.messages.at(-1)));
      expect(told[1]).toContain("Its changes were discarded");
      expect(told[2]).not.toContain("half");
      world.model.assertDone();
    },
  );

  it("leaves a check open, and runs it again when it is resumed (F50)", async () => {
    const check = inJournal("checking");
    await using world = await givenWorld({
      files: { ".github/agent.yml": configWith({ check }) },
      script: fixesSum,
    });
    using journal = givenJournal(world);
    const cancelled = await cancelAt(world, journal, () => journal.seen("checking"));
    await expectCancelled(cancelled);
    await expectResumed(cancelled);
    world.model.assertDone();
  });

  it("leaves setup open, and runs it again when it is resumed (F50)", async () => {
    const setup = inJournal("setting-up");
    await using world = await givenWorld({
      files: { ".github/agent.yml": configWith({ setup }) },
      script: fixesSum,
    });
    using journal = givenJournal(world);
    const cancelled = await cancelAt(world, journal, async (_job, { issue }) => {
      await journal.seen("setting-up");
      // The comment is made beside it; a run that is cancelled before that has only its summary to speak in.
      await expect.poll(() => commentsOfOurs(world, issue).length, { timeout: 30_000 }).toBe(1);
    });
    await expectCancelled(cancelled);
    await expectResumed(cancelled);
    world.model.assertDone();
  });

  it("says so where nothing was begun, and the command can be given again (F50)", async () => {
    await using world = await givenWorld({ script: fixesSum });
    using journal = givenJournal(world);
    const { github } = world;
    const asked = world.asked();
    const job = await world.job(asked, { env: { [journalVariable]: journal.dir } });
    await expect.poll(() => github.exchanges.length, { timeout: 30_000, interval: 1 }).toBeGreaterThan(0);
    await job.cancel();
    const result = await job.done;
    github.completeRun(job.runId, "cancelled");
    expect(result.outputs, result.log).toMatchObject({ outcome: "suspended", reason: "cancelled" });
    expect({ code: result.code, signal: result.signal, postCode: result.postCode }).toEqual({
      ...{ code: 0, signal: null, postCode: 0 },
    });
    expect(shipmentsOf(world, sessionOf(world, asked))).toEqual([]);
    const again = await world.finish(asked, { again: job });
    expect(again.outputs, again.log).toMatchObject({ outcome: "pull-request" });
    world.model.assertDone();
  });
});
