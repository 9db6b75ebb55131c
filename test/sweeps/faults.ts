// Plays every fault of a provider at every point where it can strike, against the real loop and the real client over
// loopback HTTP, with a clock that is moved by hand: `npm run sweep:faults`.
//
// Words choose the cases whose names hold all of them, or a row of the table of faults, such as `F7 work`: what is
// printed of a case that came out wrong plays it again. `--sample=200` takes that many, spread evenly.
//
// `hangs` are sessions that did not end, `wrongOutcomes` those that ended otherwise than predicted, with other requests
// or other calls run; `toolsFromIncomplete` calls that ran though no whole reply had asked for them; `invalidRequests`
// what the API would not have taken, or what changed a reply that was sent back.
import type { Judged } from "../kit/faults/play.ts";
import { allCases, isClean, sampleOf, sweep } from "../kit/faults/sweep.ts";

const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const most = /^--sample=(\d+)$/.exec(process.argv.find((word) => word.startsWith("--sample=")) ?? "")?.[1];
const chosen = [...allCases()].filter(({ name, row }) =>
  words.every((word) => word === row || name.includes(word)),
);
const cases = most === undefined ? chosen : sampleOf(chosen, Number(most));

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
const byRow = new Map<string, number>();
let played = 0;

const tally = await sweep(cases, ({ name, row, wrong }: Judged) => {
  byRow.set(row, (byRow.get(row) ?? 0) + 1);
  played += 1;
  if (played % 5000 === 0) say(`${played} of ${cases.length} cases played`);
  if (wrong.length === 0) return;
  say(`${row} ${name}`);
  for (const line of wrong) say(`    ${line.replaceAll("\n", "\n    ")}`);
  say(`    again: node test/sweeps/faults.ts ${JSON.stringify(name)}`);
});
const rows = [...byRow].sort(([a], [b]) => Number(a.slice(1)) - Number(b.slice(1)));
say(rows.map(([row, count]) => `${row} ${count}`).join(", "));
say(JSON.stringify({ sweep: "faults", ...tally }));
process.exitCode = isClean(tally) ? 0 : 1;
