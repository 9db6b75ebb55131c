import type { Clock } from "../base/clock.ts";
import type { SessionEvent } from "../session/event.ts";
import { type HostRefusal, HostUnavailable } from "./host.ts";

/** What it takes to make something once. */
export type MakeTools = {
  /** Why this run may make nothing any more, or null while the session is its own. Throws `HostUnavailable`. */
  readonly fenced: () => Promise<string | null>;
  readonly clock: Clock;
  /** Ends the waits for what GitHub may be slow to show. */
  readonly signal: AbortSignal;
};

/** What an effect needs besides GitHub: the log, and the way of the log off this machine. */
export type EffectTools = MakeTools & {
  /** Resolves once the event is durable. */
  readonly append: (event: SessionEvent) => Promise<unknown>;
  /** Resolves once everything appended so far is off this machine, or it is known that nothing can be. */
  readonly shipped: () => Promise<void>;
};

export type EffectDone<T> = {
  readonly kind: "done";
  readonly value: T;
  readonly detail: string;
  readonly url: string | null;
};

export type Making<T> = {
  /** Whether it is there already: done, null for not there, or a refusal for something else in its place. */
  readonly find: () => Promise<EffectDone<T> | HostRefusal | null>;
  readonly make: () => Promise<EffectDone<T> | HostRefusal>;
};

export type Effect<T> = Making<T> & {
  /** `<session>/branch` and so on. */
  readonly key: string;
  /** What is going to be made, for whoever has to look it up. */
  readonly detail: string;
};

/** GitHub may show what it has made only after a while; how long is not documented, ten seconds have been seen. */
const lookAgainMs = [1000, 2000, 4000, 8000];
const makesMax = 2;

/**
 * One change outside (R21): its intent is recorded and shipped, then it is made once, then settled. Where nobody can
 * tell whether it was made, the intent stays open and the next run looks it up.
 */
export async function carryOut<T>(
  effect: Effect<T>,
  tools: EffectTools,
): Promise<EffectDone<T> | HostRefusal> {
  const { key } = effect;
  await tools.append({ type: "effect.intended", key, detail: effect.detail });
  await tools.shipped();
  const made = await makeOnce(effect, tools);
  if (made.kind === "done") {
    await tools.append({
      type: "effect.settled",
      key,
      status: "done",
      detail: made.detail,
      url: made.url,
    });
  } else if (made.code !== "unavailable" && made.code !== "fenced") {
    await tools.append({ type: "effect.settled", key, status: "refused", detail: made.why, url: null });
  }
  return made;
}

/**
 * Looks for it, and makes it where it is not there; a run that another one has replaced makes nothing. Where GitHub's
 * answer to the making was lost it is looked for again, for longer than GitHub is known to take to show what it made,
 * and only then made a second time.
 */
export async function makeOnce<T>(effect: Making<T>, tools: MakeTools): Promise<EffectDone<T> | HostRefusal> {
  const [fence, result] = await Promise.all([found(() => fenceOf(tools)), found(effect.find)]);
  if (result?.kind === "done") return result;
  const before = fence ?? result;
  if (before !== null) return before;
  for (let number = 1; ; number += 1) {
    const made = await effect.make();
    if (made.kind === "done" || !mayBeMade(made)) return made;
    const seen = await lookAgain(effect, tools);
    if (seen !== null) return seen;
    if (made.code === "exists" || number >= makesMax || tools.signal.aborted) return made;
    const lost = await found(() => fenceOf(tools));
    if (lost !== null) return lost;
  }
}

function mayBeMade({ code, unmade }: HostRefusal): boolean {
  return (code === "unavailable" && unmade !== true) || code === "exists";
}

/** Our own request may have got through, now or in a run that died: what is there decides. */
async function lookAgain<T>(
  { find }: Making<T>,
  { clock, signal }: MakeTools,
): Promise<EffectDone<T> | HostRefusal | null> {
  let seen = await found(find);
  for (const ms of lookAgainMs) {
    if (signal.aborted || (seen !== null && !isUntold(seen))) break;
    await clock.sleep(ms, { signal });
    seen = await found(find);
  }
  return seen;
}

function isUntold(seen: { readonly kind: string; readonly code?: string }): boolean {
  return seen.kind === "refused" && seen.code === "unavailable";
}

async function fenceOf(tools: MakeTools): Promise<HostRefusal | null> {
  const why = await tools.fenced();
  return why === null ? null : { kind: "refused", code: "fenced", why };
}

/** A look-up without an answer is a refusal here; anything else that goes wrong is a surprise and thrown on. */
async function found<T>(find: () => Promise<T>): Promise<T | HostRefusal> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof HostUnavailable) return { kind: "refused", code: "unavailable", why: error.message };
    throw error;
  }
}
