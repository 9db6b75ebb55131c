// Two and three runs on one session by seeded interleavings: `npm run sweep:race`, or with a first seed and a number of
// seeds. Prints each seed where something did not hold, and one JSON line of counts at the end. With one seed, its trace.
import { type Played, playRace } from "../kit/race/play.ts";

const [first = 1, seeds = 2000] = process.argv.slice(2).map(Number);
const counts = {
  ...{
    seeds,
    runs: 0,
    died: 0,
    cut: 0,
    frozen: 0,
    posts: 0,
    again: 0,
    doublePublications: 0,
    doubleComments: 0,
    repeatedCalls: 0,
    unfenced: 0,
    outrun: 0,
  },
  ...{ unfinished: 0, refusedAsPredicted: 0, broke: 0 },
};
const ends: Record<string, number> = {};

for (let seed = first; seed < first + seeds; seed += 1) {
  const played = await playRace(seed);
  count(played);
  if (seeds === 1) process.stdout.write(`${played.trace.join("\n")}\n`);
  if (played.wrong.length > 0) {
    process.stdout.write(`BROKE seed ${seed} (${played.mode}): ${played.wrong.join("; ")}\n`);
  }
}
process.stdout.write(`${JSON.stringify({ ends })}\n`);
process.stdout.write(`${JSON.stringify({ sweep: "race", ...counts })}\n`);
process.exitCode = counts.broke === 0 && counts.runs > 0 ? 0 : 1;

function count(played: Played): void {
  counts.runs += played.runs;
  counts.died += played.died;
  counts.cut += played.cut;
  if (played.pullRequests > 1 || played.branches > 1 || played.pushes > 1) counts.doublePublications += 1;
  if (played.mode !== "unleased" && played.comments > 1) counts.doubleComments += 1;
  counts.repeatedCalls += played.repeatedCalls;
  counts.unfenced += played.unfenced;
  counts.outrun += played.outrun;
  counts.frozen += played.frozen;
  counts.posts += played.posts;
  counts.again += played.again;
  if (played.refused) counts.refusedAsPredicted += 1;
  else if (!played.finished) counts.unfinished += 1;
  if (played.wrong.length > 0) counts.broke += 1;
  for (const end of played.ends) ends[end] = (ends[end] ?? 0) + 1;
}
