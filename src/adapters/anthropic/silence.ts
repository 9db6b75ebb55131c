import type { Clock } from "../../base/clock.ts";

/** How long a request may be silent, ms. */
export type Patience = {
  /** Until the first byte of the answer. */
  readonly firstByteMs: number;
  /** Between two bytes; the API sends pings while a model thinks. */
  readonly idleMs: number;
  /** Without progress: with pings, with events that nobody knows, with pieces that hold nothing. */
  readonly noProgressMs: number;
};

export const defaultPatience: Patience = { firstByteMs: 120_000, idleMs: 90_000, noProgressMs: 600_000 };

export type Watch = {
  readonly byte: () => void;
  /** More of the reply has come. */
  readonly progress: () => void;
  /** Why the request was given up, or null. */
  readonly why: () => string | null;
  /** Ends the watch; no timer is left behind. */
  readonly stop: () => void;
};

/** Calls `giveUp` once when the request has been silent for too long. The SDK itself waits for a body for ever. */
export function watchSilence(clock: Clock, patience: Patience, giveUp: () => void): Watch {
  const stopped = new AbortController();
  let firstByte = true;
  let byteAt = clock.elapsed();
  let progressAt = byteAt;
  let why: string | null = null;

  const due = (): { at: number; why: string } => {
    if (firstByte)
      return { at: byteAt + patience.firstByteMs, why: `no answer in ${patience.firstByteMs} ms` };
    const idle = { at: byteAt + patience.idleMs, why: `the reply stood still for ${patience.idleMs} ms` };
    const stuck = {
      at: progressAt + patience.noProgressMs,
      why: `the reply made no progress for ${patience.noProgressMs} ms`,
    };
    return stuck.at < idle.at ? stuck : idle;
  };
  const watch = async () => {
    // Ends with the request: each round waits for the next deadline, which bytes have moved on by then.
    while (!stopped.signal.aborted) {
      const next = due();
      const left = next.at - clock.elapsed();
      if (left <= 0) {
        why = next.why;
        giveUp();
        return;
      }
      // Never longer than the shortest deadline a byte can set meanwhile.
      await clock.sleep(Math.min(left, patience.idleMs), { signal: stopped.signal });
    }
  };
  void watch();

  return {
    byte: () => {
      firstByte = false;
      byteAt = clock.elapsed();
    },
    progress: () => {
      progressAt = clock.elapsed();
    },
    why: () => why,
    stop: () => stopped.abort(),
  };
}
