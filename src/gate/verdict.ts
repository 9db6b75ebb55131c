import type { Brand } from "../base/brand.ts";
import type { Digest, Tree } from "../base/hash.ts";
import type { EvidenceRow } from "./evidence.ts";

/** The proof that this very tree passed these very check definitions. Made in gate.ts only. */
export type Passed = Brand<
  { readonly tree: Tree; readonly definitions: Digest; readonly round: number },
  "Passed"
>;

/**
 * One objection: a check that was not red before and is now; one that exits 0 and has run no test, or fewer than on
 * base; one that was red before and is red, where the policy is to refuse that; a gate in which nothing came out green;
 * or a fix that its tests do not prove, where that is refused.
 */
export type Finding = {
  readonly kind: "broke" | "already-red" | "nothing-ran" | "fewer-tests" | "nothing-green" | "unproved";
  readonly check: string;
  readonly command: string;
  /** Null when it was killed. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly minutes: number;
  /** More than how it ended, as a sentence without its full stop; null where that is all. */
  readonly why: string | null;
  /** Names of tests that fail and did not on base, where more than these fail; untrusted. */
  readonly newFailures: readonly string[];
  /** As the check gave it, untrusted. */
  readonly output: string;
};

export type Verdict =
  | { readonly kind: "passed"; readonly passed: Passed; readonly evidence: readonly EvidenceRow[] }
  | {
      readonly kind: "failed";
      readonly findings: readonly Finding[];
      /** What the model is told: `findingsText` of the findings. */
      readonly text: string;
      readonly evidence: readonly EvidenceRow[];
    }
  | { readonly kind: "cancelled" };
