import { type Counts, cannotRunIn, mayNotRunIn, ranOf } from "./counts.ts";
import { type Ran, stateOf, type Told } from "./ran.ts";
import { isSnapshot, isTest, isTestData } from "./test-paths.ts";

/**
 * Whether the tests that a change brings show the fault that it mends: laid onto the base alone they make the check
 * fail, and with the whole change it passes. Each `why` is a sentence without its full stop and its subject.
 */
export type Proof =
  | { readonly kind: "proved"; readonly how: string }
  /** The tests pass without the change, or no test of it has run. */
  | { readonly kind: "not-proved"; readonly why: string }
  /** Nothing could be seen either way. */
  | { readonly kind: "not-provable"; readonly why: string };

/** What of a change is laid onto the base to see its tests fail. */
export function isOfTests(path: string): boolean {
  return isTest(path) || isSnapshot(path) || isTestData(path);
}

/** Whether a run on the tests alone would tell anything. */
export function couldProve(onBase: Ran, onTree: Ran): boolean {
  return stateOf(onTree) === "green" && stateOf(onBase) !== "timed out";
}

/** `onTests` is the base with the change's tests alone, null where it has none or that could tell nothing. */
export function proofOf({
  onBase,
  onTests,
  onTree,
}: {
  readonly onBase: Told;
  readonly onTests: Told | null;
  readonly onTree: Ran;
}): Proof {
  if (stateOf(onTree) !== "green") return notProvable("it does not pass with the change");
  if (stateOf(onBase) === "timed out") return notProvable("it ran out of time on base");
  if (onTests === null) return notProvable("the change adds and alters no test");
  const runs = { onBase, onTests, onTree };
  return stateOf(onBase) === "red" ? moreThanBefore(runs) : ofTests(runs);
}

/** A check that was red before proves something only where its runner counts one failure more. */
function moreThanBefore(runs: Runs): Proof {
  const { onBase, onTests } = runs;
  const [before, now] = [onBase.counts, onTests.counts];
  if (!isCounted(before) || !isCounted(now) || before.unit !== now.unit)
    return notProvable("it is red on base without the tests of the change too");
  return ofTests(runs);
}

type Runs = { readonly onBase: Told; readonly onTests: Told; readonly onTree: Ran };

function ofTests(runs: Runs): Proof {
  switch (stateOf(runs.onTests)) {
    case "timed out":
      return notProvable("it ran out of time with the tests of the change alone");
    case "ran nothing":
      return { kind: "not-proved", why: "it runs no test with the tests of the change alone" };
    case "green":
      return {
        kind: "not-proved",
        why: "it passes with the tests of the change alone, without the rest of it",
      };
    default:
      return ofRed(runs);
  }
}

function ofRed(runs: Runs): Proof {
  const { onBase, onTests } = runs;
  const [before, now] = [onBase.counts, onTests.counts];
  if (
    cannotRunIn(onTests.output) > cannotRunIn(onBase.output) ||
    seemsNotToRun(runs) ||
    isSilent(before, now)
  )
    return notProvable("the tests of the change fail to run on base, which is not to fail there");
  if (!isCounted(now)) return { kind: "proved", how: "by its exit code" };
  const was = before?.failed ?? 0;
  if (now.failed <= was) {
    const why = `no more ${now.unit} fail with the tests of the change alone than without them, ${now.failed} of ${ranOf(now)}`;
    return { kind: "not-proved", why };
  }
  return { kind: "proved", how: `${now.failed} of ${ranOf(now)} ${now.unit}, ${was} without those tests` };
}

/** Text that is no code may be what a test is about; it is, where no fewer tests have run than with the whole change. */
function seemsNotToRun({ onBase, onTests, onTree }: Runs): boolean {
  const [before, now] = [mayNotRunIn(onBase.output), mayNotRunIn(onTests.output)];
  if (now.lines <= before.lines) return false;
  const hasRun =
    isCounted(onTests.counts) && isCounted(onTree.counts) && onTests.counts.unit === onTree.counts.unit;
  return !hasRun || now.files > before.files || ranOf(onTests.counts) < ranOf(onTree.counts);
}

/** Whether its runner reports failures of nothing, or has counted tests before and counts none now. */
function isSilent(before: Counts | null, now: Counts | null): boolean {
  if (now === null) return before !== null && ranOf(before) > 0;
  return !now.isPartial && now.failed === 0;
}

function isCounted(counts: Counts | null): counts is Counts {
  return counts !== null && !counts.isPartial;
}

function notProvable(why: string): Proof {
  return { kind: "not-provable", why };
}
