// Strikes every write of a reference delivery by every fault, at a local GitHub over loopback HTTP, with a clock that is
// moved by hand, then brings the session to its end as a person would: `npm run sweep:delivery`.
//
// Words choose the cases whose names hold all of them: what is printed of a case that came out wrong plays it again.
// `--sample=200` takes that many, spread evenly.
//
// `duplicates` are branches, commits, pull requests, patches, comments, check runs and reactions beyond the one, `missing` those
// that are not there in the end, `wrongOutcomes` runs that said of their end what was not so, or sessions that came to
// none.
import { openGround, scenes } from "../kit/delivery/scene.ts";
import { allCases, type Judged, sampleOf, sweep } from "../kit/delivery/sweep.ts";

const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const most = /^--sample=(\d+)$/.exec(process.argv.find((word) => word.startsWith("--sample=")) ?? "")?.[1];
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

await using ground = await openGround();
// Whoever names a scene waits for no other.
const named = scenes.filter((kind) => words.some((word) => word.startsWith(`${kind}:`)));
const all = await allCases(ground, named.length === 0 ? scenes : named);
const chosen = all.filter(({ name }) => words.every((word) => name.includes(word)));
const cases = most === undefined ? chosen : sampleOf(chosen, Number(most));
const ways = new Map<string, number>();
let played = 0;

const tally = await sweep(cases, ({ name, ends, wrong }: Judged) => {
  played += 1;
  const way = ends.join(", ");
  ways.set(way, (ways.get(way) ?? 0) + 1);
  if (words.length > 0) say(`${name}: ${way}`);
  if (played % 100 === 0) say(`${played} of ${cases.length} cases played`);
  if (wrong.length === 0) return;
  say(`${name}: ${way}`);
  for (const { kind, what } of wrong) say(`    ${kind}: ${what}`);
  say(`    again: node test/sweeps/delivery.ts ${JSON.stringify(name)}`);
});
for (const [way, count] of [...ways].sort(([, a], [, b]) => b - a)) say(`${count} ${way}`);
say(JSON.stringify({ sweep: "delivery", ...tally }));
const { duplicates, missing, wrongOutcomes } = tally;
process.exitCode = tally.cases > 0 && duplicates + missing + wrongOutcomes === 0 ? 0 : 1;
