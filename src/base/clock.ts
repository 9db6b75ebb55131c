/**
 * Time is an argument. `now` is wall time in ms since the epoch and only ever labels things;
 * `elapsed` is monotonic ms from an arbitrary origin and is what durations and deadlines use (R26).
 */
export type Clock = {
  readonly now: () => number;
  readonly elapsed: () => number;
  /** Resolves after `ms`, or at once when the signal aborts. Never rejects. */
  readonly sleep: (ms: number, options: { readonly signal: AbortSignal }) => Promise<void>;
};
