import { type Code, codeOf, familyOf } from "../code.ts";
import { without } from "../multiset.ts";
import type { ChangedFile } from "../suspicion.ts";
import { isSnapshot, isTest } from "../test-paths.ts";
import { type Assertion, assertionsOf, guards } from "./assertions.ts";
import { saysLess } from "./claims.ts";
import { type Declared, withoutNewTests } from "./fresh-tests.ts";
import {
  declarations,
  early,
  focus,
  hidden,
  mocks,
  mocksHere,
  never,
  skips,
  swallows,
  uncollected,
} from "./test-words.ts";

/** What of a test file decides what it proves. */
export type TestText = {
  /** The names of its tests, in order; "" where one has none. */
  readonly tests: readonly string[];
  readonly assertions: readonly Assertion[];
  /** Conditions and rows of values: how a test compares without an assertion of its own. */
  readonly values: readonly string[];
  /** All of its code without white space, to find again what is only laid out anew. */
  readonly flat: string;
  /** What turns tests off, as it is written. */
  readonly skipped: readonly string[];
  /** Classes of tests that their runner passes over by their names. */
  readonly uncollected: readonly string[];
  /** The names of tests that stand where they may not be reached. */
  readonly conditional: readonly string[];
  /** Where it fails without an assertion. */
  readonly thrown: readonly string[];
  readonly focused: readonly string[];
  readonly swallowed: readonly string[];
  readonly mocked: readonly string[];
};

const nothing: TestText = {
  tests: [],
  assertions: [],
  values: [],
  flat: "",
  skipped: [],
  uncollected: [],
  conditional: [],
  thrown: [],
  focused: [],
  swallowed: [],
  mocked: [],
};

/** `known` are the tests that were there before, where what stands in new ones is to be left out as far as it concerns only them. */
export function testTextOf(
  path: string,
  text: string | null,
  known: readonly string[] | null = null,
): TestText {
  const family = familyOf(path);
  if (family === null || text === null) return nothing;
  const source = codeOf(family, text);
  const tests = testsOf(source);
  const kept = known === null ? source : withoutNewTests(source, tests, known);
  const returns = tests.length > 0 ? found(kept.bare, early[family] ?? never) : [];
  return {
    tests: tests.map(({ name }) => name),
    assertions: assertionsOf(kept, tests),
    values: valuesOf(source),
    flat: flatOf(source.code),
    skipped: [...found(kept.bare, skips[family]), ...found(text, hidden), ...returns],
    uncollected: family === "python" ? found(source.bare, uncollected) : [],
    conditional: conditionalOf(source, tests),
    thrown: found(source.bare, fails),
    focused: found(source.bare, focus),
    swallowed: found(kept.bare, swallows),
    mocked: [...found(source.code, mocks), ...found(kept.code, mocksHere)],
  };
}

/** The code of a changed file without the tests that are new, as far as none that was there is gone. */
export function keptCode({ change: { path }, before, after }: ChangedFile): string | null {
  const family = familyOf(path);
  if (family === null || after === null) return null;
  const source = codeOf(family, after);
  const tests = testsOf(source);
  const names = tests.map(({ name }) => name);
  const known = before === null ? [] : testsOf(codeOf(family, before)).map(({ name }) => name);
  if (without(known, names).length > 0) return source.code;
  const kept = withoutNewTests(source, tests, known);
  const old = before === null ? [] : assertionsOf(codeOf(family, before), testsOf(codeOf(family, before)));
  return saysLess(old, assertionsOf(kept, tests)) ? source.code : kept.code;
}

const fails = /\bthrow\b|\braise\b|\bpanic!?\(|\bfail\w*\(/g;

/** White space and the commas before closing brackets count for nothing. */
export function flatOf(text: string): string {
  return text.replace(/\s+/g, "").replace(/,(?=[)\]}])/g, "");
}

/** Also code that is no test by its name and has tests in it, as in Rust, or where a runner is told where to look. */
export function holdsTests({ change: { path }, before }: ChangedFile): boolean {
  if (isTest(path)) return true;
  if (isSnapshot(path) || !/test|\bit\(|\[Fact/.test(before ?? "")) return false;
  const { tests, assertions } = testTextOf(path, before);
  return tests.length > 0 && assertions.length > 0;
}

function found(text: string, pattern: RegExp): readonly string[] {
  return Array.from(text.matchAll(pattern), ([one]) => one);
}

function testsOf({ family, code, bare }: Code): readonly Declared[] {
  return Array.from(bare.matchAll(declarations[family]), (match) => {
    const named = match.slice(1).find((name) => name !== undefined);
    const after = code.slice(match.index + match[0].length, match.index + match[0].length + 300);
    const title =
      /^\s*["'`](.*?)["'`]\s*[,)]/.exec(after)?.[1] ??
      /^[^{;]*?\b(?!async|function|await)(\w+)\s*\(/.exec(after)?.[1];
    return { name: named ?? title ?? "", at: match.index };
  });
}

/** Tests that are declared behind a condition, or in a function that somebody would have to call. */
function conditionalOf({ bare, family }: Code, tests: readonly Declared[]): readonly string[] {
  if (family !== "js") return [];
  const guarded = guards(bare);
  const blocks = blocksOf(bare);
  return tests.filter(({ at }) => guarded(at) > 0 || blocks(at) > 0).map(({ name }) => name);
}

const opens =
  /\b(?:if|else|for|while|switch|catch|function\s+\w+)\b[^;{}\n]*$|\b(?:const|let|var)\s+\w+\s*=[^;{}\n]*=>\s*$/;
const groups = /\b(?:describe|suite|context|group|each|forEach|it|test)\b/;

/** In how many blocks that may not run a place stands. */
function blocksOf(bare: string): (at: number) => number {
  const depths = new Int32Array(bare.length + 1);
  const open: number[] = [];
  let depth = 0;
  for (let at = 0; at < bare.length; at += 1) {
    if (bare[at] === "{") {
      const head = /[^;{}\n]*$/.exec(bare.slice(Math.max(0, at - 200), at))?.[0] ?? "";
      const step = opens.test(head) && !groups.test(head) ? 1 : 0;
      open.push(step);
      depth += step;
    } else if (bare[at] === "}") depth -= open.pop() ?? 0;
    depths[at + 1] = depth;
  }
  return (at) => depths[at] ?? 0;
}

/** Lines that hold a condition, or nothing but values; a row's trailing comma does not count. */
function valuesOf({ code, family }: Code): readonly string[] {
  if (family === "shell") return [];
  return code
    .split("\n")
    .map((line) => line.replace(/\s+/g, " ").trim().replace(/,$/, ""))
    .filter((line) => isCondition(line) || isRow(line));
}

export function isCondition(line: string): boolean {
  return (
    /^(?:if|\} ?else if|elif|unless|elsif)\b/.test(line) ||
    /^(?:const|let|var|final|val)? ?(?:expected|want|EXPECTED)\w*(?: :?=|:|=)/.test(line)
  );
}

/** A line of a table: values, and nothing that computes. */
export function isRow(line: string): boolean {
  return (
    /^(?:new \w+(?:\[\])? ?)?[[({]/.test(line) &&
    /\d|["'`]|\b(?:true|false|null|None|True|False|nil)\b/.test(line) &&
    !/=>|[;=]|\w\(/.test(line.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`/g, "_"))
  );
}
