import type { Clock } from "../../../src/base/clock.ts";

/** Time that stands still until a test moves it; a sleep ends when the time has passed it. */
export function stoppedClock(): Clock & {
  readonly advance: (ms: number) => void;
  readonly sleeping: () => number;
} {
  let elapsed = 0;
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  return {
    now: () => 1_764_000_000_000 + elapsed,
    elapsed: () => elapsed,
    sleep: (ms, { signal }) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const sleeper = {
          until: elapsed + ms,
          wake: () => {
            sleepers.delete(sleeper);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal.addEventListener("abort", sleeper.wake, { once: true });
      }),
    advance: (ms) => {
      elapsed += ms;
      for (const sleeper of [...sleepers]) if (sleeper.until <= elapsed) sleeper.wake();
    },
    sleeping: () => sleepers.size,
  };
}
