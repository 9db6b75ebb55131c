import type { EventRecord, SessionEvent } from "./event.ts";
import { parseRecord } from "./record.ts";

/** A record and the byte of the log that its line begins at. */
export type Placed = { readonly record: EventRecord; readonly offset: number };

const newline = 10;

/**
 * The records from byte `offset` on, where a line has to begin, oldest first. `log` holds whole lines that were proved.
 * Throws, with record and offset, where one cannot be read.
 */
export function* recordsFrom(log: Uint8Array, offset: number): Generator<Placed, void> {
  for (let at = offset; at < log.length; ) {
    const end = log.indexOf(newline, at);
    if (end < 0) throw new Error(`the log does not end with a whole record at byte ${at}`);
    yield { record: parsed(log, at, end), offset: at };
    at = end + 1;
  }
}

/**
 * The records before byte `end`, newest first, each parsed only when it is asked for: what is found near the end costs
 * nothing of the history before it. What is appended behind `end` meanwhile is not seen.
 */
export function* recordsBack(log: Uint8Array, end: number = log.length): Generator<Placed, void> {
  for (let after = end; after > 0; ) {
    // Where the line before this one ended; the first line has none before it.
    const before = after < 2 ? -1 : log.lastIndexOf(newline, after - 2);
    const offset = before + 1;
    yield { record: parsed(log, offset, after - 1), offset };
    after = offset;
  }
}

/** The last event of a type; looks through the whole log where there is none. */
export function lastEvent<Type extends SessionEvent["type"]>(
  log: Uint8Array,
  type: Type,
): Extract<SessionEvent, { type: Type }> | null {
  for (const { record } of recordsBack(log)) {
    const { event } = record;
    if (isOf(event, type)) return event;
  }
  return null;
}

function isOf<Type extends SessionEvent["type"]>(
  event: SessionEvent,
  type: Type,
): event is Extract<SessionEvent, { type: Type }> {
  return event.type === type;
}

function parsed(log: Uint8Array, offset: number, end: number): EventRecord {
  try {
    return parseRecord(log.subarray(offset, end));
  } catch (cause) {
    throw new Error(`the record at byte ${offset} cannot be read`, { cause });
  }
}
