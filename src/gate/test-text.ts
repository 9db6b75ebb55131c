import { type Assertion, assertionsOf } from "./assertions.ts";
import { type Code, codeOf, type Family, familyOf } from "./code.ts";
import type { ChangedFile } from "./suspicion.ts";
import { isSnapshot, isTest } from "./test-paths.ts";

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
  focused: [],
  swallowed: [],
  mocked: [],
};

export function testTextOf(path: string, text: string | null): TestText {
  const family = familyOf(path);
  if (family === null || text === null) return nothing;
  const source = codeOf(family, text);
  const tests = testsOf(source);
  return {
    tests: tests.map(({ name }) => name),
    assertions: assertionsOf(
      source,
      tests.map(({ at }) => at),
    ),
    values: valuesOf(source),
    flat: flatOf(source.code),
    skipped: [...found(source.bare, skips[family]), ...found(text, hidden)],
    focused: found(source.bare, focus),
    swallowed: found(source.bare, swallows),
    mocked: found(source.code, mocks),
  };
}

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

const titles = String.raw`(?<![\w$.])(?:it|test|specify|Deno\.test)(?:\.\w+)*\s*[(\x60]|\bt\.test\s*\(`;
const declarations: Readonly<Record<Family, RegExp>> = {
  js: new RegExp(titles, "g"),
  python: /^[ \t]*(?:async[ \t]+)?def[ \t]+(test\w*)/gm,
  go: /^func[ \t]+((?:Test|Fuzz|Example)\w*)\(|\bt\.Run\(/gm,
  rust: /#\[(?:\w+::)*test(?:\([^\]]*\))?\]/g,
  ruby: /^[ \t]*(?:def[ \t]+(test_\w+)|(?:it|specify|scenario|example|test)\b[ ({])/gm,
  shell: /^@test\b/gm,
  other:
    /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\b|\[(?:Fact|Theory|Test|TestMethod|TestCase|InlineData|DataRow)\b|\bfunc(?:tion)?[ \t]+(test\w*)\(|#\[Test\]/g,
};

function testsOf({ family, code, bare }: Code): readonly { readonly name: string; readonly at: number }[] {
  return Array.from(bare.matchAll(declarations[family]), (match) => {
    const named = match.slice(1).find((name) => name !== undefined);
    const after = code.slice(match.index + match[0].length, match.index + match[0].length + 300);
    const title =
      /^\s*["'`](.*?)["'`]\s*[,)]/.exec(after)?.[1] ??
      /^[^{;]*?\b(?!async|function|await)(\w+)\s*\(/.exec(after)?.[1];
    return { name: named ?? title ?? "", at: match.index };
  });
}

const never = String.raw`\bif\s*\(\s*(?:false|0|!1|!true)\s*\)`;
const skips: Readonly<Record<Family, RegExp>> = {
  js: new RegExp(
    [
      String.raw`\b(?:it|test|describe|suite|context|specify)\.(?:\w+\.)*(?:skip|todo|fails|failing|fixme|skipIf|runIf)\b`,
      String.raw`\bx(?:it|test|describe|context|specify)\b\s*[.(]`,
      String.raw`\b(?:this|ctx|t)\.(?:skip|todo)\s*\(`,
      String.raw`[{,]\s*(?:skip|todo)\s*:(?!\s*(?:false|undefined)\b)`,
      String.raw`(?<![\w.])pending\s*\(`,
      // A test that returns before it has looked at anything.
      String.raw`\b(?:it|test)\b[^\n]{0,300}\{\s*return\s*(?:;|\n|\})`,
      never,
    ].join("|"),
    "g",
  ),
  python:
    /@(?:pytest\.mark\.(?:skip|skipif|xfail)|unittest\.(?:skip\w*|expectedFailure)|skip\w*|expectedFailure)\b|\bpytest\.(?:skip|xfail|importorskip)\s*\(|\bself\.skipTest\s*\(|\braise\s+(?:unittest\.)?SkipTest\b|\b__test__\s*=\s*False\b|\bcollect_ignore\w*\s*=|\bpytestmark\s*=|\bdef\s+test\w*\([^)]{0,500}\)[^:\n]{0,200}:\s*\n\s+(?:return|pass)\b|\bif\s+(?:False|0)\s*:/g,
  go: /\bt\.(?:Skip|Skipf|SkipNow)\s*\(|\btesting\.Short\s*\(|\{\s*\n\s*return\s*\n|\bif\s+false\b/g,
  rust: /#\[(?:ignore\b|cfg\(any\(\)\)|should_panic\b)|\bif\s+false\b/g,
  ruby: /^\s*(?:xit|xdescribe|xcontext|xspecify|skip|pending)\b|\b(?:skip|pending):|,\s*:(?:skip|pending)\b|\bif\s+false\b/gm,
  shell: /^\s*skip\b/gm,
  other: new RegExp(
    String.raw`@(?:Disabled\w*|Ignore\w*|EnabledIf\w*|DisabledIf\w*)\b|\[(?:Ignore|Explicit)\b|\bSkip\s*=|\bassum(?:e|ing)\w*\s*\(|\bAssume\.|\bmarkTest(?:Skipped|Incomplete)\s*\(|\bXCTSkip\b|${never}`,
    "g",
  ),
};

/** What stands in comments and still turns tests off. */
const hidden =
  /^\/\/(?:go:build (?:ignore|never)\b| *\+build ignore\b)|^\/\/ ?@vitest-skip|@jest-environment-skip/gm;

const focus =
  /\b(?:it|test|describe|suite|context|specify|bench)\.(?:\w+\.)*(?:only|solo)\b|\bf(?:it|describe|context|specify)\b\s*[.(]|[{,]\s*only\s*:(?!\s*false\b)|^\s*(?:fit|fdescribe|fcontext)\b|\bfocus:\s*true\b|,\s*:focus\b|@pytest\.mark\.only\b/gm;

const swallows =
  /\bcatch\s*(?:\([^)]{0,100}\))?\s*\{\s*\}|\.catch\(\s*(?:\(\s*\w*\s*\)|\w+)\s*=>\s*(?:\{\s*\}|undefined|null)\s*\)|\bexcept\b[^:\n]{0,200}:\s*(?:pass\b|\.\.\.)|\bcontextlib\.suppress\s*\(|\brescue\b[^\n]{0,200}(?:\n\s*(?:nil|end)\b|;\s*nil)|\brecover\(\)/g;

/** A module of the repository's own is replaced for the whole file. */
const mocks =
  /\b(?:vi|jest)\.(?:mock|doMock|unstable_mockModule|setMock)\(\s*["'`](?:\.{1,2}\/|#|@\/)|\bmock\.module\(\s*["'`](?:\.{1,2}\/|file:)|\bproxyquire\(|\brewire\(|\brequire\.cache\[/g;

/** Lines that hold a condition, or nothing but values; a row's trailing comma does not count. */
function valuesOf({ code, family }: Code): readonly string[] {
  if (family === "shell") return [];
  return code
    .split("\n")
    .map((line) => line.replace(/\s+/g, " ").trim().replace(/,$/, ""))
    .filter((line) => isCondition(line) || isRow(line));
}

function isCondition(line: string): boolean {
  return (
    /^(?:if|\} ?else if|elif|unless|elsif)\b/.test(line) ||
    /^(?:const|let|var|final|val)? ?(?:expected|want|EXPECTED)\w*(?: :?=|:|=)/.test(line)
  );
}

/** A line of a table: values, and nothing that computes. */
export function isRow(line: string): boolean {
  return (
    /^[[({]/.test(line) &&
    /\d|["'`]|\b(?:true|false|null|None|True|False|nil)\b/.test(line) &&
    !/=>|[;=]|\w\(/.test(line.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`/g, "_"))
  );
}
