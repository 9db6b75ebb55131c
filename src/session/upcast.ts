import type { SessionEvent } from "./event.ts";

/** An event as some format wrote it: of known type, its fields that format's own. */
type Stored = { readonly type: string; readonly [field: string]: unknown };

/**
 * One step for each format that there was: events of format n to those of format n + 1. Only ever applied to what was
 * read; a log is never rewritten, so one of an older format is read as it is and continued in this one.
 */
const steps: readonly ((event: Stored) => Stored)[] = [withoutCheckpoint, withoutCheckpoint];

/** The version of manifest, log and shipment. A larger number is refused, never guessed at. */
export const formatVersion = steps.length + 1;

/** `format` is the one that the record names. Throws for one that this version does not know. */
export function upcast(event: SessionEvent, format: number): SessionEvent {
  if (format > formatVersion)
    throw new Error(`a record has format ${format}; this version reads up to ${formatVersion}`);
  return steps.slice(format - 1).reduce<Stored>((known, step) => step(known), event) as SessionEvent;
}

/**
 * A checkpoint saves work and proves nothing, so one of an older format is not translated: a fold begins before it.
 * Format 1 kept in it what the loop had not, and format 2 lacks what people are waited for and how long the context is.
 */
function withoutCheckpoint(event: Stored): Stored {
  return event.type === "turn.ended" ? { ...event, checkpoint: null } : event;
}
