import { take, without } from "../multiset.ts";
import { type ChangedFile, quoted, type Suspicion, type SuspicionKind } from "../suspicion.ts";
import { isNamedTest } from "../test-paths.ts";
import { type Assertion, alwaysHolds } from "./assertions.ts";
import { changedValue, lostRow } from "./changed-values.ts";
import { compared, comparedMax, named, saysLess } from "./claims.ts";
import { holdsTests, isCondition, isRow, type TestText, testTextOf } from "./test-text.ts";

type Pair = {
  readonly path: string;
  readonly file: ChangedFile;
  readonly old: TestText;
  readonly now: TestText;
  /** What is there now without the tests that are new; the same as `now` where any test is gone. */
  readonly kept: TestText;
};

/**
 * What the tests of a change prove less than before. A test that moves to another file and keeps what it says is not
 * weaker, so all changed tests are looked at together; a new test adds to what is proved, whatever it says.
 */
export function weakenedTests(
  files: readonly ChangedFile[],
  isOutOfSight: (from: string, to: string) => boolean,
): readonly Suspicion[] {
  const pairs = withKept(files.filter(holdsTests).map(pairOf));
  const elsewhere = {
    tests: gained(homes(pairs, isOutOfSight), ({ tests }) => tests),
    assertions: gained(pairs, ({ assertions }) => assertions.map(({ text }) => text)),
  };
  return pairs.flatMap((pair) => [
    ...fewer(pair, elsewhere),
    ...changedValues(pair, pairs),
    ...deeper(pair),
    ...conditional(pair),
    ...marks(pair, pairs),
  ]);
}

function pairOf(file: ChangedFile): Omit<Pair, "kept"> {
  const { path } = file.change;
  return { path, file, old: testTextOf(path, file.before), now: testTextOf(path, file.after) };
}

/** Where a test is gone, or what one said, a test that looks new may be it, or say that, under another name. */
function withKept(pairs: readonly Omit<Pair, "kept">[]): readonly Pair[] {
  const kept = pairs.map((pair) => ({
    ...pair,
    kept: testTextOf(pair.path, pair.file.after, pair.old.tests),
  }));
  const hasLost = kept.some(
    ({ old, now, kept }) =>
      without(old.tests, now.tests).length > 0 || saysLess(old.assertions, kept.assertions),
  );
  return hasLost ? pairs.map((pair) => ({ ...pair, kept: pair.now })) : kept;
}

/** How often each text is new, over all files. */
function gained(pairs: readonly Pair[], of: (text: TestText) => readonly string[]): Map<string, number> {
  const pool = new Map<string, number>();
  for (const { old, now } of pairs)
    for (const text of without(of(now), of(old))) pool.set(text, (pool.get(text) ?? 0) + 1);
  return pool;
}

/**
 * Where a test can have gone: what a runner found by a file's name it finds only under such a name again, and what it
 * was told to look for in one place it does not find in another.
 */
function homes(pairs: readonly Pair[], isOutOfSight: (from: string, to: string) => boolean): readonly Pair[] {
  const left = pairs.filter(({ old, now }) => now.tests.length < old.tests.length);
  const needsName = left.some(({ path }) => isNamedTest(path));
  return pairs.filter(
    ({ path }) => (!needsName || isNamedTest(path)) && !left.some((from) => isOutOfSight(from.path, path)),
  );
}

function fewer(
  pair: Pair,
  elsewhere: { readonly tests: Map<string, number>; readonly assertions: Map<string, number> },
): readonly Suspicion[] {
  const tests = gone(pair, elsewhere.tests);
  const assertions = fewerAssertions(pair, elsewhere.assertions);
  // With all its tests their assertions are gone too.
  return tests.length > 0 && pair.now.tests.length === 0 ? tests : [...tests, ...assertions];
}

function gone(pair: Pair, elsewhere: Map<string, number>): readonly Suspicion[] {
  const { path, file, old, now } = pair;
  const lost = without(old.tests, now.tests).filter((name) => !take(elsewhere, name));
  const fewer = Math.min(lost.length, old.tests.length - now.tests.length);
  const isDeleted = file.change.status === "deleted";
  if (isDeleted && file.before === null) return [suspicion(path, "test-removed", "a test was deleted")];
  if (
    file.change.status === "modified" &&
    (file.before === null || file.after === null) &&
    file.change.mode !== "120000"
  )
    return [suspicion(path, "test-removed", "a test is too long to be compared, or is no text")];
  if (file.change.mode === "120000") return [suspicion(path, "test-removed", "a test is a link now")];
  if (isDeleted && old.tests.length === 0 && old.assertions.length > 0)
    return [suspicion(path, "test-removed", "a test was deleted")];
  if (fewer <= 0) return [];
  const names = lost.filter((name) => name !== "").map((name) => `"${quoted(name)}"`);
  const which = names.length === 0 ? "" : `: ${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""}`;
  const why =
    isDeleted && now.tests.length === 0
      ? "a test was deleted"
      : `it had ${counted(old.tests.length, "test")} and has ${now.tests.length}`;
  return [suspicion(path, "test-removed", `${why}${which}`)];
}

function fewerAssertions(pair: Pair, elsewhere: Map<string, number>): readonly Suspicion[] {
  const { path, old, now, kept } = pair;
  const texts = (of: TestText) => of.assertions.map(({ text }) => text);
  const lostTexts = without(texts(old), texts(now)).filter((text) => !take(elsewhere, text));
  const lost = named(lostTexts, old.assertions);
  const fresh = named(without(texts(now), texts(old)), now.assertions);
  // One that held always says nothing, under whatever name.
  const empty = named(without(texts(kept), texts(old)), kept.assertions)
    .filter(alwaysHolds)
    .slice(lost.filter(alwaysHolds).length);
  const found: Suspicion[] = [];
  if (lost.length > 0 && empty[0] !== undefined)
    found.push(
      suspicion(path, "assertions-removed", `\`${quoted(empty[0].text)}\` always holds`, empty[0].text),
    );
  const { changed, replaced } = compared(lost.slice(0, comparedMax), fresh.slice(0, comparedMax));
  const isFewer = now.assertions.length < old.assertions.length && lost.length > 0;
  const [first] = replaced;
  if (first !== undefined) {
    const why = isFewer
      ? `it had ${counted(old.assertions.length, "assertion")} and has ${now.assertions.length}; gone: \`${quoted(first.text)}\``
      : `an assertion is gone: \`${quoted(first.text)}\``;
    found.push(suspicion(path, "assertions-removed", why));
  }
  const [one] = changed;
  if (one !== undefined) {
    const why = `an existing test expects something else: \`${quoted(one.from.text)}\` is \`${quoted(one.to.text)}\` now`;
    found.push(suspicion(path, "expectation-changed", why, one.to.text));
  }
  return found;
}

/** What helpers do with values is their own affair. */
function changedValues({ path, old, now }: Omit<Pair, "kept">, pairs: readonly Pair[]): readonly Suspicion[] {
  if (old.tests.length === 0 && !isNamedTest(path)) return changedHelper({ path, old, now }, pairs);
  const changed = changedValue(old, now);
  if (changed !== null) return [suspicion(path, "expectation-changed", changed)];
  const others = pairs.filter((pair) => pair.path !== path).map((pair) => pair.now);
  // A file that is gone is told as a whole.
  const lost = now.tests.length === 0 ? null : lostRow(old, now, others);
  return lost === null ? [] : [suspicion(path, "assertions-removed", lost)];
}

/** Rows of values in what helps tests are what these compare with, and what it throws is how they fail. */
function changedHelper(
  { path, old, now }: Pick<Pair, "path" | "old" | "now">,
  pairs: readonly Pair[],
): readonly Suspicion[] {
  const fails = /\b(?:throw|raise|panic|fail).*/;
  const isMeant = (line: string) => isRow(line) || (isCondition(line) && fails.test(line));
  const kept = (text: TestText) => ({
    ...text,
    values: text.values.filter(isMeant).map((line) => line.replace(fails, "fail")),
  });
  const changed = changedValue(kept(old), kept(now));
  if (changed !== null)
    return [suspicion(path, "test-data-changed", "a value or a condition that tests rely on was changed")];
  const total = pairs.reduce((sum, pair) => sum + pair.now.thrown.length - pair.old.thrown.length, 0);
  const isLess = now.thrown.length < old.thrown.length && total < 0;
  return isLess
    ? [suspicion(path, "assertions-removed", "what tests use fails in fewer places than before")]
    : [];
}

/** A new test may stand in a function that others call; one that was there and stands in one now may not be called. */
function conditional({ path, old, now }: Pair): readonly Suspicion[] {
  const name = now.conditional.find((one) => old.tests.includes(one) && !old.conditional.includes(one));
  if (name === undefined) return [];
  return [
    suspicion(path, "may-not-run", `the test "${quoted(name)}" stands where it may not be reached`, name),
  ];
}

/** Of assertions with the same text in the same test, and then in any, the least deep are compared with each other. */
function deeper({ path, old, kept }: Pair): readonly Suspicion[] {
  const [before, after] = [old, kept].map(({ assertions }) => assertions.slice(0, 10 * comparedMax));
  const inTest = pairedOff(before ?? [], after ?? [], ({ test, text }) => `${test}\n${text}`);
  const anywhere = pairedOff(inTest.before, inTest.after, ({ text }) => text);
  const text = inTest.deeper ?? anywhere.deeper;
  if (text === null) return [];
  const why = `\`${quoted(text)}\` stands deeper in its test than before and may not run`;
  return [suspicion(path, "may-not-run", why, text)];
}

type Left = {
  readonly before: readonly Assertion[];
  readonly after: readonly Assertion[];
  /** The first text that stands deeper. */
  readonly deeper: string | null;
};

function pairedOff(
  before: readonly Assertion[],
  after: readonly Assertion[],
  keyOf: (one: Assertion) => string,
): Left {
  const groups = Map.groupBy(
    after.toSorted((one, other) => one.depth - other.depth),
    keyOf,
  );
  const left: Assertion[] = [];
  let deeper: string | null = null;
  for (const one of before.toSorted((one, other) => one.depth - other.depth)) {
    const same = groups.get(keyOf(one))?.shift();
    if (same === undefined) left.push(one);
    else if (same.depth > one.depth) deeper ??= one.text;
  }
  return { before: left, after: [...groups.values()].flat(), deeper };
}

const marked: readonly (readonly [
  keyof TestText & ("skipped" | "uncollected" | "focused" | "swallowed" | "mocked"),
  SuspicionKind,
  string,
])[] = [
  ["skipped", "test-skipped", "a test is skipped, or ends before it has looked at anything"],
  ["uncollected", "test-skipped", "its runner passes over a class of its tests"],
  ["focused", "test-focused", "a test is marked as the only one to run"],
  ["swallowed", "failure-swallowed", "a failure is caught and ignored"],
  ["mocked", "mock-added", "a module of this repository is replaced by a mock"],
];

function marks({ path, file, old, now, kept }: Pair, pairs: readonly Pair[]): readonly Suspicion[] {
  return marked.flatMap(([key, kind, why]) => {
    const total = pairs.reduce((sum, pair) => sum + pair.kept[key].length - pair.old[key].length, 0);
    const isNew =
      file.change.status === "added" &&
      kept !== now &&
      !pairs.some((pair) => pair.file.change.status === "deleted");
    // Others would not run because of it.
    const counts = key === "focused" || !isNew;
    const [at = kept[key].at(-1)] = without(kept[key], old[key]);
    return counts && kept[key].length > old[key].length && total > 0 ? [suspicion(path, kind, why, at)] : [];
  });
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function suspicion(path: string, kind: SuspicionKind, why: string, at?: string): Suspicion {
  return { path, kind, why, ...(at !== undefined && { at }) };
}
