import type { Checkpoint } from "./checkpoint.ts";
import type { EventRecord, GoOn, Head, Payload, SessionEvent } from "./event.ts";
import type { Placed } from "./reader.ts";
import type { State } from "./state.ts";

/**
 * The open log: single writer, current state. Appends go through one queue, so that parallel callers cannot
 * interleave; each resolves only once the record is acknowledged at the level in force. A failed write poisons the
 * journal: every later append throws `StorageFailure`.
 */
export type Journal = {
  readonly state: State;
  /** The last record; `seq` 0 before the first. */
  readonly head: Head;
  /** The last one that the log held when it was opened. */
  readonly checkpoint: Checkpoint;
  /** What the log holds from a byte on, where a record has to begin; oldest first. */
  readonly recordsFrom: (offset: number) => Promise<readonly Placed[]>;
  readonly append: (event: SessionEvent) => Promise<EventRecord>;
  /** Appends `turn.ended` with the checkpoint of the state that it leads to. `loop` is kept in it as JSON. */
  readonly endTurn: (turn: TurnEnd & { readonly loop: unknown }) => Promise<EventRecord>;
  /**
   * Inline up to 8 KiB, else a blob, stored before this resolves; `apart` always a blob. Secrets are masked first. `json`
   * is for text that is read as JSON again, of which only the strings are looked at: a secret may be JSON itself.
   */
  readonly store: (
    text: string,
    options?: { readonly apart?: boolean; readonly json?: boolean },
  ) => Promise<Payload>;
  readonly load: (payload: Payload) => Promise<string>;
};

/** All that has happened so far, oldest first. */
export async function eventsOf({
  recordsFrom,
}: Pick<Journal, "recordsFrom">): Promise<readonly SessionEvent[]> {
  return (await recordsFrom(0)).map(({ record }) => record.event);
}

export type TurnEnd = { readonly turn: number; readonly next: GoOn; readonly ms: number };
