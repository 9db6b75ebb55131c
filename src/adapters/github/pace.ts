import type { Clock } from "../../base/clock.ts";

/** The part of a Bottleneck group that the throttling plugin uses. */
export type Pace = {
  readonly key: (id: string) => {
    readonly schedule: (options: unknown, job: () => Promise<void>) => Promise<void>;
  };
};

/**
 * Lets `burst` requests pass at once, then one every `everyMs`. The plugin's own groups wait from the second request
 * on, which would add seconds to the start of every run; GitHub's limit is on a minute, not on a pair.
 */
export function paceOf(options: {
  readonly burst: number;
  readonly everyMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}): Pace {
  const { burst, everyMs, clock, signal } = options;
  let nextMs = 0;
  const schedule = async (_options: unknown, job: () => Promise<void>) => {
    const now = clock.elapsed();
    nextMs = Math.max(nextMs, now);
    const waitMs = nextMs - now - (burst - 1) * everyMs;
    nextMs += everyMs;
    if (waitMs > 0) await clock.sleep(waitMs, { signal });
    await job();
  };
  return { key: () => ({ schedule }) };
}
