import type { Meaning, MeantCall } from "./grammar.ts";

/** What a session has to come to. */
export type Predicted = {
  readonly requests: number;
  /** Requests for a summary of the older part of the conversation. */
  readonly summaries: number;
  readonly end: string;
  /** Ids of the calls that run, in order; the reads of a batch run at the same time. */
  readonly ran: readonly string[];
  /** Waits before another try, ms. */
  readonly waits: readonly number[];
  /** Time from the first request to the end, ms: what was waited, and what silence was borne. */
  readonly elapsedMs: number;
  /** Milliseconds from the end of the session to the time to come back; null when no time is named. */
  readonly comeBackMs: number | null;
};

const triesMax = 6;
const cutsMax = 3;
const pausesMax = 5;
export const quarterMs = 15 * 60_000;

/** The middle of a window that doubles from two seconds to a minute, since the draw of the sessions is a half. */
export function waitMs(tries: number, retryAfterMs: number | null): number {
  if (retryAfterMs !== null && retryAfterMs >= 1000) return retryAfterMs;
  return 1000 + (Math.min(60_000, 1000 * 2 ** tries) - 1000) / 2;
}

export type Facts = {
  /** What an earlier run left: tries of the open turn, cut and paused replies in a row, and summaries. */
  readonly tries?: number;
  readonly cuts?: number;
  readonly pauses?: number;
  readonly summaries?: number;
  /** Active time, ms; no wait may be longer than what is left of it. */
  readonly budgetMs?: number;
};

/** Walks through what the answers mean, one a request. */
export function predict(
  meanings: readonly Meaning[],
  { budgetMs = Number.POSITIVE_INFINITY, ...left }: Facts = {},
): Predicted {
  const ran: string[] = [];
  let { tries = 0, cuts = 0, pauses = 0 } = left;
  let empty = false;
  let summaries = 0;
  const isShortened = () => (left.summaries ?? 0) + summaries > 0;
  const waits: number[] = [];
  let silentMs = 0;
  const elapsedMs = () => waits.reduce((sum, ms) => sum + ms, silentMs);
  const ends = (requests: number, end: string, comeBackMs: number | null = null): Predicted => {
    return { requests, summaries, end, ran, waits, elapsedMs: elapsedMs(), comeBackMs };
  };
  const provider = (requests: number, comeBackMs: number | null) => ends(requests, "provider", comeBackMs);
  if (tries >= triesMax) return provider(0, quarterMs);
  for (const [i, meaning] of meanings.entries()) {
    tries += 1;
    switch (meaning.kind) {
      case "final":
        return provider(i + 1, meaning.retryAfterMs);
      case "too-large":
        // It is shortened once; if that does not help, nothing does.
        if (isShortened()) return provider(i + 1, null);
        summaries += 1;
        continue;
      case "dropped": {
        const { retryAfterMs } = meaning;
        const ms = waitMs(tries, retryAfterMs);
        silentMs += meaning.silentMs ?? 0;
        if (tries >= triesMax || ms > budgetMs - elapsedMs()) {
          return provider(i + 1, (retryAfterMs ?? 0) >= 1000 ? retryAfterMs : quarterMs);
        }
        waits.push(ms);
        continue;
      }
      case "taken":
        break;
    }
    tries = 0;
    if (meaning.runs) ran.push(...meaning.calls.map(({ id }: MeantCall) => id));
    cuts = meaning.next === "cut" || meaning.next === "full" ? cuts + 1 : 0;
    pauses = meaning.next === "paused" ? pauses + 1 : 0;
    switch (meaning.next) {
      case "unknown":
      case "declined":
      case "finished":
        return ends(i + 1, meaning.next);
      case "empty":
        if (empty) return ends(i + 1, "finished");
        empty = true;
        break;
      case "cut":
        if (cuts === cutsMax) return ends(i + 1, "stuck");
        break;
      case "full":
        if (cuts === cutsMax) return ends(i + 1, "stuck");
        if (isShortened()) return provider(i + 1, null);
        summaries += 1;
        break;
      case "paused":
        if (pauses === pausesMax) return provider(i + 1, quarterMs);
        break;
      case "calls":
        break;
    }
  }
  throw new Error("the session goes on after its last answer");
}
