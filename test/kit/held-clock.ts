import type { Clock } from "../../src/base/clock.ts";

/** A clock that stands still; whoever sleeps wakes up when a test moves it that far. */
export function heldClock(): Clock & {
  readonly advance: (ms: number) => Promise<void>;
  /** How many wait for it. */
  readonly sleepers: () => number;
} {
  let elapsed = 0;
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();
  return {
    now: () => elapsed,
    elapsed: () => elapsed,
    sleep: (ms, { signal }) =>
      new Promise((resolve) => {
        const sleeper = { at: elapsed + ms, wake: resolve };
        sleepers.add(sleeper);
        const wake = (): void => {
          sleepers.delete(sleeper);
          resolve();
        };
        signal.addEventListener("abort", wake, { once: true });
        if (signal.aborted) wake();
      }),
    advance: async (ms) => {
      elapsed += ms;
      for (const sleeper of sleepers) {
        if (sleeper.at > elapsed) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
      await settled();
    },
    sleepers: () => sleepers.size,
  };
}

/** Whatever has nothing to wait for any more is done. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
