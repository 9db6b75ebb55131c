import type { SessionEvent } from "../session/event.ts";
import { type HostRefusal, HostUnavailable } from "./host.ts";

/** What an effect needs besides GitHub: the log, and the way of the log off this machine. */
export type EffectTools = {
  /** Resolves once the event is durable. */
  readonly append: (event: SessionEvent) => Promise<unknown>;
  /** Resolves once everything appended so far is off this machine, or it is known that nothing can be. */
  readonly shipped: () => Promise<void>;
  /** Why this run may make nothing any more, or null while the session is its own. Throws `HostUnavailable`. */
  readonly fenced: () => Promise<string | null>;
};

export type EffectDone<T> = {
  readonly kind: "done";
  readonly value: T;
  readonly detail: string;
  readonly url: string | null;
};

export type Effect<T> = {
  /** `<session>/branch` and so on. */
  readonly key: string;
  /** What is going to be made, for whoever has to look it up. */
  readonly detail: string;
  /** Whether it is there already: done, null for not there, or a refusal for something else in its place. */
  readonly find: () => Promise<EffectDone<T> | HostRefusal | null>;
  readonly make: () => Promise<EffectDone<T> | HostRefusal>;
};

/**
 * One change outside (R21): its intent is recorded and shipped, then it is looked up, then done if it is not there,
 * then settled. A run that another one has replaced makes nothing. When GitHub's answer to the making was lost it is
 * looked up again. Where nobody can tell, the intent stays open and the next run looks it up; nothing is ever made twice.
 */
export async function carryOut<T>(
  effect: Effect<T>,
  tools: EffectTools,
): Promise<EffectDone<T> | HostRefusal> {
  const { key } = effect;
  await tools.append({ type: "effect.intended", key, detail: effect.detail });
  await tools.shipped();
  const [fence, result] = await Promise.all([found(() => fenceOf(tools)), found(effect.find)]);
  const made = result?.kind === "done" ? result : (fence ?? result ?? (await makeOnce(effect)));
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

async function fenceOf(tools: EffectTools): Promise<HostRefusal | null> {
  const why = await tools.fenced();
  return why === null ? null : { kind: "refused", code: "fenced", why };
}

async function makeOnce<T>(effect: Effect<T>): Promise<EffectDone<T> | HostRefusal> {
  const made = await effect.make();
  if (made.kind === "done" || (made.code !== "unavailable" && made.code !== "exists")) return made;
  // Our own request may have got through, now or in a run that died: what is there decides.
  return (await found(effect.find)) ?? made;
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
