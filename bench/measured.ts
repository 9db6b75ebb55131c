import type { Exchange } from "./model.ts";

/** One run of a harness against the scripted model. Milliseconds, KiB, and a share of the machine. */
export type Measured = {
  readonly calls: number;
  readonly firstRequest: number;
  /** The median over all turns of: last byte of a reply to first byte of the next request. */
  readonly gap: number;
  readonly peakKb: number;
  readonly foreign: number;
  readonly wall: number;
};

/** Throws unless the run made exactly the requests of the script: a harness that retried or gave up measures nothing. */
export function measured(
  calls: number,
  run: {
    readonly exchanges: readonly Exchange[];
    readonly spawnedAt: number;
    readonly endedAt: number;
    readonly peakKb: number;
    readonly foreign: number;
  },
): Measured {
  const { exchanges, spawnedAt, endedAt, peakKb, foreign } = run;
  const [first] = exchanges;
  if (first === undefined || exchanges.length !== calls + 1)
    throw new Error(`${exchanges.length} requests were made where the script has ${calls + 1}`);
  const gaps = exchanges
    .slice(1)
    .map(({ asked }, before) => asked - (exchanges[before]?.replied ?? Number.NaN));
  return {
    calls,
    firstRequest: first.asked - spawnedAt,
    gap: median(gaps),
    peakKb,
    foreign,
    wall: endedAt - spawnedAt,
  };
}

/** NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
