import { setTimeout as sleepFor } from "node:timers/promises";

export interface LadderWaits {
  /** Milliseconds from SIGINT to SIGTERM. */
  readonly afterSigintMs: number;
  /** Milliseconds from SIGTERM to SIGKILL. */
  readonly afterSigtermMs: number;
}

/** The waits of the real runner (actions/runner, ProcessInvoker.cs). */
export const runnerWaits: LadderWaits = { afterSigintMs: 7500, afterSigtermMs: 2500 };

export interface LadderOptions {
  readonly waits?: LadderWaits;
  /** Waits `ms` or until the signal aborts; an argument so that a test need not wait. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Cancels a process as the runner does: SIGINT, then SIGTERM, then SIGKILL, each only if it still runs.
 * `send` signals that one process and never its children. Resolves when it has gone or SIGKILL was sent.
 */
export async function cancelByLadder(
  send: (signal: NodeJS.Signals) => void,
  gone: AbortSignal,
  { waits = runnerWaits, sleep = sleepUnlessGone }: LadderOptions = {},
): Promise<void> {
  const rungs = [
    ["SIGINT", waits.afterSigintMs],
    ["SIGTERM", waits.afterSigtermMs],
    ["SIGKILL", 0],
  ] as const;
  for (const [signal, ms] of rungs) {
    if (gone.aborted) return;
    send(signal);
    if (ms > 0) await sleep(ms, gone);
  }
}

async function sleepUnlessGone(ms: number, signal: AbortSignal): Promise<void> {
  // The only rejection is the abort, and the ladder looks at the signal itself.
  await sleepFor(ms, undefined, { signal, ref: false }).catch(() => {});
}
