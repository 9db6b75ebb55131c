import { without } from "../multiset.ts";
import { type Assertion, alwaysHolds, inSingleQuotes, shareWords, skeletonOf } from "./assertions.ts";

type Compared = {
  readonly changed: readonly { readonly from: Assertion; readonly to: Assertion }[];
  readonly replaced: readonly Assertion[];
};

/** What became of each lost assertion; one that only looks at the same thing under another name is neither. */
export function compared(lost: readonly Assertion[], fresh: readonly Assertion[]): Compared {
  const left = [...fresh];
  const claims = new Map([...lost, ...fresh].map((one) => [one, claimOf(one)]));
  const isSame = (one: Assertion, other: Assertion) => isSameClaim(claims.get(one), claims.get(other));
  const changed: { from: Assertion; to: Assertion }[] = [];
  const replaced: Assertion[] = [];
  for (const from of lost) {
    const at = likest(from, left, isSame);
    const to = left[at];
    if (to === undefined) replaced.push(from);
    else if (!isSame(from, to) && weakens(from, to)) changed.push({ from, to });
    left.splice(at, to === undefined ? 0 : 1);
  }
  return { changed, replaced };
}

/** More are not compared with each other; one that is found is enough. */
export const comparedMax = 300;

/** Whether an assertion is gone, or is weaker; `old` and `kept` are those of tests that were there. */
export function saysLess(old: readonly Assertion[], kept: readonly Assertion[]): boolean {
  const [before, after] = [old, kept].map((all) => all.map(({ text }) => text));
  const lost = named(without(before ?? [], after ?? []), old);
  if (lost.length > comparedMax) return true;
  const fresh = named(without(after ?? [], before ?? []), kept).slice(0, comparedMax);
  const { changed, replaced } = compared(lost, fresh);
  return changed.length + replaced.length > 0;
}

export function named(texts: readonly string[], assertions: readonly Assertion[]): readonly Assertion[] {
  const byText = new Map(assertions.map((one) => [one.text, one]));
  return texts.flatMap((text) => byText.get(text) ?? []);
}

function likest(
  from: Assertion,
  fresh: readonly Assertion[],
  isSame: (one: Assertion, other: Assertion) => boolean,
): number {
  const tests: readonly ((to: Assertion) => boolean)[] = [
    (to) => isSame(from, to),
    (to) => to.subject === from.subject,
    (to) => to.skeleton === from.skeleton,
    (to) => to.expected === from.expected && shareWords(from.subject, to.subject),
  ];
  for (const test of tests) {
    const at = fresh.findIndex(test);
    if (at >= 0) return at;
  }
  return -1;
}

function weakens(from: Assertion, to: Assertion): boolean {
  if (alwaysHolds(from)) return false;
  if (from.skeleton === to.skeleton) return true;
  if (from.expected === to.expected && operatorsIn(to.subject) > operatorsIn(from.subject)) return true;
  if (from.subject !== to.subject) return false;
  if (to.expected === `await ${from.expected}`) return false;
  // Stricter with the same values.
  const plain = (text: string) => text.replace(/strict/gi, "").toLowerCase();
  return !(/strict/i.test(to.expected) && plain(from.expected) === plain(to.expected));
}

/** What changes a value before it is looked at. */
function operatorsIn(subject: string): number {
  return Array.from(
    skeletonOf(subject)
      .replace(/=>|->|\?\./g, "")
      .matchAll(/[+*/%|&^?!~-]+/g),
  ).length;
}

/**
 * Whether the other says the same of the same thing, or more, in whatever quotes; strict stays strict. What is called on
 * a test of `tap`, `tape` or `ava` may be called on node's `assert` then, where deep equality takes the place of theirs.
 */
function isSameClaim(one: Claim | undefined, other: Claim | undefined): boolean {
  if (one === undefined || other === undefined || (one.isStrict && !other.isStrict)) return false;
  const isTranslated = one.by === "t" && /^(?:t\.)?assert$/.test(other.by);
  if (!isTranslated && one.by !== other.by) return false;
  const said = isTranslated ? one.text.replace(/^(await )?deepequal\(/, "$1equal(") : one.text;
  const says = isTranslated ? other.text.replace(/^(await )?deepequal\(/, "$1equal(") : other.text;
  if (said === says || `await ${said}` === says) return true;
  return (
    isTranslated &&
    other.isStrict &&
    (said === truthIn(says) || nothingIn(said) === says || said === nothingIn(says))
  );
}

type Claim = {
  readonly text: string;
  readonly isStrict: boolean;
  /** What it is called on. */
  readonly by: string;
};

const calledOn = /^(await )?(?:(?:s?t|tap)(\.assert)?\.|(assert)\.)(?=\w+\()/;

function claimOf({ text, expected }: Assertion): Claim {
  const [found = "", wait = "", ofTest, assert] = calledOn.exec(text) ?? [];
  const by = found === "" ? "" : (assert ?? (ofTest === undefined ? "t" : "t.assert"));
  const rest = inSingleQuotes(text.slice(found.length));
  const named = by === "" ? rest : rest.replace(/^\w+(?=\()/, plainName);
  // Unlike node's own, theirs is strict.
  const isTheirs = by === "t" && /^(?:is|equals?)\(/.test(rest);
  const isStrict = /strict/i.test(expected) || named.startsWith("iferror(") || isTheirs;
  return { text: wait + named, isStrict, by };
}

/** What `tap` and `tape` call otherwise than node does. */
function plainName(name: string): string {
  const plain = name.replace(/strict/gi, "").toLowerCase();
  return synonyms.get(plain) ?? plain;
}

const synonyms: ReadonlyMap<string, string> = new Map([
  ["is", "equal"],
  ["equals", "equal"],
  ["same", "deepequal"],
  ["not", "notequal"],
  ["notequals", "notequal"],
  ["notsame", "notdeepequal"],
  ["error", "iferror"],
]);

/** What is at least true where a claim is: `notOk(x)` where `strictEqual(x, false)`. */
function truthIn(text: string): string {
  return text
    .replace(/^equal\((.*), (?:false|0|null|undefined)\)$/, "notok($1)")
    .replace(/^iferror\((.*)\)$/, "notok($1)")
    .replace(/^equal\((.*), true\)$/, "ok($1)");
}

/** That there is no error is said in two ways. */
function nothingIn(text: string): string {
  return text.replace(/^equal\((.*), (?:undefined|null)\)$/, "iferror($1)");
}
