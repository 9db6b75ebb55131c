import { digestOf } from "../base/hash.ts";
import type { IntendedCall, Payload, SessionEvent } from "../session/event.ts";
import { digestIn } from "../session/payload.ts";

/**
 * What the model has read, as far back as its context goes: what was cut out of the context can be learned anew. A
 * fold over the events that the context is a fold of.
 */
export type Readings = {
  /** The call that was settled last; null before the first. */
  readonly last: Reading | null;
  /** The last batch. */
  readonly calls: readonly IntendedCall[];
};

/** One settled call, in a chain, so that another is added without a copy of all that there were. */
type Reading = {
  readonly id: string;
  /** The whole output, or the output where it was not cut. */
  readonly output: Payload;
  /** The call with its result as a digest; null where that is no reading. */
  readonly key: string | null;
  readonly before: Reading | null;
};

export const noReadings: Readings = { last: null, calls: [] };

export function gather(readings: Readings, event: SessionEvent): Readings {
  switch (event.type) {
    case "calls.intended":
      return { ...readings, calls: event.calls };
    case "call.settled": {
      const { id, whole, output } = event;
      const key = keyOfReading(readings, event);
      return { ...readings, last: { id, output: whole ?? output, key, before: readings.last } };
    }
    default:
      return readings;
  }
}

/** Whether a settlement, not yet gathered, shows the model something that it has not seen. */
export function isNews(readings: Readings, event: SessionEvent): boolean {
  if (event.type !== "call.settled") return false;
  const key = keyOfReading(readings, event);
  return key !== null && find(readings, (reading) => reading.key === key) === undefined;
}

/** The whole output of a call, or undefined where none of that id was settled as far back as the context goes. */
export function outputOf(readings: Readings, id: string): Payload | undefined {
  return find(readings, (reading) => reading.id === id)?.output;
}

function find({ last }: Readings, fits: (reading: Reading) => boolean): Reading | undefined {
  for (let reading = last; reading !== null; reading = reading.before) if (fits(reading)) return reading;
  return undefined;
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
