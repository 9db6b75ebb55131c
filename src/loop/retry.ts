import type { End } from "./end.ts";
import type { Reply } from "./model.ts";

export const triesMax = 6;

const firstWaitMs = 1_000;
const waitMsMax = 60_000;

export type Failure = Extract<Reply, { kind: "failed" }>;

export type Retry =
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "stop"; readonly end: End };

export type RetryFacts = {
  /** Requests made for this turn, the failed one included. */
  readonly tries: number;
  /** Uniform in [0, 1). */
  readonly random: number;
  /** Active time left, ms: no wait may be longer. */
  readonly remainingMs: number;
  /** Wall time, ms. */
  readonly nowMs: number;
};

/** What follows a failed request: a wait and another try, or an end that says when to come back. */
export function afterFailure(failure: Failure, facts: RetryFacts): Retry {
  const { verdict, reason, retryAfterMs } = failure;
  const retryAtMs = retryAfterMs === null ? null : facts.nowMs + retryAfterMs;
  const stop = (why: string): Retry => ({ kind: "stop", end: { kind: "provider", reason: why, retryAtMs } });
  if (verdict === "cancelled") return { kind: "stop", end: { kind: "cancelled" } };
  if (verdict === "final" || verdict === "too-large") return stop(reason);
  if (facts.tries >= triesMax) return stop(`${facts.tries} requests failed, the last one: ${reason}`);
  const ms = retryAfterMs ?? backoffMs(facts.tries, facts.random);
  if (ms > facts.remainingMs) return stop(`${reason}; the next try would be after the time budget`);
  return { kind: "wait", ms };
}

/** Full jitter over a window that doubles with each try. */
export function backoffMs(tries: number, random: number): number {
  const window = Math.min(waitMsMax, firstWaitMs * 2 ** tries);
  return Math.round(firstWaitMs + random * (window - firstWaitMs));
}
