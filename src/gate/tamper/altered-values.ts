import { without } from "../multiset.ts";
import { quoted } from "../suspicion.ts";
import { skeletonOf } from "./assertions.ts";

/** What of a test says what it looks at. */
export type Looks = {
  /** Calls of the repository's own code, with what they are given. */
  readonly calls: readonly string[];
  /** The names under which the repository's own code is imported. */
  readonly names: readonly string[];
  /** Its code by lines, with single spaces. */
  readonly lines: readonly string[];
};

const linesMax = 300;
const alters =
  /#[)\s]*(?:[+*/%|^]|-(?!>)|&&|\?(?!\.)|\b(?:or|and|if)\b)|(?:[+*/%|&^!~?-]|\b(?:or|and|not|if)\b)\s*\(*#|[=(,]\s*\(\s*#\s*,|\[[^\]\n]{0,100}#[^\]\n]{0,100}\]\s*\[|\b(?:Math\.\w+|abs|max|min|round)\(\s*#/;

/**
 * A result that is changed, or put in another's place, before an existing test looks at it, as a sentence without its
 * full stop; null where there is none. `add(1, 2) + 4` is one; a new test may compute what it likes.
 */
export function alteredValue(old: Looks, now: Looks): string | null {
  const lost = without(old.lines, now.lines).slice(0, linesMax);
  const fresh = without(now.lines, old.lines).slice(0, linesMax);
  return (
    alteredCall(old, lost, fresh) ??
    setAnew({ ...old, calls: old.calls.filter((call) => now.calls.includes(call)) }, fresh) ??
    replacedCode(old, now)
  );
}

function alteredCall(old: Looks, lost: readonly string[], fresh: readonly string[]): string | null {
  for (const call of new Set(old.calls)) {
    const holds = (line: string) => line.includes(call);
    const isAltered = (line: string) => alters.test(line.replace(call, "#"));
    if (!lost.some((line) => holds(line) && !isAltered(line))) continue;
    const left = fresh.filter(holds);
    if (left.length > 0 && left.every(isAltered))
      return `an existing test changes what \`${quoted(call)}\` gives before it looks at it`;
  }
  return null;
}

/** `three = 3` after `let three = add(1, 2)`. */
function setAnew({ lines, calls }: Looks, fresh: readonly string[]): string | null {
  const results = new Set(
    lines.flatMap((line) => {
      const [, name, value = ""] = /^(?:(?:const|let|var|final|val)\s+)?(\w+)\s*:?=\s*(.*)$/.exec(line) ?? [];
      return name !== undefined && calls.some((call) => value.includes(call)) ? [name] : [];
    }),
  );
  const isCompared = (name: string) =>
    lines.some((line) => /\b(?:expect|assert\w*)\b/i.test(line) && new RegExp(`\\b${name}\\b`).test(line));
  const isSet = (name: string) => lines.some((line) => new RegExp(`\\b${name} ?=(?!=)`).test(line));
  const at = fresh.find((line) => {
    const [, name = "", value = ""] = /^(\w+)\s*=\s*([^=].*?);?$/.exec(line) ?? [];
    if (results.has(name)) return !/[A-Za-z$]/.test(skeletonOf(value));
    // A parameter that is given another value.
    return name !== "" && isCompared(name) && !isSet(name);
  });
  return at === undefined ? null : `an existing test sets the result that it looks at: \`${quoted(at)}\``;
}

const stubs: readonly RegExp[] = [
  /\bspyOn\(\s*([\w$.]+)\s*,\s*["'`](\w+)["'`]\s*\)\s*\.mock\w/g,
  /\b(?:stub|replace|mock\.method|mock\.getter|setattr|patch\.object)\(\s*([\w$.]+)\s*,\s*["'`](\w+)["'`]/g,
  /\bpatch\(\s*["']([\w.]+)\.(\w+)["']/g,
  /\bsetattr\(\s*["']([\w.]+)\.(\w+)["']/g,
];

/** A stand-in for what the test itself calls; for what that calls in turn there are good reasons. */
function replacedCode(old: Looks, now: Looks): string | null {
  const called = new Set(old.calls.map((call) => /[\w$]+(?=\()/.exec(call)?.[0] ?? ""));
  const [before, after] = [replacedIn(old, called), replacedIn(now, called)];
  const [one] = without(after, before);
  return one === undefined ? null : `\`${quoted(one)}\`, which it tests, is replaced in it`;
}

function replacedIn({ lines, names }: Looks, called: ReadonlySet<string>): readonly string[] {
  const text = lines.join("\n");
  const found = stubs.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, , name = ""]) => name));
  const own =
    names.length === 0
      ? /(?!)/g
      : new RegExp(`^(?:${names.join("|")})\\.(\\w+) ?= ?[^=]`.replaceAll("$", "\\$"), "gm");
  const set = Array.from(text.matchAll(own), ([, name = ""]) => name);
  return [...found, ...set].filter((name) => called.has(name));
}
