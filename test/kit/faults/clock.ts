import type { Clock } from "../../../src/base/clock.ts";

/** Time that moves only when it is moved, and tells how often it was asked: a client asks it for each piece it reads. */
export type VirtualClock = Clock & {
  readonly asked: () => number;
  /** Monotonic ms at which the next sleeper wakes; null when nobody sleeps. */
  readonly nextDue: () => number | null;
  readonly moveTo: (ms: number) => void;
};

export const startOfTime = Date.UTC(2026, 10, 30, 12);

export function virtualClock(): VirtualClock {
  let elapsed = 0;
  let asked = 0;
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  return {
    now: () => startOfTime + elapsed,
    elapsed: () => {
      asked += 1;
      return elapsed;
    },
    sleep: (ms, { signal }) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const sleeper = {
          until: elapsed + ms,
          wake: () => {
            sleepers.delete(sleeper);
            signal.removeEventListener("abort", sleeper.wake);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal.addEventListener("abort", sleeper.wake, { once: true });
      }),
    asked: () => asked,
    nextDue: () => (sleepers.size === 0 ? null : Math.min(...[...sleepers].map(({ until }) => until))),
    moveTo: (ms) => {
      elapsed = Math.max(elapsed, ms);
      for (const sleeper of [...sleepers]) if (sleeper.until <= elapsed) sleeper.wake();
    },
  };
}
