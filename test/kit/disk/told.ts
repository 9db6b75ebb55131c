import { diskSessionFiles } from "../../../src/adapters/disk/files.ts";
import type { EventRecord, SessionEvent } from "../../../src/session/event.ts";
import type { Journal } from "../../../src/session/journal.ts";
import { openJournal, StorageFailure } from "../../../src/session/open-journal.ts";
import { verifyLog } from "../../../src/session/verify.ts";
import { inline, recordsOf, turnOf } from "../given.ts";
import { journalOptions, padding, shortStory } from "./sample.ts";
import type { Case } from "./tally.ts";

export type Durability = "process" | "disk";

export type Told = {
  /** What `append` had returned when the first failure came. */
  readonly acknowledged: readonly EventRecord[];
  readonly failure: unknown;
  /** What one more append came to. */
  readonly after: unknown;
  /** The line was written, and its sync failed. */
  readonly unsynced?: boolean;
};

const suspended: SessionEvent = { type: "run.suspended", reason: "turns", detail: "" };

/** Tells a session with a blob and a checkpoint until something fails, then tries once more. */
export async function tellUntilItFails(
  journal: Journal,
  pad: number,
  onTold: (record: EventRecord) => void = () => undefined,
): Promise<Told> {
  const acknowledged: EventRecord[] = [];
  const take = (record: EventRecord): void => {
    acknowledged.push(record);
    onTold(record);
  };
  const tell = async (events: readonly SessionEvent[]): Promise<void> => {
    for (const event of events) take(await journal.append(event));
  };
  try {
    await tell([...shortStory, padding(pad)]);
    take(await journal.endTurn({ turn: 1, next: "calls", ms: 1, loop: null }));
    await tell([{ type: "note.added", about: "nudge", text: await journal.store("y".repeat(9000)) }]);
    await tell([...turnOf(2, { id: "toolu_2", tool: "read", tree: null }), suspended]);
  } catch (failure) {
    const after: unknown = await journal.append(padding(1)).catch((error: unknown) => error);
    return { acknowledged, failure, after };
  }
  return { acknowledged, failure: null, after: null };
}

/** What a later process finds. Before the first record was acknowledged there may be no session at all. */
export async function judge(
  dir: string,
  { name, durability, told }: { readonly name: string; readonly durability: Durability; readonly told: Told },
): Promise<Case> {
  await using files = await diskSessionFiles(dir, { durability });
  const { acknowledged } = told;
  const read = await files.read();
  const found = verifyLog(read, { witnessed: [] });
  const before = acknowledged.length;
  const records = found.kind === "verified" ? recordsOf(found.log) : [];
  const stands = mayStand(records.slice(before), told) ? 1 : 0;
  const predicted =
    before === 0 && read.manifest === null ? "refused no-manifest" : `clean ${before + stands}`;
  if (found.kind === "damage") return { name, predicted, saw: `refused ${found.code}`, lost: before > 0 };
  const { log } = found;
  const lost = JSON.stringify(records.slice(0, before)) !== JSON.stringify(acknowledged);
  const said = complaint(told);
  const saw = said ?? `${log.tornBytes > 0 ? "repaired" : "clean"} ${log.tail.seq}`;
  if (before === 0) return { name, predicted, saw, lost };
  const journal = await openJournal(log, { ...journalOptions(files, durability), gen: 2 });
  await journal.append({ type: "note.added", about: "resumed", text: inline("again") });
  const again = verifyLog(await files.read(), { witnessed: [] });
  const goesOn = again.kind === "verified" && again.log.tail.seq === before + stands + 1;
  return { name, predicted, saw: goesOn ? saw : `${saw}, then it did not go on`, lost };
}

/**
 * One record may stand that nobody was told of: where only the manifest after the last one could not be replaced, and
 * where the sync failed that it waited for. It was announced and written.
 */
function mayStand(records: readonly EventRecord[], { unsynced = false }: Told): boolean {
  return records.length === 1 && (unsynced || records[0]?.event.type === "run.suspended");
}

function complaint({ failure, after }: Told): string | null {
  if (failure === null) return null;
  if (!(failure instanceof StorageFailure)) return `failed otherwise: ${String(failure)}`;
  return after instanceof StorageFailure ? null : "went on after a failed write";
}
