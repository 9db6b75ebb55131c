import type { Check } from "./checks.ts";
import { type Counts, ranOf } from "./counts.ts";
import type { Proof } from "./proof.ts";
import { type CheckState, type Ran, stateOf } from "./ran.ts";

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
  /** Of a check that has to prove the fix, once all checks have passed. */
  readonly proof?: Proof;
  /** The change may not leave because of it. */
  readonly isHeldAgainst?: true;
};

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

/** Red on base as well as on this tree, and let through. */
export function stillRed({ onBase, onTree, isHeldAgainst }: EvidenceRow): boolean {
  const isRed = (state: CheckState) => state === "red" || state === "timed out";
  return isRed(onBase) && isRed(onTree) && isHeldAgainst !== true;
}

/** The rows of a change that does not pass, with those marked that keep it back. */
export function heldAgainst(
  rows: readonly EvidenceRow[],
  findings: readonly { readonly check: string }[],
): readonly EvidenceRow[] {
  const held = new Set(findings.map(({ check }) => check));
  return rows.map((row) => (held.has(row.check) ? { ...row, isHeldAgainst: true } : row));
}

/** Whether a check that had to prove the fix did not. */
export function isUnproved({ proof }: EvidenceRow): boolean {
  return proof !== undefined && proof.kind !== "proved";
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
