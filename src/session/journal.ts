import type { EventRecord, GoOn, Head, Payload, SessionEvent } from "./event.ts";
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
  /** What the log held when it was opened; what came later is not kept in memory. */
  readonly history: readonly EventRecord[];
  readonly append: (event: SessionEvent) => Promise<EventRecord>;
  /** Appends `turn.ended` with the checkpoint of the state that it leads to. */
  readonly endTurn: (turn: {
    readonly turn: number;
    readonly next: GoOn;
    readonly ms: number;
  }) => Promise<EventRecord>;
  /** Inline up to 8 KiB, else a blob, stored before this resolves. Secrets are masked first. */
  readonly store: (text: string) => Promise<Payload>;
  readonly load: (payload: Payload) => Promise<string>;
};
