import type { End } from "./end.ts";
import type { Reply } from "./model.ts";

export const triesMax = 6;

/**
 * When to come back where the provider does not say, ms. An outage or a storm of refusals has mostly passed by then,
 * and a job that finds that it has not costs one more round of tries.
 */
export const comeBackMs = 15 * 60_000;

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

/**
 * What follows a failed request: a wait and another try, or an end. Where time alone may help, the end says when to
 * come back; where somebody has to put something right first, only if the provider named a time.
 */
export function afterFailure(failure: Failure, { tries, random, remainingMs, nowMs }: RetryFacts): Retry {
  const { verdict, reason, retryAfterMs } = failure;
  switch (verdict) {
    case "cancelled":
      return { kind: "stop", end: { kind: "cancelled" } };
    case "final":
    case "too-large":
    case "unread-image":
    case "unfit-thinking":
    case "long-output": {
      const retryAtMs = retryAfterMs === null ? null : nowMs + retryAfterMs;
      return { kind: "stop", end: { kind: "provider", reason, retryAtMs } };
    }
    case "again":
      break;
  }
  // Less than our own shortest wait is no advice: six tries would be gone in no time.
  const advisedMs = retryAfterMs !== null && retryAfterMs >= firstWaitMs ? retryAfterMs : null;
  const later = (why: string): Retry => {
    return { kind: "stop", end: unavailable(why, { nowMs, retryAfterMs: advisedMs }) };
  };
  if (tries >= triesMax) return later(`${tries} requests failed, the last one: ${reason}`);
  const ms = advisedMs ?? backoffMs(tries, random);
  return ms > remainingMs
    ? later(`${reason}; the next try would be after the time budget`)
    : { kind: "wait", ms };
}

/** The end of a run whose provider is there again sooner or later. */
export function unavailable(
  reason: string,
  { nowMs, retryAfterMs }: { readonly nowMs: number; readonly retryAfterMs: number | null },
): End {
  return { kind: "provider", reason, retryAtMs: nowMs + (retryAfterMs ?? comeBackMs) };
}

/** Full jitter over a window that doubles with each try. */
export function backoffMs(tries: number, random: number): number {
  const window = Math.min(waitMsMax, firstWaitMs * 2 ** tries);
  return Math.round(firstWaitMs + random * (window - firstWaitMs));
}
