import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildKillMutant, killAt, type Place } from "../kit/kill/mutant.ts";
import { type Machine, type Played, playKill } from "../kit/kill/play.ts";
import { type KillStage, openKillStage } from "../kit/kill/stage.ts";
import { journalVariable } from "../kit/kill/story.ts";
import { say, use } from "../kit/model/script.ts";
import { blocksOf, type WireRequest } from "../kit/model/wire.ts";
import type { Mutant } from "../kit/mutant.ts";
import { processesOf } from "../kit/processes.ts";
import { sessionOf } from "../kit/stored.ts";
import { canSandbox, givenWorld } from "../kit/world.ts";
import { configWith, givenJournal, inJournal, orEnd } from "./given-journal.ts";

// Without the sandbox every command is an external call, and a death in the middle of one needs a person to decide.
const sandboxed = describe.skipIf(!canSandbox);

/** A bounded sample: the kinds of records, one place of the write each. Every operation is `npm run sweep:kill`. */
const cases = [
  "session.opened 1 after, machine lost",
  "run.claimed 1 torn, machine survives",
  "reply.received 4 after, machine survives",
  "calls.intended 1 after, machine survives",
  "call.settled 6 before, machine survives",
  "check.started 2 after, machine lost",
  "gate.passed 1 after, machine lost",
  "effect.settled 2 before, machine survives",
  "session.ended 1 before, machine lost",
  "session.ended 1 after, machine survives",
  "call.settled 6 before, then run.claimed 1 after, machine survives",
  "call.settled 6 before, then note.added 1 torn, machine lost",
];

async function play(stage: KillStage, name: string): Promise<Played> {
  const machine: Machine = name.endsWith("lost") ? "lost" : "survives";
  const moments = name.split(", ").slice(0, -1);
  return playKill(
    stage,
    moments.map((text) => {
      const [type = "", nth, place] = text.replace("then ", "").split(" ");
      return {
        machine: () => machine,
        main: killAt({ type, nth: Number(nth), place: place as Place }),
        post: null,
      };
    }),
  );
}

// A bound on hanging: some fifty jobs on a machine that does other things too.
const timeout = 300_000;

sandboxed("a run that is killed at a record", { timeout }, () => {
  let mutant: Mutant;
  let stage: KillStage;
  const played = new Map<string, Promise<Played>>();

  beforeAll(async () => {
    mutant = await buildKillMutant();
    stage = await openKillStage(mutant);
    // Two at a time, as many as there are cores; the tests wait for the one that they are about.
    const waiting = cases.map((name) => ({ name, done: Promise.withResolvers<Played>() }));
    for (const { name, done } of waiting) {
      done.promise.catch(() => undefined);
      played.set(name, done.promise);
    }
    const hand = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        await play(stage, next.name).then(next.done.resolve, next.done.reject);
    };
    for (let hands = 0; hands < 2; hands += 1) hand().catch(() => undefined);
  }, timeout);

  afterAll(async () => {
    await Promise.allSettled(played.values());
    await stage[Symbol.asyncDispose]();
    mutant[Symbol.dispose]();
  }, timeout);

  it.each(cases)("is picked up, or begun anew, and ends as if nothing had been: %s", async (name) => {
    const end = await played.get(name);
    expect(end).toMatchObject({ reached: "all", wrong: [] });
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
