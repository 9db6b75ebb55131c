import type { EventRecord, SessionEvent } from "../../../src/session/event.ts";
import type { Journal } from "../../../src/session/journal.ts";
import { createJournal, openJournal } from "../../../src/session/open-journal.ts";
import { blobsIn } from "../../../src/session/ship.ts";
import { verifyLog } from "../../../src/session/verify.ts";
import { identity, inline, turnOf } from "../given.ts";
import { endsOf, journalOptions, openingOf, padding, shortStory } from "./sample.ts";
import type { Case, Decision } from "./tally.ts";
import { tracedMoments } from "./traced-disk.ts";
import { type Moment, type WeakDisk, weakDisk } from "./weak-disk.ts";

/** Every how many bytes a log is cut: in the loss of power, and in one that comes while a killed run goes on. */
export type Steps = { readonly loss: number; readonly again: number };

/** What a run relies on next, so that it waits for the disk (session.md, section 1). */
export const barriers: ReadonlySet<SessionEvent["type"]> = new Set([
  "session.opened",
  "run.claimed",
  "calls.intended",
  "call.settled",
  "effect.intended",
  "effect.settled",
  "gate.passed",
  "run.suspended",
  "session.ended",
]);

const suspended: SessionEvent = { type: "run.suspended", reason: "turns", detail: "" };

/**
 * Takes the power at each moment of a session at level D. Then kills only the process there, lets a run go on from
 * what the page cache holds, and takes the power at each moment of that.
 */
export async function* powerLosses(steps: Steps): AsyncIterable<Case> {
  const disk = weakDisk();
  const first = createJournal(identity(), journalOptions(disk, "disk"));
  await tell(first, disk, [...shortStory, padding(300)]);
  await tellBlob(first, disk);
  await tell(first, disk, [...turnOf(2, { id: "toolu_2", tool: "read", tree: null }), suspended]);
  for (const moment of disk.moments) yield* statesAfter(moment, steps.loss);
  for (const [at, moment] of disk.moments.entries()) {
    const second = await goOn(moment);
    for (const later of second) {
      const name = `killed at moment ${at} (${moment.name}), then ${later.name}`;
      yield* statesAfter({ ...later, name }, steps.again);
    }
  }
}

/** The same at each moment between two calls that the real adapter makes to the kernel, as they were traced. */
export function* tracedLosses(step: number): Iterable<Case> {
  for (const moment of tracedMoments()) yield* statesAfter(moment, step);
}

async function tell(journal: Journal, disk: WeakDisk, events: readonly SessionEvent[]): Promise<void> {
  for (const event of events) {
    const record = await journal.append(event);
    if (barriers.has(event.type)) disk.acknowledge(record.seq);
  }
}

async function tellBlob(journal: Journal, disk: WeakDisk): Promise<void> {
  const text = await journal.store("y".repeat(9000));
  await tell(journal, disk, [{ type: "note.added", about: "nudge", text }]);
}

/** The moments of a run that goes on from what a killed one left in the page cache. */
async function goOn(moment: Moment): Promise<readonly Moment[]> {
  const disk = weakDisk(moment);
  const found = verifyLog(await disk.read(), { witnessed: [] });
  if (found.kind === "damage" || found.log.tail.seq === 0) return [];
  const { log } = found;
  const journal = await openJournal(log, { ...journalOptions(disk, "disk"), gen: 2 });
  await tell(journal, disk, [
    { type: "run.claimed", gen: 2, run: { id: "2", attempt: 1, job: "agent" }, head: log.tail },
    { type: "note.added", about: "resumed", text: inline("again") },
    suspended,
  ]);
  return disk.moments;
}

/** Each manifest that may be there, with what may be left of the log: cut anywhere, or of full length with zeros. */
function* statesAfter(moment: Moment, step: number): Iterable<Case> {
  const { log, durable, manifests } = moment;
  const ends = endsOf(log);
  const cuts = new Set([...ends.filter((end) => end > durable), durable, log.length]);
  for (let at = durable; at < log.length; at += step) cuts.add(at);
  for (const [which, manifest] of manifests.entries()) {
    for (const cut of cuts) {
      for (const fill of cut === log.length ? [0] : [0, log.length - cut]) {
        const left = Buffer.concat([log.subarray(0, cut), Buffer.alloc(fill)]);
        const name = `${moment.name}: manifest ${which}, log cut at ${cut}, ${fill} zeros`;
        yield stateOf(moment, { name, manifest, left, cut, ends });
      }
    }
  }
}

function stateOf(
  moment: Moment,
  state: {
    readonly name: string;
    readonly manifest: Uint8Array | null;
    readonly left: Uint8Array;
    readonly cut: number;
    readonly ends: readonly number[];
  },
): Case {
  const { name, manifest, left, cut, ends } = state;
  const whole = ends.filter((end) => end <= cut).length;
  const { decision, accepted } = openingOf({ manifest, log: left });
  // What nobody was told of may be lost with all the session.
  const lost =
    accepted === null
      ? moment.acknowledged > 0
      : accepted < (ends[moment.acknowledged - 1] ?? 0) || lacksBlob(moment, accepted);
  return { name, predicted: predict(manifest, { whole, left, ends }), saw: decision, lost };
}

/** Without a manifest nothing was ever acknowledged. */
function predict(
  manifest: Uint8Array | null,
  {
    whole,
    left,
    ends,
  }: { readonly whole: number; readonly left: Uint8Array; readonly ends: readonly number[] },
): Decision {
  if (manifest === null) return "refused no-manifest";
  return `${left.length > (ends[whole - 1] ?? 0) ? "repaired" : "clean"} ${whole}`;
}

function lacksBlob({ log, blobs }: Moment, accepted: number): boolean {
  const lines = Buffer.from(log.subarray(0, accepted))
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
  if (!lines.some((line) => line.includes('"type":"blob"'))) return false;
  return lines.some((line) =>
    blobsIn((JSON.parse(line) as EventRecord).event).some((digest) => !blobs.has(digest)),
  );
}
