import { type Code, closing, type Family, parts } from "../code.ts";
import type { Declared } from "./fresh-tests.ts";

/** One place where a test says what has to hold. */
export type Assertion = {
  /** Without its message and with single spaces, so that the same assertion is the same text. */
  readonly text: string;
  /** What is looked at. */
  readonly subject: string;
  /** How it is compared, and with what. */
  readonly expected: string;
  /** How many blocks and calls it stands in, seen from its test; where that grows, it may run no more. */
  readonly depth: number;
  /** The name of its test; "" where that has none. */
  readonly test: string;
  /** `text` with every literal replaced by `_`. */
  readonly skeleton: string;
};

const names = String.raw`(?<![\w$.])(?:expect\w*|assert\w*|strictEqual|notStrictEqual|deepStrictEqual|deepEqual|notDeepEqual|equal|notEqual|rejects|doesNotReject|throws|doesNotThrow)(?:\.\w+)*\s*\(`;
const beginnings: Readonly<Record<Family, RegExp>> = {
  js: new RegExp(
    `${names}|\\bt\\.(?:is|not|true|false|truthy|falsy|like|ok|notOk|equals?|same|notSame|match|has|error|pass|fail|throws\\w*|rejects|regex|notRegex|snapshot|(?:not)?[dD]eep\\w+|strict\\w+|assert(?:\\.\\w+)*)\\s*\\(|\\.(?:expect|should(?:\\.\\w+)*)\\s*\\(`,
    "g",
  ),
  python:
    /^[ \t]*assert\b|\bself\.(?:assert|fail)\w*\s*\(|\bpytest\.(?:raises|warns|fail)\s*\(|\bassert_\w+\s*\(/gm,
  go: /\bt\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(|\b(?:assert|require)\.[A-Z]\w*\s*\(|\bExpect\s*\(/g,
  rust: /\b(?:debug_)?assert\w*!\s*[([{]|\bpanic!\s*[([{]/g,
  ruby: /\b(?:expect|assert\w*|refute\w*)\s*[({ ]|\bis_expected\b|\.(?:must|wont)_\w+|\.should(?:_not)?\b/g,
  shell: /^\s*\[\[? .*/gm,
  other:
    /^[ \t]*(?:assert|refute)(?:_\w+)?[ \t]+(?=[^\s(=])|^[ \t]*\S[^\n]{0,300}?\s(?:should|must)\w*(?=\s)|\b(?:EXPECT|ASSERT|REQUIRE|CHECK)(?:_\w+)?\s*\(|(?:\b(?:Assert|Assertions|StringAssert|CollectionAssert)\.|\$this->|self::|static::|\bXCT)?\b(?:[aA]ssert\w*|verify|fail|expect\w*|That|IsTrue|IsFalse|AreEqual|Equal|True|False|Throws\w*)\s*\(|\.Should\s*\(/gm,
};

export function assertionsOf(source: Code, tests: readonly Declared[]): readonly Assertion[] {
  const found: Assertion[] = [];
  const guardedAt = guards(source.bare);
  const depthAt = source.family === "python" ? indents(source.bare) : brackets(source.bare);
  let end = 0;
  for (const match of source.bare.matchAll(beginnings[source.family])) {
    // One that stands inside another is part of it.
    if (match.index < end) continue;
    const open = match.index + match[0].length - 1;
    const isCall = "([{".includes(source.bare[open] ?? " ");
    end = isCall ? afterChain(source, closing(source.bare, open) + 1) : afterLine(source.bare, match.index);
    const test = tests.findLast(({ at }) => at <= match.index);
    const within = test === undefined ? 0 : depthAt(match.index) - depthAt(test.at);
    const depth = within + guardedAt(match.index);
    const one = isCall ? callOf(source, match.index, open, end) : lineOf(source.code.slice(match.index, end));
    found.push({ ...one, depth, test: test?.name ?? "" });
  }
  return found;
}

/** Literals of most languages; `_` stands for each. */
export function skeletonOf(text: string): string {
  return text
    .replace(/"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|`(?:\\[\s\S]|[^`\\])*`/g, "_")
    .replace(/-?\b\d[\w.]*\b/g, "_")
    .replace(/\b(?:true|false|null|nil|undefined|None|True|False|NaN|Infinity)\b/g, "_");
}

/** What some formatters write the other way. */
export function inSingleQuotes(text: string): string {
  return text.replace(/"([^"'\\`\n]*)"/g, "'$1'");
}

/** Whether it would hold whatever the code does. */
export function alwaysHolds({ subject, expected }: Assertion): boolean {
  if (fails.test(expected)) return false;
  const isConstant = (text: string) => !/[A-Za-z$]/.test(skeletonOf(text));
  const given = expected.replace(/^[\w.!$:>-]*\(|\.\w+/g, "");
  return isConstant(subject) && isConstant(given);
}

const fails =
  /^(?:await )?(?:[\w$]+(?:\.|->|::))*(?:fail\w*|unreachable!?|panic!?|XCTFail|Fatal\w*|Error\w*)[([{]/i;

/** A renamed function keeps its arguments, a renamed variable its function. */
export function shareWords(one: string, other: string): boolean {
  const words = (text: string) => text.match(/[A-Za-z_$][\w$]*|\d[\w.]*|"[^"]*"|'[^']*'/g) ?? [];
  const known = new Set(words(one));
  const shared = words(other).filter((word) => known.has(word));
  return shared.length > 0 && shared.length * 2 >= Math.min(words(other).length, known.size);
}

/** `.toBe(3)` after `expect(x)`, over line ends. */
function afterChain({ bare, family }: Code, from: number): number {
  if (family === "ruby") return afterLine(bare, from);
  const link = /\s*(?:\?|!)?(?:\.|->)\s*\w+(?:<[\w, ]*>)?/y;
  let end = from;
  for (;;) {
    link.lastIndex = end;
    if (!link.test(bare)) return end;
    end = bare[link.lastIndex] === "(" ? closing(bare, link.lastIndex) + 1 : link.lastIndex;
  }
}

/** The end of the line on which no bracket is open. */
function afterLine(bare: string, from: number): number {
  let depth = 0;
  for (let at = from; at < bare.length; at += 1) {
    const sign = bare[at] ?? "";
    if ("([{".includes(sign)) depth += 1;
    if (")]}".includes(sign)) depth -= 1;
    if (depth < 0 || (sign === "\n" && depth === 0)) return at;
  }
  return bare.length;
}

const unary =
  /(?:^|\.|->|::)(?:assert|ok|notOk|true|false|truthy|falsy|pass|fail|is(?:True|False|Null|Ok)|assert_?(?:True|False|Null|NotNull|IsNone|IsNotNone)|assert!|expect\w*|Error|Fatal|True|False|IsTrue|IsFalse)$/i;

type Said = Omit<Assertion, "depth" | "test">;

function callOf(source: Code, start: number, open: number, end: number): Said {
  const close = closing(source.bare, open);
  const name = source.code.slice(start, open).trim();
  const given = withoutMessage(name, parts(source, open + 1, close));
  const [subject = "", ...rest] = given.map(flat);
  const chain = flat(source.code.slice(close + 1, end));
  // What nobody waits for fails after the test has ended.
  const wait = /\b(?:await|return)\s+$/.test(source.bare.slice(Math.max(0, start - 40), start))
    ? "await "
    : "";
  const expected = `${wait}${name}(${rest.join(", ")})${chain}`;
  const text = `${wait}${name}(${[subject, ...rest].join(", ")})${chain}`;
  return { text, subject, expected, skeleton: skeletonOf(text) };
}

/** A message only says what went wrong. */
function withoutMessage(name: string, given: readonly string[]): readonly string[] {
  const least = unary.test(name) ? 1 : 2;
  const isText = /^(?:["'`]|f["'])/.test(given.at(-1) ?? "");
  return given.length > least && isText ? given.slice(0, -1) : given;
}

/** `assert add(1, 2) == 3, "why"` and `expect(x).to eq 3`. */
function lineOf(line: string): Said {
  const text = flat(line).replace(/, *f?(?:"[^"]*"|'[^']*')$/, "");
  const [, subject = text, expected = ""] =
    /^(.*?)\s((?:==|!=|<=?|>=?|is not|is|not in|in)\s.*)$/.exec(text) ??
    /^(.*?)(\.(?:to|must|should).*)$/.exec(text) ??
    [];
  return { text, subject: subject.replace(/^assert\s+/, ""), expected, skeleton: skeletonOf(text) };
}

/** 1 where something before it in the same statement decides whether it runs: `slow && expect(x)`. */
export function guards(bare: string): (at: number) => number {
  return (at) => {
    const statement = /[^;{}\n]*$/.exec(bare.slice(Math.max(0, at - 300), at))?.[0] ?? "";
    if (statement.trim() !== "") return guard.test(statement) ? 1 : 0;
    const above = bare.slice(Math.max(0, at - 300), at).trimEnd();
    return /(?:&&|\|\||[?:]|\belse|\bif\s*\([^;{}\n]*\))$/.test(above) && !/[,(]\s*$/.test(above) ? 1 : 0;
  };
}

const guard = /&&|\|\||\?(?![.:])|\b(?:if|unless|while|for|else|or|and)\b|=>\s*$/;

function brackets(bare: string): (at: number) => number {
  const depths = new Int32Array(bare.length + 1);
  for (let at = 0; at < bare.length; at += 1) {
    const sign = bare[at] ?? "";
    const step = "([{".includes(sign) ? 1 : ")]}".includes(sign) ? -1 : 0;
    depths[at + 1] = (depths[at] ?? 0) + step;
  }
  return (at) => depths[at] ?? 0;
}

function indents(bare: string): (at: number) => number {
  return (at) => /^[ \t]*/.exec(bare.slice(bare.lastIndexOf("\n", at - 1) + 1))?.[0].length ?? 0;
}

function flat(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/,? ?([)\]}])/g, "$1")
    .replace(/([([{]) /g, "$1")
    .trim();
}
