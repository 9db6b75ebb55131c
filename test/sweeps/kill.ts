// Kills one session at every record of its story, at every place of the write, with and without its machine, and once
// more in the run that goes on: `npm run sweep:kill`, or with words that a case's name has to hold, such as `gate lost`.
// Prints what did not hold, and one JSON line of counts at the end.
import { type Moment, places } from "../kit/kill/mutant.ts";
import { givenKillStage, type KillCase, type KillStage, playKill } from "../kit/kill/play.ts";

/** How often each type comes in the story when nothing dies. */
const story: Readonly<Record<string, number>> = {
  "session.opened": 1,
  "run.claimed": 1,
  "input.accepted": 1,
  "setup.started": 1,
  "setup.settled": 1,
  "sandbox.started": 1,
  "reply.requested": 6,
  "reply.received": 6,
  "calls.intended": 4,
  "call.settled": 5,
  "turn.ended": 6,
  "check.started": 3,
  "check.settled": 3,
  "gate.failed": 1,
  "gate.passed": 1,
  "effect.intended": 3,
  "effect.settled": 3,
  "shipment.sent": 10,
  "session.ended": 1,
};

/** What only a run that goes on writes, or writes otherwise. */
const recovery: readonly Moment[] = [
  "run.claimed",
  "effect.settled",
  "note.added",
  "sandbox.started",
].flatMap((type) => places.map((place) => ({ type, nth: 1, place })));

/** Where the first run dies when it is the second death that matters: with a call open, and with an effect open. */
const openings: readonly Moment[] = [
  { type: "call.settled", nth: 4, place: "before" },
  { type: "effect.settled", nth: 2, place: "before" },
];

function allCases(): readonly KillCase[] {
  const moments = Object.entries(story).flatMap(([type, times]) =>
    Array.from({ length: times }, (_, i) => places.map((place) => ({ type, nth: i + 1, place }))).flat(),
  );
  const machines = ["lost", "survives"] as const;
  const once = machines.flatMap((machine) =>
    moments.map((kill) => ({ name: `${nameOf(kill)}-${machine}`, machine, kill })),
  );
  const twice = machines.flatMap((machine) =>
    openings.flatMap((kill) =>
      recovery.map((again) => ({
        name: `${nameOf(kill)}-then-${nameOf(again)}-${machine}`,
        ...{ machine, kill, again },
      })),
    ),
  );
  return [...once, ...twice];
}

function nameOf({ type, nth, place }: Moment): string {
  return `${type}-${nth}-${place}`;
}

const words = process.argv.slice(2);
const cases = allCases().filter(({ name }) => words.every((word) => name.includes(word)));
const counts = { cases: cases.length, held: 0, broke: 0, notReached: 0 };
await using stage = await givenKillStage();
const queue = [...cases];
const hands = Array.from({ length: 2 }, async () => {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) await playOne(stage, next);
});
await Promise.all(hands);
process.stdout.write(`${JSON.stringify({ sweep: "kill", ...counts })}\n`);
process.exitCode = counts.broke === 0 && counts.held > 0 ? 0 : 1;

async function playOne(on: KillStage, one: KillCase): Promise<void> {
  const played = await playKill(on, one).catch((error: unknown) => ({
    wrong: [String(error instanceof Error ? error.stack : error)],
    reached: true,
  }));
  if (played.wrong.length > 0) counts.broke += 1;
  else if (played.reached) counts.held += 1;
  else counts.notReached += 1;
  const verdict = played.wrong.length > 0 ? "BROKE" : played.reached ? "held" : "not reached";
  process.stdout.write(`${verdict.padEnd(12)} ${one.name}\n`);
  for (const line of played.wrong) process.stdout.write(`    ${line.replaceAll("\n", "\n    ")}\n`);
}
