import type { Check, CheckRun } from "./checks.ts";
import { type Counts, ranOf } from "./counts.ts";

/**
 * How a check came out. A check that was killed for another reason than its time limit is red. One that exits 0 while
 * its own test runner says that no test has run is not green.
 */
export type CheckState = "green" | "red" | "timed out" | "ran nothing" | "not run";

/** One line of the evidence table. Durations in ms, null where it did not run. */
export type EvidenceRow = {
  readonly check: string;
  readonly command: string;
  /** Relative to the repository's root; "" is the root. */
  readonly dir: string;
  readonly onBase: CheckState;
  readonly msOnBase: number | null;
  /** As the check's runner reports them; null where its exit code is all there is. */
  readonly countsOnBase: Counts | null;
  readonly onTree: CheckState;
  readonly msOnTree: number | null;
  readonly countsOnTree: Counts | null;
};

/** What of a run the verdict and the evidence need. */
export type Ran = Pick<CheckRun, "exitCode" | "timedOut" | "ms"> & { readonly counts: Counts | null };

export function stateOf(run: Ran | null): CheckState {
  if (run === null) return "not run";
  if (run.timedOut) return "timed out";
  if (run.exitCode !== 0) return "red";
  const { counts } = run;
  return counts !== null && !counts.isPartial && ranOf(counts) === 0 ? "ran nothing" : "green";
}

export function evidenceRow(check: Check, onBase: Ran | null, onTree: Ran | null): EvidenceRow {
  return {
    check: check.name,
    command: check.run,
    dir: check.dir,
    onBase: stateOf(onBase),
    msOnBase: onBase?.ms ?? null,
    countsOnBase: onBase?.counts ?? null,
    onTree: stateOf(onTree),
    msOnTree: onTree?.ms ?? null,
    countsOnTree: onTree?.counts ?? null,
  };
}

/** A check that came out green with fewer tests than on base; `why` is a sentence without its full stop. */
export type Fewer = { readonly check: string; readonly why: string };

export function fewerTests(rows: readonly EvidenceRow[]): readonly Fewer[] {
  return rows.flatMap((row) => {
    const why = row.onTree === "green" ? fewerWhy(row) : null;
    return why === null ? [] : [{ check: row.check, why }];
  });
}

function fewerWhy({ countsOnBase: base, countsOnTree: tree }: EvidenceRow): string | null {
  if (base === null || ranOf(base) === 0) return null;
  const before = `its runner reported ${ranOf(base)} ${base.unit} on base`;
  if (tree === null) return `${before} and says nothing of tests on this tree`;
  if (base.unit !== tree.unit) return `${before} and counts ${tree.unit} on this tree`;
  if (tree.isPartial && !base.isPartial)
    return `${before}, and on this tree its output is too long to count them`;
  if (tree.isPartial || base.isPartial || ranOf(tree) >= ranOf(base)) return null;
  return `${before} and ${ranOf(tree)} on this tree`;
}
