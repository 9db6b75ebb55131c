import { type Code, closing } from "../code.ts";

/** A test as it is declared: its name, "" where it has none, and where that begins. */
export type Declared = { readonly name: string; readonly at: number };

/** More are taken for tests that were there; the text is gone through once for each. */
const newMax = 300;

/**
 * The code with each test blank that is new, for what can only make a test that was there before prove less: a new one
 * may skip itself and swallow what it likes. One without a name, or that holds a test that was there, is not new.
 */
export function withoutNewTests(source: Code, tests: readonly Declared[], known: readonly string[]): Code {
  if (source.family !== "js") return source;
  const names = new Set(known);
  const isOld = ({ name }: Declared) => name === "" || names.has(name);
  let { code, bare } = source;
  let done = 0;
  let left = newMax;
  for (const test of tests) {
    if (test.at < done || isOld(test) || left === 0) continue;
    left -= 1;
    const end = endOf(source.bare, test.at);
    if (end === null) continue;
    if (tests.some((one) => one.at > test.at && one.at < end && isOld(one))) continue;
    code = blanked(code, test.at, end);
    bare = blanked(bare, test.at, end);
    done = end;
  }
  return { ...source, code, bare };
}

/** After the call that declares it; null where that is none, or is a hook, which runs for every test. */
function endOf(bare: string, at: number): number | null {
  const open = bare.indexOf("(", at);
  if (open < 0 || hook.test(bare.slice(at, open))) return null;
  const close = closing(bare, open);
  return bare[close] === ")" ? close + 1 : null;
}

const hook = /\.(?:before|after|use|extend|configure|set)/;

function blanked(text: string, from: number, to: number): string {
  return text.slice(0, from) + text.slice(from, to).replace(/[^\n]/g, " ") + text.slice(to);
}
