import type { Clock } from "../base/clock.ts";
import { limits } from "../base/limits.ts";
import type { Mask } from "../base/masking.ts";
import type { EventRecord, Head, Identity, Payload, SessionEvent } from "./event.ts";
import type { Blobs, SessionFiles } from "./files.ts";
import type { Journal } from "./journal.ts";
import { encodeManifest, formatVersion, type Manifest } from "./manifest.ts";
import { encodeRecord, genesis } from "./record.ts";
import { evolve, foldFrom, initialState, type State } from "./state.ts";
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
    { identity, gen, head: genesis, acked: genesis, length: 0, state: initialState, history: [] },
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
  const state = await stateOf(log, options.files);
  // At level D records after the last barrier may be in memory only: the next barrier acknowledges them.
  const acked = options.durability === "disk" ? log.manifest.acked : log.tail;
  const { tail: head, length, records: history } = log;
  const journal = journalAt({ identity, gen: options.gen, head, acked, length, state, history }, options);
  if (torn !== null) await journal.append({ type: "log.repaired", ...torn });
  return journal;
}

function cutTorn(log: VerifiedLog, files: SessionFiles): ReturnType<SessionFiles["cut"]> {
  return files.cut(log.length).catch((cause: unknown) => {
    throw new StorageFailure(`cannot cut the torn record ${log.tail.seq + 1}`, { cause });
  });
}

/** Folds from the last checkpoint, found by reading backwards; a log without one is folded from its beginning. */
export async function stateOf(log: VerifiedLog, files: Pick<SessionFiles, "blobs">): Promise<State> {
  const at = log.records.findLastIndex((record) => record.event.type === "turn.ended");
  const event = log.records[at]?.event;
  if (event?.type !== "turn.ended") return foldFrom(initialState, log.records);
  const checkpoint = JSON.parse(await loadPayload(event.checkpoint, files)) as State;
  return foldFrom(checkpoint, log.records.slice(at + 1));
}

export async function loadPayload(payload: Payload, files: Pick<SessionFiles, "blobs">): Promise<string> {
  if (payload.type === "inline") return payload.text;
  const bytes = await files.blobs.get(payload.sha256);
  if (bytes === null) throw new Error(`blob ${payload.sha256} is missing or damaged`);
  return new TextDecoder().decode(bytes);
}

type Start = {
  readonly identity: Identity;
  readonly gen: number;
  readonly head: Head;
  readonly acked: Head;
  /** Bytes of the log up to `head`. */
  readonly length: number;
  readonly state: State;
  readonly history: readonly EventRecord[];
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
      // A clean suspend or end leaves no window at all.
      if (barrier || after.status !== "open") acked = head;
      if (after.status !== "open") await files.replaceManifest(manifestFor(next, after.status), { barrier });
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
    history: start.history,
    append: (event) => queued(() => write(event)),
    store: (text) => payloadOf(mask(text), put),
    load: (payload) => loadPayload(payload, files),
    endTurn: async ({ turn, next, ms }) => {
      const bare = { type: "turn.ended", turn, next, ms, checkpoint: { type: "inline", text: "" } } as const;
      return queued(async () => {
        const checkpoint = await payloadOf(
          JSON.stringify(evolve(state, bare)),
          put,
          limits.checkpointBytesMax,
        );
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

/** Each work begins when the one before it is done, come what may of that. */
function promiseQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let queue: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = queue.then(work);
    queue = result.catch(() => undefined);
    return result;
  };
}

/** After a failed write there may be bytes behind the last record that nobody has acknowledged. */
async function logUpTo(length: number, files: SessionFiles): Promise<Uint8Array> {
  return (await files.read()).log.subarray(0, length);
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

function masked(event: SessionEvent, mask: Mask): SessionEvent {
  const text = JSON.stringify(event);
  const clean = mask(text);
  return clean === text ? event : (JSON.parse(clean) as SessionEvent);
}

async function payloadOf(
  text: string,
  put: Blobs["put"],
  inlineMax: number = limits.inlineBytesMax,
): Promise<Payload> {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= inlineMax) return { type: "inline", text };
  return { type: "blob", sha256: await put(bytes), bytes: bytes.length };
}

/** A batch of many small payloads may be too long for one line: the largest ones move to blobs until it fits. */
async function spill(event: SessionEvent, put: Blobs["put"]): Promise<SessionEvent> {
  const room = limits.lineBytesMax - 512;
  let fitting = event;
  while (Buffer.byteLength(JSON.stringify(fitting)) > room) {
    const largest = inlineTexts(fitting).sort((a, b) => b.length - a.length)[0];
    if (largest === undefined || largest.length < 128) return fitting;
    const moved = await payloadOf(largest, put, 0);
    fitting = JSON.parse(JSON.stringify(fitting), (_key, value: unknown) =>
      isInline(value) && value.text === largest ? moved : value,
    ) as SessionEvent;
  }
  return fitting;
}

function inlineTexts(value: unknown): string[] {
  if (isInline(value)) return [value.text];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(inlineTexts);
}

function isInline(value: unknown): value is Extract<Payload, { type: "inline" }> {
  return typeof value === "object" && value !== null && (value as { type?: unknown }).type === "inline";
}
