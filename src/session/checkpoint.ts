import type { Payload } from "./event.ts";
import type { SessionFiles } from "./files.ts";
import { loadPayload } from "./payload.ts";
import { recordsBack, recordsFrom } from "./reader.ts";
import { foldFrom, initialState, type State } from "./state.ts";
import type { VerifiedLog } from "./verify.ts";

/** A fold that can be gone on from: what the log says up to record `seq`, which ends at byte `offset`. */
export type Checkpoint = {
  readonly seq: number;
  readonly offset: number;
  readonly state: State;
  /** What the loop keeps beside the state, as it gave it; null at the beginning. */
  readonly loop: unknown;
};

export const beginning: Checkpoint = { seq: 0, offset: 0, state: initialState, loop: null };

/** JSON text of what `turn.ended` keeps: state and loop after it, without the model's messages. */
export function encodeCheckpoint({ state, loop }: Pick<Checkpoint, "state" | "loop">): string {
  return JSON.stringify({ state, loop });
}

/** The last checkpoint, found by reading backwards; `beginning` where there is none. */
export async function lastCheckpoint(
  log: VerifiedLog,
  files: Pick<SessionFiles, "blobs">,
): Promise<Checkpoint> {
  let end = log.bytes.length;
  for (const { record, offset } of recordsBack(log.bytes)) {
    const { event, seq } = record;
    if (event.type === "turn.ended" && event.checkpoint !== null)
      return { seq, offset: end, ...(await decode(event.checkpoint, files)) };
    end = offset;
  }
  return beginning;
}

/** Folds from the last checkpoint: the cost is that of one turn, whatever the log's length. */
export async function stateOf(log: VerifiedLog, files: Pick<SessionFiles, "blobs">): Promise<State> {
  return stateFrom(await lastCheckpoint(log, files), log);
}

export function stateFrom({ state, offset }: Checkpoint, log: VerifiedLog): State {
  return foldFrom(
    state,
    [...recordsFrom(log.bytes, offset)].map(({ record }) => record),
  );
}

async function decode(
  payload: Payload,
  files: Pick<SessionFiles, "blobs">,
): Promise<Pick<Checkpoint, "state" | "loop">> {
  // Only ever text that `encodeCheckpoint` made, under the hash of its record or the digest of its blob.
  return JSON.parse(await loadPayload(payload, files)) as Pick<Checkpoint, "state" | "loop">;
}
