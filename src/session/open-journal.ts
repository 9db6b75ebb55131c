import type { Clock } from "../base/clock.ts";
import { limits } from "../base/limits.ts";
import type { Mask } from "../base/masking.ts";
import { promiseQueue } from "../base/queue.ts";
import { beginning, type Checkpoint, encodeCheckpoint, lastCheckpoint, stateFrom } from "./checkpoint.ts";
import type { EventRecord, Head, Identity, SessionEvent } from "./event.ts";
import type { Blobs, SessionFiles } from "./files.ts";
import type { Journal } from "./journal.ts";
import { encodeManifest, type Manifest } from "./manifest.ts";
import { loadPayload, masked, maskedCheckpoint, maskedJson, payloadOf, spill } from "./payload.ts";
import { recordsFrom } from "./reader.ts";
import { encodeRecord, genesis } from "./record.ts";
import { evolve, initialState, type State } from "./state.ts";
import { formatVersion } from "./upcast.ts";
import type { VerifiedLog } from "./verify.ts";

/** The log could not be written: no further effect may start, and the run ends `failed: storage`. */
export class StorageFailure extends Error {
  override readonly name = "StorageFailure";
}

export type JournalOptions = {
  readonly files: SessionFiles;
  readonly clock: Clock;
  readonly mask: Mask;
  readonly durability: "process" | "disk";
};

/** What a shipment is made of, taken at one point between two appends. */
export type Snapshot = { readonly manifest: Uint8Array; readonly log: Uint8Array; readonly head: Head };

export type OpenJournal = Journal & {
  readonly snapshot: () => Promise<Snapshot>;
  /** Bytes that this run has added to the log. */
  readonly written: number;
};

/**
 * A journal with nothing in it; the first append has to be `session.opened`. `gen` is 1 unless runs that stored
 * nothing had claimed the session before.
 */
export function createJournal(
  identity: Identity,
  options: JournalOptions & { readonly gen?: number },
): OpenJournal {
  const { gen = 1 } = options;
  return journalAt(
    { identity, gen, head: genesis, acked: genesis, length: 0, state: initialState, checkpoint: beginning },
    options,
  );
}

/**
 * Goes on with a verified log under generation `gen`. A torn record is cut first, then the manifest is brought to the
 * tail, then `log.repaired` says so: a crash in between is the same window again.
 */
export async function openJournal(
  log: VerifiedLog,
  options: JournalOptions & { readonly gen: number },
): Promise<OpenJournal> {
  const torn = log.tornBytes > 0 ? await cutTorn(log, options.files) : null;
  const { identity } = log.manifest;
  const checkpoint = await lastCheckpoint(log, options.files);
  const state = stateFrom(checkpoint, log);
  // At level D records after the last barrier may be in memory only: the next barrier acknowledges them.
  const acked = options.durability === "disk" ? log.manifest.acked : log.tail;
  const { tail: head, length } = log;
  const start = { identity, gen: options.gen, head, acked, length, state, checkpoint };
  const journal = journalAt(start, options);
  if (torn !== null) await journal.append({ type: "log.repaired", ...torn });
  return journal;
}

function cutTorn(log: VerifiedLog, files: SessionFiles): ReturnType<SessionFiles["cut"]> {
  return files.cut(log.length).catch((cause: unknown) => {
    throw new StorageFailure(`cannot cut the torn record ${log.tail.seq + 1}`, { cause });
  });
}

type Start = {
  readonly identity: Identity;
  readonly gen: number;
  readonly head: Head;
  readonly acked: Head;
  /** Bytes of the log up to `head`. */
  readonly length: number;
  readonly state: State;
  readonly checkpoint: Checkpoint;
};

function journalAt(start: Start, options: JournalOptions): OpenJournal {
  const { files, clock, mask, durability } = options;
  let { head, acked, state } = start;
  let written = 0;
  let poisoned: unknown = null;
  const queued = promiseQueue();

  const manifestFor = (next: Head, status: Manifest["status"], known = acked): Uint8Array => {
    const { identity, gen } = start;
    return encodeManifest({ format: formatVersion, identity, gen, status, durability, next, acked: known });
  };

  const refuseWhenPoisoned = (): void => {
    if (poisoned !== null)
      throw new StorageFailure("the log is closed after a failed write", { cause: poisoned });
  };

  /** The record that would name a lost blob cannot follow, so its failure closes the log as that of a line does. */
  const put: Blobs["put"] = async (bytes) => {
    refuseWhenPoisoned();
    return files.blobs.put(bytes).catch((cause: unknown) => {
      poisoned = cause;
      throw new StorageFailure(`cannot store a blob of ${bytes.length} bytes`, { cause });
    });
  };

  const write = async (event: SessionEvent): Promise<EventRecord> => {
    refuseWhenPoisoned();
    const fitting = await spill(masked(event, mask), put);
    const line = encodeRecord(fitting, { previous: head, gen: start.gen, at: clock.now() });
    const next = { seq: line.record.seq, hash: line.record.hash };
    const barrier = isBarrier(fitting);
    const after = evolve(state, fitting);
    try {
      // At level P every record before this one is acknowledged by now; at level D, all up to the last barrier.
      if (durability === "process") acked = head;
      await files.replaceManifest(manifestFor(next, after.status), { barrier });
      await files.append(line.bytes, { barrier });
      written += line.bytes.length;
      head = next;
      state = after;
      // A clean suspend or end leaves no window at all, and neither does a call that cannot be looked up: lost with
      // its record it would run again.
      const closes = after.status !== "open" || beginsExternal(fitting);
      if (barrier || closes) acked = head;
      if (closes) await files.replaceManifest(manifestFor(next, after.status), { barrier });
    } catch (cause) {
      poisoned = cause;
      throw new StorageFailure(`cannot write record ${next.seq} (${event.type})`, { cause });
    }
    return line.record;
  };

  return {
    get state() {
      return state;
    },
    get head() {
      return head;
    },
    get written() {
      return written;
    },
    checkpoint: start.checkpoint,
    append: (event) => queued(() => write(event)),
    recordsFrom: (offset) =>
      queued(async () => [...recordsFrom(await logUpTo(start.length + written, files), offset)]),
    store: (text, { apart = false, json = false } = {}) =>
      payloadOf(json ? maskedJson(text, { mask }) : mask(text), put, apart ? 0 : limits.inlineBytesMax),
    load: (payload) => loadPayload(payload, files),
    endTurn: async ({ turn, next, ms, loop }) => {
      const bare = { type: "turn.ended", turn, next, ms, checkpoint: null } as const;
      return queued(async () => {
        const text = encodeCheckpoint({ state: evolve(state, bare), loop });
        const checkpoint = await payloadOf(maskedCheckpoint(text, mask), put, limits.checkpointBytesMax);
        return write({ ...bare, checkpoint });
      });
    },
    snapshot: () =>
      queued(async () => {
        const log = await logUpTo(start.length + written, files);
        return { manifest: manifestFor(head, state.status, head), log, head };
      }),
  };
}

/** After a failed write there may be bytes behind the last record that nobody has acknowledged. */
async function logUpTo(length: number, files: SessionFiles): Promise<Uint8Array> {
  return (await files.read()).log.subarray(0, length);
}

function beginsExternal(event: SessionEvent): boolean {
  return event.type === "calls.intended" && event.calls.some((call) => call.class === "external");
}

/** At level D these wait for the disk: what the next thing that happens relies on. */
function isBarrier(event: SessionEvent): boolean {
  switch (event.type) {
    case "session.opened":
    case "run.claimed":
    case "calls.intended":
    case "call.settled":
    case "effect.intended":
    case "effect.settled":
    case "gate.passed":
    case "run.suspended":
    case "session.ended":
      return true;
    default:
      return false;
  }
}
