import { normaliseUntrusted, quoteUntrusted } from "../command/untrusted.ts";
import type { Means } from "./means.ts";

const drawsMax = 8;

/** A boundary that nobody outside this run can guess, 16 hex digits. */
export function drawBoundary(means: Pick<Means, "bytes">): string {
  return Buffer.from(means.bytes(8)).toString("hex");
}

/** Shows untrusted text to the model: normalised, between boundaries that the text does not hold. */
export function quoteFor(means: Pick<Means, "bytes">): (label: string, text: string) => string {
  return (label, text) => {
    const visible = normaliseUntrusted(text).text;
    for (let draws = 0; draws < drawsMax; draws += 1) {
      const quoted = quoteUntrusted(label, visible, drawBoundary(means));
      if (quoted !== null) return quoted;
    }
    throw new Error(`cannot quote ${label}: ${drawsMax} boundaries in a row stand in its text`);
  };
}
