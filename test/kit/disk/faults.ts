import { mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { diskSessionFiles } from "../../../src/adapters/disk/files.ts";
import type { EventRecord, SessionEvent } from "../../../src/session/event.ts";
import type { Journal } from "../../../src/session/journal.ts";
import { createJournal, openJournal, StorageFailure } from "../../../src/session/open-journal.ts";
import { verifyLog } from "../../../src/session/verify.ts";
import { identity, inline, turnOf } from "../given.ts";
import { bytesThatFit, type Place } from "./full-disk.ts";
import { journalOptions, padding, shortStory } from "./sample.ts";
import type { Case } from "./tally.ts";

type Durability = "process" | "disk";

type Told = {
  /** What `append` had returned when the first failure came. */
  readonly acknowledged: readonly EventRecord[];
  readonly failure: unknown;
  /** What one more append came to. */
  readonly after: unknown;
};

const suspended: SessionEvent = { type: "run.suspended", reason: "turns", detail: "" };

/** Tells a session with a blob and a checkpoint until something fails, then tries once more. */
async function tellUntilItFails(journal: Journal, pad: number): Promise<Told> {
  const acknowledged: EventRecord[] = [];
  const tell = async (events: readonly SessionEvent[]): Promise<void> => {
    for (const event of events) acknowledged.push(await journal.append(event));
  };
  try {
    await tell([...shortStory, padding(pad)]);
    acknowledged.push(await journal.endTurn({ turn: 1, next: "calls", ms: 1 }));
    await tell([{ type: "note.added", about: "nudge", text: await journal.store("y".repeat(9000)) }]);
    await tell([...turnOf(2, { id: "toolu_2", tool: "read", tree: null }), suspended]);
  } catch (failure) {
    const after: unknown = await journal.append(padding(1)).catch((error: unknown) => error);
    return { acknowledged, failure, after };
  }
  return { acknowledged, failure: null, after: null };
}

/**
 * The disk takes so many bytes and no more. What was acknowledged is still there, nothing stands behind it, the
 * journal says `StorageFailure` and stays closed, and with room again the session goes on.
 */
export async function* fullDisks(place: Place, durability: Durability): AsyncIterable<Case> {
  for (const { room, pad } of place.rooms) {
    const dir = await mkdtemp(path.join(place.dir, "session-"));
    try {
      const name = `${place.name} with room for ${room}, ${pad} bytes of padding, durability ${durability}`;
      yield await oneFullDisk(place, { dir, room, pad, durability, name });
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  }
}

async function oneFullDisk(
  place: Place,
  one: {
    readonly dir: string;
    readonly room: number;
    readonly pad: number;
    readonly durability: Durability;
    readonly name: string;
  },
): Promise<Case> {
  const { dir, room, pad, durability, name } = one;
  const files = await diskSessionFiles(dir, { durability });
  const journal = createJournal(identity(), journalOptions(files, durability));
  const told = await bytesThatFit(place, room, () => tellUntilItFails(journal, pad));
  await files[Symbol.asyncDispose]();
  return await judge(dir, { name, durability, told });
}

/** What a later process finds. Before the first record was acknowledged there may be no session at all. */
async function judge(
  dir: string,
  { name, durability, told }: { readonly name: string; readonly durability: Durability; readonly told: Told },
): Promise<Case> {
  await using files = await diskSessionFiles(dir, { durability });
  const { acknowledged } = told;
  const read = await files.read();
  const found = verifyLog(read, { witnessed: [] });
  const before = acknowledged.length;
  const stands = found.kind === "verified" && endedUntold(found.log.records.slice(before)) ? 1 : 0;
  const predicted =
    before === 0 && read.manifest === null ? "refused no-manifest" : `clean ${before + stands}`;
  if (found.kind === "damage") return { name, predicted, saw: `refused ${found.code}`, lost: before > 0 };
  const { log } = found;
  const lost = JSON.stringify(log.records.slice(0, before)) !== JSON.stringify(acknowledged);
  const said = complaint(told);
  const saw = said ?? `${log.tornBytes > 0 ? "repaired" : "clean"} ${log.tail.seq}`;
  if (before === 0) return { name, predicted, saw, lost };
  const journal = await openJournal(log, { ...journalOptions(files, durability), gen: 2 });
  await journal.append({ type: "note.added", about: "resumed", text: inline("again") });
  const again = verifyLog(await files.read(), { witnessed: [] });
  const goesOn = again.kind === "verified" && again.log.tail.seq === before + stands + 1;
  return { name, predicted, saw: goesOn ? saw : `${saw}, then it did not go on`, lost };
}

/** The last record stands when only the manifest after it could not be replaced: it was announced and written. */
function endedUntold(records: readonly EventRecord[]): boolean {
  return records.length === 1 && records[0]?.event.type === "run.suspended";
}

function complaint({ failure, after }: Told): string | null {
  if (failure === null) return null;
  if (!(failure instanceof StorageFailure)) return `failed otherwise: ${String(failure)}`;
  return after instanceof StorageFailure ? null : "went on after a failed write";
}

/** Faults that room does not mend. */
export async function* brokenDisks(): AsyncIterable<Case> {
  for (const durability of ["process", "disk"] as const) {
    for (const breakage of breakages) {
      const session = await mkdtemp(path.join(os.tmpdir(), "baton-broken-"));
      try {
        yield await oneBreakage(session, breakage, durability);
      } finally {
        await rm(session, { recursive: true, force: true });
      }
    }
  }
}

type Breakage = {
  readonly name: string;
  readonly breakIt: (dir: string, close: () => Promise<void>) => Promise<void>;
  readonly mend: (dir: string) => Promise<void>;
};

const breakages: readonly Breakage[] = [
  { name: "the log's file is closed", breakIt: (_dir, close) => close(), mend: async () => undefined },
  {
    name: "the manifest cannot be replaced",
    breakIt: (dir) => blockWithDirectory(path.join(dir, "session.json")),
    mend: (dir) => putBack(path.join(dir, "session.json")),
  },
];

/** A directory that is not empty stands where the manifest was: nothing can be renamed over it. */
async function blockWithDirectory(file: string): Promise<void> {
  await rename(file, `${file}.kept`);
  await mkdir(file);
  await writeFile(path.join(file, "x"), "");
}

async function putBack(file: string): Promise<void> {
  await rm(file, { recursive: true, force: true });
  await rename(`${file}.kept`, file);
}

async function oneBreakage(dir: string, breakage: Breakage, durability: Durability): Promise<Case> {
  const files = await diskSessionFiles(dir, { durability });
  const journal = createJournal(identity(), journalOptions(files, durability));
  const acknowledged: EventRecord[] = [];
  for (const event of shortStory) acknowledged.push(await journal.append(event));
  await breakage.breakIt(dir, async () => files[Symbol.asyncDispose]());
  const failure: unknown = await journal.append(padding(1)).catch((error: unknown) => error);
  const after: unknown = await journal.append(padding(1)).catch((error: unknown) => error);
  await files[Symbol.asyncDispose]();
  await breakage.mend(dir);
  const name = `${breakage.name}, durability ${durability}`;
  return await judge(dir, { name, durability, told: { acknowledged, failure, after } });
}

/** What is told to a device in the log's place: one that takes nothing, or one that cannot be synced. */
export async function toldOn(
  device: "/dev/full" | "/dev/null",
  durability: Durability,
): Promise<Told & { readonly closed: unknown }> {
  const dir = await mkdtemp(path.join(os.tmpdir(), "baton-device-"));
  const log = path.join(dir, "events.jsonl");
  await symlink(device, log);
  try {
    await using files = await diskSessionFiles(dir, { durability });
    const journal = createJournal(identity(), journalOptions(files, durability));
    const told = await tellUntilItFails(journal, 1);
    const line = Buffer.from("{}\n");
    const closed: unknown = await files.append(line, { barrier: false }).catch((error: unknown) => error);
    return { ...told, closed };
  } finally {
    await unlink(log);
    await rm(dir, { recursive: true, force: true });
  }
}
