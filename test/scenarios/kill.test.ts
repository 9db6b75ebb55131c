import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Moment } from "../kit/kill/mutant.ts";
import { givenKillStage, type KillCase, type KillStage, type Played, playKill } from "../kit/kill/play.ts";
import { journalVariable } from "../kit/kill/story.ts";
import { say, use } from "../kit/model/script.ts";
import { blocksOf, type WireRequest } from "../kit/model/wire.ts";
import { processesOf } from "../kit/processes.ts";
import { sessionOf } from "../kit/stored.ts";
import { canSandbox, givenWorld } from "../kit/world.ts";
import { configWith, givenJournal, inJournal, orEnd } from "./given-journal.ts";

// Without the sandbox every command is an external call, and a death in the middle of one needs a person to decide.
const sandboxed = describe.skipIf(!canSandbox);

const lost = (text: string, again?: string): KillCase => caseOf("lost", text, again);
const survives = (text: string, again?: string): KillCase => caseOf("survives", text, again);

/** Each kind of record once; every record at every place is `npm run sweep:kill`. */
const cases: readonly KillCase[] = [
  lost("session.opened 1 after"),
  survives("run.claimed 1 torn"),
  lost("input.accepted 1 after"),
  lost("effect.intended 1 after"),
  survives("setup.started 1 after"),
  lost("setup.settled 1 torn"),
  survives("sandbox.started 1 between"),
  lost("reply.requested 2 after"),
  survives("reply.received 3 after"),
  survives("calls.intended 1 after"),
  lost("calls.intended 3 after"),
  lost("call.settled 1 after"),
  survives("call.settled 4 before"),
  survives("turn.ended 3 torn"),
  lost("check.started 2 after"),
  survives("check.settled 2 between"),
  survives("gate.failed 1 after"),
  lost("gate.passed 1 after"),
  lost("effect.intended 2 after"),
  survives("effect.settled 2 before"),
  lost("effect.settled 3 before"),
  survives("shipment.sent 4 before"),
  lost("session.ended 1 before"),
  survives("session.ended 1 after"),
  lost("shipment.sent 10 after"),
  survives("call.settled 4 before", "run.claimed 1 after"),
  lost("call.settled 4 before", "note.added 1 torn"),
];

function caseOf(machine: KillCase["machine"], text: string, again?: string): KillCase {
  const words = [text, ...(again === undefined ? [] : ["then", again]), machine].join(" ");
  const name = words.replaceAll(" ", "-");
  const kill = momentOf(text);
  return again === undefined ? { name, machine, kill } : { name, machine, kill, again: momentOf(again) };
}

function momentOf(text: string): Moment {
  const [type = "", nth, place] = text.split(" ");
  return { type, nth: Number(nth), place: place as Moment["place"] };
}

// A bound on hanging: some sixty jobs on a machine that does other things too.
const timeout = 300_000;

sandboxed("a run that is killed at a record", { timeout }, () => {
  let stage: KillStage;
  const played = new Map<string, Promise<Played>>();

  beforeAll(async () => {
    stage = await givenKillStage();
    // Two at a time, as many as there are cores; the tests wait for the one that they are about.
    const waiting = cases.map((one) => ({ one, done: Promise.withResolvers<Played>() }));
    for (const { one, done } of waiting) {
      done.promise.catch(() => undefined);
      played.set(one.name, done.promise);
    }
    const hand = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        await playKill(stage, next.one).then(next.done.resolve, next.done.reject);
    };
    for (let hands = 0; hands < 2; hands += 1) hand().catch(() => undefined);
  }, timeout);

  afterAll(async () => {
    await Promise.allSettled(played.values());
    await stage[Symbol.asyncDispose]();
  }, timeout);

  it.each(cases)("is picked up, or begun anew, and ends as if nothing had been: $name", async ({ name }) => {
    const end = await played.get(name);
    expect(end).toMatchObject({ reached: true, wrong: [] });
  });
});

sandboxed("a run that is killed in the middle of a command", () => {
  it.each([
    ["tells the model that its changes are undone where its machine survives", true],
    // Nobody but the lost machine knew of the command: the model is asked again, as if it had never said it.
    ["asks the model again where its machine is lost with it", false],
  ])("is continued with the files as they were before, and %s", async (_title, post) => {
    await using world = await givenWorld({
      files: { ".github/agent.yml": configWith({}) },
      inputs: { "ship-seconds": "0" },
    });
    using journal = givenJournal(world);
    const half = `echo half >> sum.mjs && ${inJournal("half-done")}`;
    world.model.script.push(
      use("read", { path: "sum.mjs" }),
      use("shell", { command: half }),
      use("shell", { command: "cat sum.mjs" }),
      use("edit", { path: "sum.mjs", old: "a - b", new: "a + b" }),
      say("Add in sum"),
    );
    const asked = world.asked();
    const job = await world.job(asked, { env: { [journalVariable]: journal.dir }, post });
    await orEnd(job, journal.seen("half-done"));
    if (post) job.kill("SIGKILL");
    else await job.lose();
    await job.done;
    world.github.completeRun(job.runId, "failure");
    expect(processesOf(job.machine)).toEqual([]);

    const resumed = await world.finish(world.dispatch({ session: sessionOf(world, asked) }));
    expect(resumed.outputs, resumed.log).toMatchObject({ outcome: "pull-request" });
    const [, , told, shown] = world.model.requests.map(({ body }) => lastTold(body));
    const undone = "Its changes were discarded: the workspace is as it was before the call.";
    expect(told?.includes(undone)).toBe(post);
    expect(told).toContain("The work goes on in a new run on a new machine");
    expect(shown).toContain("export const sum = (a, b) => a - b;");
    expect(shown).not.toContain("half");
    world.model.assertDone();
  });
});

function lastTold({ messages }: WireRequest): string {
  return JSON.stringify(blocksOf(messages.at(-1)?.content));
}
