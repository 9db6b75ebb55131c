// Damages a session's files at every byte, runs every disk full, and takes the power at every moment:
// `npm run sweep:disk`. Prints what did not hold, and one JSON line of counts at the end.
import { cutLogs, cutManifests, everyValue, flipLogs, flipManifests } from "../kit/disk/damage.ts";
import { failedCalls, whyNoInjection } from "../kit/disk/failed-calls.ts";
import { brokenDisks, fullDisks } from "../kit/disk/faults.ts";
import { bytesOfRoom, givenFileBound, givenSmallDisk, pagesOfRoom } from "../kit/disk/full-disk.ts";
import { powerLosses, tracedLosses } from "../kit/disk/power-loss.ts";
import { givenSamples } from "../kit/disk/sample.ts";
import { cutSeals, flipSeals, givenSealed } from "../kit/disk/seal.ts";
import { tally } from "../kit/disk/tally.ts";

const { counts, wrong, take } = tally();
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const samples = await givenSamples();
for (const sample of samples) {
  take(cutLogs(sample));
  take(flipLogs(sample, everyValue));
  take(cutManifests(sample));
  take(flipManifests(sample, everyValue));
  say(
    `${sample.name} log and manifest: every cut and every change of one byte (${counts.cases} cases so far)`,
  );
}

for (const sample of samples.filter(({ name }) => name === "suspended")) {
  const sealed = givenSealed(sample);
  take(cutSeals(sealed));
  take(flipSeals(sealed, everyValue));
  say(`sealed shipment: every cut and every change of one byte (${counts.cases} cases so far)`);
}

for await (const one of powerLosses({ loss: 1, again: 97 })) take([one]);
say(`power lost at every moment of a session at level D (${counts.cases} cases so far)`);

const places = [
  () => givenFileBound(bytesOfRoom(31)),
  () => givenSmallDisk(pagesOfRoom(16, [0, 1024, 2048, 3072])),
];
for (const given of places) {
  using full = given();
  if (full.place === null) {
    say(`skipped: ${full.why}`);
    continue;
  }
  for (const durability of ["process", "disk"] as const)
    for await (const one of fullDisks(full.place, durability)) take([one]);
  say(`${full.place.name}: writes cut short and refused (${counts.cases} cases so far)`);
}
for await (const one of brokenDisks()) take([one]);

const injection = whyNoInjection();
if (injection !== null) say(`skipped: ${injection}`);
else {
  take(tracedLosses(1));
  say(`power lost between any two calls that were traced of the adapter (${counts.cases} cases so far)`);
  for await (const one of failedCalls()) take([one]);
  say(`calls to the kernel that failed with EIO, each once (${counts.cases} cases so far)`);
}

for (const line of wrong) say(line);
say(JSON.stringify({ sweep: "disk", ...counts }));
process.exitCode = wrong.length === 0 && counts.cases > 0 ? 0 : 1;
