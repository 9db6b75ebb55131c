import type { Check, CheckRun } from "./checks.ts";

/** How a check came out. A check that was killed for another reason than its time limit is red. */
export type CheckState = "green" | "red" | "timed out" | "not run";

/** One line of the evidence table. Durations in ms, null where it did not run. */
export type EvidenceRow = {
  readonly check: string;
  readonly command: string;
  /** Relative to the repository's root; "" is the root. */
  readonly dir: string;
  readonly onBase: CheckState;
  readonly msOnBase: number | null;
  readonly onTree: CheckState;
  readonly msOnTree: number | null;
};

/** What of a run the verdict and the evidence need. */
export type Ran = Pick<CheckRun, "exitCode" | "timedOut" | "ms">;

export function stateOf(run: Ran | null): CheckState {
  if (run === null) return "not run";
  if (run.timedOut) return "timed out";
  return run.exitCode === 0 ? "green" : "red";
}

export function evidenceRow(check: Check, onBase: Ran | null, onTree: Ran | null): EvidenceRow {
  return {
    check: check.name,
    command: check.run,
    dir: check.dir,
    onBase: stateOf(onBase),
    msOnBase: onBase?.ms ?? null,
    onTree: stateOf(onTree),
    msOnTree: onTree?.ms ?? null,
  };
}
