import type { Clock } from "../base/clock.ts";
import type { Allowance, Host } from "../delivery/host.ts";
import { isScarce, stretched } from "./thrift.ts";

/** Looks at what others do while a run works: beside it, one at a time, more seldom the less may still be asked. */
export type Looks = {
  /** Begins one, unless one is under way or the last one was too short ago. */
  readonly begin: () => void;
  /** Waits for the one under way, `ms` at most. */
  readonly settled: (ms: number) => Promise<void>;
  /** Waits for one that begins no sooner than now and leaves nothing out, `ms` at most. */
  readonly fresh: (ms: number) => Promise<void>;
};

const everyMs = 30_000;

/** How long after a look the next one may be made: at once as long as there is plenty, then ever more seldom. */
export function restMs(allowance: Allowance): number {
  const ms = stretched(everyMs, allowance);
  return ms === everyMs ? 0 : ms;
}

/**
 * `look` is made by itself every half minute, or more seldom, until the signal ends that. One that fails has `failed`
 * told, and counts as made.
 */
export function openLooks(
  look: (what: "some" | "all") => Promise<void>,
  {
    host,
    clock,
    signal,
    failed,
  }: {
    readonly host: Pick<Host, "allowance">;
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly failed: (error: unknown) => void;
  },
): Looks {
  let underWay: Promise<void> | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let ticks = false;

  const begin = async (what: "some" | "all"): Promise<void> => {
    lookedAt = clock.elapsed();
    const made = look(what).catch(failed);
    underWay = made;
    await made;
    underWay = null;
  };

  const tick = async (): Promise<void> => {
    while (!isScarce(host.allowance) && !signal.aborted) {
      await clock.sleep(Math.max(everyMs, restMs(host.allowance)), { signal });
      if (!signal.aborted) await (underWay ?? begin("some"));
    }
    ticks = false;
  };

  // It stops while hardly anything may be asked, and whoever asks the next time starts it again.
  const keepTicking = (): void => {
    if (ticks) return;
    ticks = true;
    void tick();
  };

  const within = async (work: Promise<void>, ms: number): Promise<void> => {
    const done = new AbortController();
    await Promise.race([work, clock.sleep(ms, { signal: AbortSignal.any([signal, done.signal]) })]);
    done.abort();
  };

  const fresh = async (): Promise<void> => {
    while (underWay !== null) await underWay;
    await begin("all");
  };

  keepTicking();
  return {
    begin: () => {
      keepTicking();
      if (underWay === null && clock.elapsed() - lookedAt >= restMs(host.allowance)) void begin("some");
    },
    settled: async (ms) => {
      if (underWay !== null) await within(underWay, ms);
    },
    fresh: (ms) => within(fresh(), ms),
  };
}
