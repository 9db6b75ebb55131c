import type { Clock } from "../../base/clock.ts";

/** Says when the next request of a kind may go. */
export type Pace = {
  /** Resolves when it may go, or when the signal is aborted. */
  readonly turn: (signal: AbortSignal) => Promise<void>;
  /** No bursts any more: GitHub has said that it was too much. */
  readonly slowDown: () => void;
};

/**
 * Lets `burst` requests pass at once, then one every `everyMs`. GitHub asks for a second between writes of whoever
 * makes many; its limit is on a minute, not on a pair, and a second before each of the first few would be added to the
 * start of every run.
 */
export function paceOf(options: {
  readonly burst: number;
  readonly everyMs: number;
  readonly clock: Clock;
}): Pace {
  const { everyMs, clock } = options;
  let { burst } = options;
  let nextMs = 0;
  return {
    turn: async (signal) => {
      const now = clock.elapsed();
      nextMs = Math.max(nextMs, now);
      const waitMs = nextMs - now - (burst - 1) * everyMs;
      nextMs += everyMs;
      if (waitMs > 0) await clock.sleep(waitMs, { signal });
    },
    slowDown: () => {
      burst = 1;
    },
  };
}
