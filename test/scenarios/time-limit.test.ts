import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { journalVariable } from "../kit/kill/story.ts";
import { say, use } from "../kit/model/script.ts";
import { buildMutant, type Mutant, type Mutation } from "../kit/mutant.ts";
import { sessionOf, storedSession } from "../kit/stored.ts";
import { canSandbox, givenWorld } from "../kit/world.ts";
import { commentsOfOurs, fixesSum, plain } from "./given.ts";
import { configWith, givenJournal, inJournal, orEnd } from "./given-journal.ts";

/** The clock strikes when the test says so: the least limit is a minute. */
const strikesOnSignal: Mutation = {
  file: "wire/run-action.js",
  find: "setTimeout(() => late.abort(",
  replace: '((late) => (process.once("SIGUSR2", late), { unref() {} }))(() => late.abort(',
};

describe.skipIf(!canSandbox)("a run whose time is used up", () => {
  let mutant: Mutant;

  beforeAll(async () => {
    mutant = await buildMutant([strikesOnSignal]);
  });
  afterAll(() => mutant[Symbol.dispose]());

  it.each([
    ["a command", "command"],
    ["a check", "check"],
    ["setup", "setup"],
  ])("ends during %s, stores the session itself, and says how to go on (F53)", async (_title, at) => {
    const hold = inJournal("waiting");
    await using world = await givenWorld({
      actionDir: mutant.actionDir,
      files: { ".github/agent.yml": configWith(at === "command" ? {} : { [at]: hold }) },
      script: at === "command" ? [use("shell", { command: hold }), say("Nothing")] : fixesSum,
    });
    using journal = givenJournal(world);
    const asked = world.asked();
    const job = await world.job(asked, { env: { [journalVariable]: journal.dir }, post: false });
    await orEnd(job, journal.seen("waiting"));
    job.kill("SIGUSR2");
    const result = await job.done;
    expect(result.outputs, result.log).toMatchObject({
      outcome: "suspended",
      reason: "minutes",
      resumable: "true",
    });
    expect({ code: result.code, signal: result.signal }).toEqual({ code: 0, signal: null });
    const session = sessionOf(world, asked);
    const stored = await storedSession(world, session);
    expect(stored?.events.at(-1)).toMatchObject({ type: "run.suspended", reason: "minutes" });
    const [comment] = commentsOfOurs(world, asked.issue);
    expect(plain(comment?.body ?? "")).toContain("Reason: minutes.");
    expect(plain(comment?.body ?? "")).toContain(`To go on, comment /agent resume ${session} here`);
  });
});
