import { digestOf } from "../base/hash.ts";
import type { IntendedCall, Payload, SessionEvent } from "../session/event.ts";

/**
 * What the model has read, as far back as its context goes: what was cut out of the context can be learned anew. A
 * fold over the events that the context is a fold of.
 */
export type Readings = {
  /** By call id: the whole output, or the output where it was not cut. */
  readonly outputs: Readonly<Record<string, Payload>>;
  /** Calls with their results, as digests. */
  readonly seen: ReadonlySet<string>;
  /** The last batch. */
  readonly calls: readonly IntendedCall[];
};

export const noReadings: Readings = { outputs: {}, seen: new Set(), calls: [] };

export function gather(readings: Readings, event: SessionEvent): Readings {
  switch (event.type) {
    case "calls.intended":
      return { ...readings, calls: event.calls };
    case "call.settled": {
      const key = keyOfReading(readings, event);
      return {
        ...readings,
        outputs: { ...readings.outputs, [event.id]: event.whole ?? event.output },
        seen: key === null ? readings.seen : new Set([...readings.seen, key]),
      };
    }
    default:
      return readings;
  }
}

/** Whether a settlement, not yet gathered, shows the model something that it has not seen. */
export function isNews(readings: Readings, event: SessionEvent): boolean {
  if (event.type !== "call.settled") return false;
  const key = keyOfReading(readings, event);
  return key !== null && !readings.seen.has(key);
}

/** A payload's digest, wherever its bytes are. */
export function digestIn(payload: Payload): string {
  return payload.type === "inline" ? digestOf(payload.text) : payload.sha256;
}

/** Any call that ran counts as reading, a command as well; only the plan is not about the work. */
function keyOfReading(
  { calls }: Readings,
  event: Extract<SessionEvent, { type: "call.settled" }>,
): string | null {
  const call = calls.find(({ id }) => id === event.id);
  const ran = event.status === "ok" || event.status === "error";
  if (!ran || call === undefined || event.plan !== null) return null;
  const digests = `${digestIn(call.arguments)} ${event.status} ${digestIn(event.output)}`;
  return digestOf(`${call.tool} ${digests}`).slice(0, 32);
}
