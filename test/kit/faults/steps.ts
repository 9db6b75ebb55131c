import type { Step } from "./case.ts";
import { type Meaning, meaningOf } from "./grammar.ts";
import type { Delivery } from "./server.ts";
import { type Events, encode, type Form, type StreamName, streams, talk } from "./streams.ts";

export type Shape = Partial<Omit<Delivery, "bytes">> & { readonly form?: Form };

/** A stream sent to its end, unless `shape` says otherwise; what it means follows from its events. */
export function told(events: Events, { form, ends = { kind: "end" }, ...shape }: Shape = {}): Step {
  return { delivery: { bytes: encode(events, form), ends, ...shape }, meaning: meaningOf(events) };
}

/** An answer of which nothing counts, given up after `silentMs` where it does not end. */
export function lost(delivery: Delivery, silentMs = 0): Step {
  return { delivery, meaning: { kind: "dropped", retryAfterMs: null, silentMs } };
}

export function as(step: Step, meaning: Meaning): Step {
  return { ...step, meaning };
}

export const good = {
  work: told(streams.work),
  long: told(streams.long),
  talk: told(streams.talk),
} as const;

/** The answers of a session in which `steps` come before the stream they spoil, which then comes whole. */
export function around(name: StreamName, steps: readonly Step[]): readonly Step[] {
  return name === "talk" ? [...steps, good.talk] : [...steps, good[name], good.talk];
}

/** After a reply that was taken, the session ends with a last message. */
export function closing(steps: readonly Step[]): readonly Step[] {
  return [...steps, told(talk)];
}

export const streamNames = Object.keys(streams) as readonly StreamName[];
