import type { Family } from "../code.ts";

const titles = String.raw`(?<![\w$.])(?:it|test|specify|Deno\.test)(?:\.\w+)*\s*[(\x60]|\bs?t\.test\s*\(`;
/** How a test begins; where the words name it, a group holds the name. */
export const declarations: Readonly<Record<Family, RegExp>> = {
  js: new RegExp(titles, "g"),
  python: /^[ \t]*(?:async[ \t]+)?def[ \t]+(test\w*)/gm,
  go: /^func[ \t]+((?:Test|Fuzz|Example)(?![a-z])\w*)\(|\bt\.Run\(/gm,
  rust: /#\[(?:\w+::)*test(?:\([^\]]*\))?\]/g,
  ruby: /^[ \t]*(?:def[ \t]+(test_\w+)|(?:it|specify|scenario|example|test)\b[ ({])/gm,
  shell: /^@test\b/gm,
  other: new RegExp(
    [
      String.raw`@(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\b|\[<?(?:Fact|Theory|Test|TestMethod|TestCase|InlineData|DataRow)\b`,
      String.raw`\bfunc(?:tion)?[ \t]+(test\w*)\(|(?<!@\w+(?:\([^)\n]{0,80}\))?\s{1,40})\bpublic[ \t]+void[ \t]+(test\w*)\(|#\[Test\]`,
      // Dart, Scala, Pest; ExUnit; Kotest; Spock; the macros of C++.
      String.raw`(?<![\w.$>])(?:test|it|testWidgets)\s*\((?=\s*["'])|^[ \t]*(?:test|property)[ \t]+(?=")|^[ \t]*"[^"\n]*"(?:\.config\([^)\n]{0,100}\))?[ \t]*\{|^[ \t]*def[ \t]+(?="[^"\n]*")`,
      String.raw`\b(?:TEST(?:_[FP])?|TYPED_TEST|TEST_CASE|TEST_METHOD|SCENARIO|BOOST_AUTO_TEST_CASE)\s*\(`,
    ].join("|"),
    "gm",
  ),
};

/** Code that never runs. */
const neverRuns = String.raw`\bif\s*\(\s*(?:false|0|!1|!true)\s*\)`;
/** What turns a test off, or ends it before it has looked at anything. */
export const skips: Readonly<Record<Family, RegExp>> = {
  js: new RegExp(
    [
      String.raw`\b(?:it|test|describe|suite|context|specify)\.(?:\w+\.)*(?:skip|todo|fails|failing|fixme|skipIf|runIf|todoIf|if)\b`,
      String.raw`\bx(?:it|test|describe|context|specify)\b\s*[.(]`,
      String.raw`\b(?:this|ctx|t)\.(?:skip|todo)\s*\(|(?<!\b(?:it|test|describe|suite|context|specify)(?:\.\w+)*)\.skip\s*\(\s*["'\x60)]`,
      String.raw`[{,]\s*(?:skip|todo|fails)\s*:(?!\s*(?:false|undefined)\b)`,
      String.raw`(?<![\w.])pending\s*\(`,
      // A test that returns before it has looked at anything.
      String.raw`\b(?:it|test|describe|suite|context)\b[^\n]{0,300}\{\s*return\s*(?:;|\n|\})`,
      // A table of cases that is cut where it is given.
      String.raw`\]\s*\.(?:slice|filter|splice)\([^\n]{0,100}\)\s*\)\s*\(\s*["'\x60]`,
      neverRuns,
    ].join("|"),
    "g",
  ),
  python:
    /@(?:pytest\.mark\.(?:skip|skipif|xfail)|unittest\.(?:skip\w*|expectedFailure)|skip\w*|expectedFailure)\b|\bpytest\.(?:skip|xfail|importorskip)\s*\(|\bself\.skipTest\s*\(|\braise\s+(?:unittest\.)?SkipTest\b|\b__test__\s*=\s*False\b|\bcollect_ignore\w*\s*=|\bpytestmark\s*=|\bdef\s+test\w*\([^)]{0,500}\)[^:\n]{0,200}:\s*\n\s+(?:return|pass)\b|\bif\s+(?:False|0)\s*:|^del[ \t]+test\w*|^test\w*[ \t]*=(?!=)|@pytest\.fixture\b[^\n]{0,200}\n\s*(?:async\s+)?def\s+test/gm,
  go: /\bt\.(?:Skip|Skipf|SkipNow)\s*\(|\btesting\.Short\s*\(|\{\s*\n\s*return\s*\n|\bif\s+false\b/g,
  rust: /#\[(?:ignore\b|cfg\(any\(\)\)|should_panic\b|cfg\((?:all|not)\()|\bif\s+false\b/g,
  ruby: /\{[ \t]*(?:skip|pending)\b|^[ \t]*next[ \t]*$|^\s*(?:xit|xdescribe|xcontext|xspecify|skip|pending)\b|\b(?:skip|pending):|,\s*:(?:skip|pending)\b|\bif\s+false\b/gm,
  shell: /^\s*skip\b/gm,
  other: new RegExp(
    String.raw`@(?:Disabled\w*|Ignore\w*|Enabled(?:If|On|For)\w*)\b|\[(?:Ignore|Explicit)\b|\bSkip\s*=|\bassum(?:e|ing)\w*\s*\(|\bAssume\.|\bmarkTest(?:Skipped|Incomplete)\s*\(|\bXCTSkip\b|\babstract\s+class\s+\w*Tests?\b|@Test\s+private\b|\b(?:void|function|func|fun)\s+\w+\([^)\n]{0,200}\)[^{;\n]{0,100}\{\s*return\s*;|\bDISABLED_\w|\bGTEST_SKIP\b|@tag\s*:?\s*:?skip\b|[,(]\s*skip\s*:(?!\s*(?:false|null)\b)|->(?:skip|todo)\(|(?<![\w.])(?:ignore|xit|xtest|xdescribe)\s*\(\s*["']|\.config\(\s*enabled\s*=\s*false|^[ \t]*#[ \t]*if\b|${neverRuns}`,
    "gm",
  ),
};

/** What stands in comments, or in names, and still turns tests off or runs them elsewhere. */
export const hidden =
  /^\/\/(?:go:build\b| *\+build\b)|^\/\/ ?@vitest-skip|@jest-environment-skip|@(?:vitest|jest)-environment\s+\S*[./]|@jest-config-loader\b|^[ \t]*"!|^[ \t]*#[ \t]*@skip\b/gm;

/** Ends of a test on a condition, before it has looked at anything. */
export const early: Readonly<Partial<Record<Family, RegExp>>> = {
  js: /\bif\s*\([^\n]{0,300}\)\s*\{?\s*return\s*(?:;|\n|\})/g,
  python: /\bif\b[^\n:]{0,200}:\s*(?:\n\s*)?return\b[ \t]*(?:None)?[ \t]*$/gm,
  other: /\bif\s*\([^\n]{0,300}\)\s*\{?\s*return\s*;/g,
  ruby: /^[ \t]*(?:next|return)\b[^\n]{0,100}\b(?:if|unless)\b/gm,
};
/** For languages of which no such words are known. */
export const never = /(?!)/g;

/** pytest takes classes whose names begin with `Test`, unittest those of its own kind. */
export const uncollected =
  /^class[ \t]+(?!Test)\w+(?:\((?![^)\n]*(?:Test|Case|Suite|Mixin|Base))[^)\n]*\))?:(?=(?:[^\n]*\n){1,12}?[ \t]+(?:async[ \t]+)?def[ \t]+test)|^class[ \t]+Test\w*[^\n]*:[ \t]*\n(?:[^\n]*\n){0,30}?[ \t]+def[ \t]+__init__\b/gm;

/** Where one of these stands, other tests do not run. */
export const focus =
  /\b(?:it|test|describe|suite|context|specify|bench)\.(?:\w+\.)*(?:only|solo)\b|\bf(?:it|describe|context|specify)\b\s*[.(]|[{,]\s*only\s*:(?!\s*false\b)|^\s*(?:fit|fdescribe|fcontext)\b|\bfocus:\s*true\b|,\s*:focus\b|@pytest\.mark\.only\b/gm;

/** What catches a failure and does nothing with it. */
export const swallows =
  /\bcatch\s*(?:\([^)]{0,100}\))?\s*\{\s*\}|\.catch\(\s*(?:\(\s*\w*\s*\)|\w+)\s*=>\s*(?:\{\s*\}|undefined|null)\s*\)|\bexcept\b[^:\n]{0,200}:\s*(?:pass\b|\.\.\.)|\bcontextlib\.suppress\s*\(|\brescue\b[^\n]{0,200}(?:\n\s*(?:nil|end)\b|;\s*nil)|\brecover\(\)/g;

/** A module of the repository's own is replaced for the whole file. */
export const mocks =
  /\b(?:vi|jest)\.(?:mock|doMock|unstable_mockModule|setMock)\(\s*["'`](?:\.{0,2}\/|#|@\/|~\/|src\/)|\bmock\.module\(\s*["'`](?:\.{1,2}\/|file:)|\brequire\.cache\[/g;
/** As it is loaded in one place. */
export const mocksHere = /\bproxyquire\(|\brewire\(/g;
