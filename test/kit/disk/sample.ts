import { memorySessionFiles } from "../../../src/adapters/memory/files.ts";
import { maskOf } from "../../../src/base/masking.ts";
import type { SessionEvent } from "../../../src/session/event.ts";
import type { SessionFiles } from "../../../src/session/files.ts";
import { createJournal, type JournalOptions } from "../../../src/session/open-journal.ts";
import { verifyLog } from "../../../src/session/verify.ts";
import { handClock, identity, inline, opened, turnOf } from "../given.ts";
import type { Decision } from "./tally.ts";

/** A session's files as some moment left them, with what is true of them. */
export type Sample = {
  readonly name: string;
  readonly manifest: Uint8Array;
  readonly log: Uint8Array;
  /** For each whole record the byte behind its newline. */
  readonly ends: readonly number[];
  readonly acked: number;
  readonly next: number;
};

export const shortStory: readonly SessionEvent[] = [
  opened(),
  { type: "run.claimed", gen: 1, run: { id: "1", attempt: 1, job: "agent" }, head: null },
  ...turnOf(1, { id: "toolu_1", tool: "write", tree: "a".repeat(40) }),
];

export const journalOptions = (
  files: SessionFiles,
  durability: "process" | "disk" = "process",
): JournalOptions => ({ files, clock: handClock(), mask: maskOf([]), durability });

/** Between two records, inside the append of one, and after a clean suspend; at level P. */
export async function givenSamples(): Promise<readonly Sample[]> {
  const suspend: SessionEvent = { type: "run.suspended", reason: "turns", detail: "" };
  return [
    await sampleOf("open", shortStory, { acked: 5, next: 6 }),
    await sampleOf("torn", shortStory, { acked: 5, next: 6, tornAfter: 100 }),
    await sampleOf("suspended", [...shortStory, suspend], { acked: 7, next: 7 }),
  ];
}

async function sampleOf(
  name: string,
  events: readonly SessionEvent[],
  { tornAfter, ...heads }: { readonly acked: number; readonly next: number; readonly tornAfter?: number },
): Promise<Sample> {
  const fault = tornAfter === undefined ? undefined : { write: events.length, bytes: tornAfter };
  const files = memorySessionFiles(fault === undefined ? undefined : { at: "append", ...fault });
  const journal = createJournal(identity(), journalOptions(files));
  for (const event of events)
    await journal.append(event).catch((error: unknown) => {
      if (fault === undefined) throw error;
    });
  const { manifest, log } = files.state;
  if (manifest === null) throw new Error(`the sample ${name} has no manifest`);
  return { name, manifest, log, ends: endsOf(log), ...heads };
}

export function endsOf(log: Uint8Array): readonly number[] {
  return Array.from(log.keys())
    .filter((at) => log[at] === 10)
    .map((at) => at + 1);
}

export type Opening = {
  readonly decision: Decision;
  /** Bytes of the records that were accepted; null when it was refused. */
  readonly accepted: number | null;
};

/** Opens the files as a run does. A refusal for damage says where, so that the place is predicted as well. */
export function openingOf(files: {
  readonly manifest: Uint8Array | null;
  readonly log: Uint8Array;
}): Opening {
  const result = verifyLog(files, { witnessed: [] });
  if (result.kind === "damage") {
    const place = result.code === "damaged" ? ` ${result.seq} at ${result.offset}` : "";
    return { decision: `refused ${result.code}${place}`, accepted: null };
  }
  const { tail, tornBytes, length } = result.log;
  return { decision: `${tornBytes > 0 ? "repaired" : "clean"} ${tail.seq}`, accepted: length };
}

/** Note texts of some length, so that what follows falls on other bytes. */
export function padding(bytes: number): SessionEvent {
  return { type: "note.added", about: "nudge", text: inline("x".repeat(bytes)) };
}
