import type { CheckRun } from "./checks.ts";
import { type Counts, ranOf } from "./counts.ts";

/**
 * How a check came out. A check that was killed for another reason than its time limit is red. One that exits 0 while
 * its own test runner says that no test has run is not green.
 */
export type CheckState = "green" | "red" | "timed out" | "ran nothing" | "not run";

/** What of a run the verdict and the evidence need. */
export type Ran = Pick<CheckRun, "exitCode" | "timedOut" | "ms"> & { readonly counts: Counts | null };

/** A run with what it printed, untrusted. */
export type Told = Ran & { readonly output: string };

export function stateOf(run: Ran | null): CheckState {
  if (run === null) return "not run";
  if (run.timedOut) return "timed out";
  if (run.exitCode !== 0) return "red";
  const { counts } = run;
  return counts !== null && !counts.isPartial && ranOf(counts) === 0 ? "ran nothing" : "green";
}
