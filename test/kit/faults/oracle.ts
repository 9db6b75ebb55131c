import type { Meaning, MeantCall } from "./grammar.ts";

/** What a session has to come to. */
export type Predicted = {
  readonly requests: number;
  /** Requests for a summary of the older part of the conversation. */
  readonly summaries: number;
  readonly end: string;
  /** Ids of the calls that run, in order; the reads of a batch run at the same time. */
  readonly ran: readonly string[];
  /** Milliseconds from the end of the session to the time to come back; null when no time is named. */
  readonly comeBackMs: number | null;
};

const triesMax = 6;
const cutsMax = 3;
const pausesMax = 5;
const quarterMs = 15 * 60_000;

export type Facts = {
  /** Tries that the open turn has used up already. */
  readonly tries?: number;
  /** Active time, ms; no wait may be longer than what is left of it. */
  readonly budgetMs?: number;
};

/** Walks through what the answers mean, one a request. */
export function predict(
  meanings: readonly Meaning[],
  { tries: before = 0, budgetMs = Number.POSITIVE_INFINITY }: Facts = {},
): Predicted {
  const ran: string[] = [];
  let tries = before;
  let cuts = 0;
  let pauses = 0;
  let empty = false;
  let summaries = 0;
  const provider = (requests: number, comeBackMs: number | null): Predicted => {
    return { requests, summaries, end: "provider", ran, comeBackMs };
  };
  const ends = (requests: number, end: string): Predicted => {
    return { requests, summaries, end, ran, comeBackMs: null };
  };
  if (tries >= triesMax) return provider(0, quarterMs);
  for (const [i, meaning] of meanings.entries()) {
    tries += 1;
    switch (meaning.kind) {
      case "final":
        return provider(i + 1, meaning.retryAfterMs);
      case "too-large":
        // It is shortened once; if that does not help, nothing does.
        if (summaries > 0) return provider(i + 1, null);
        summaries += 1;
        continue;
      case "dropped": {
        const { retryAfterMs } = meaning;
        if (tries >= triesMax || (retryAfterMs ?? 0) > budgetMs)
          return provider(i + 1, retryAfterMs ?? quarterMs);
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
        if (summaries > 0) return provider(i + 1, null);
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
