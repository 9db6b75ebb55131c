/** A line of a file that a check's output points at. */
export type FailingLine = {
  /** As the output writes it: relative to where the check ran, or absolute in a checkout that is gone. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** The output's own words, one line. Untrusted. */
  readonly message: string;
};

const name = "[\\w@.+-]+(?:/[\\w@.+-]+)*\\.[A-Za-z]\\w{0,9}";
/** `src/a.ts(3,5): error`, as the compilers of Microsoft write it. */
const inParentheses = new RegExp(`(?<path>/?${name})\\((?<line>\\d{1,7}),\\d{1,7}\\)`);
/** `src/a.ts:3:5`, `--> src/a.rs:3:5`, `at f (file:///x/a.js:3:5)`, `tests/a.py:3: AssertionError`. */
const withColons = new RegExp(`(?<![\\w.])(?<path>/?${name}):(?<line>\\d{1,7})(?::\\d{1,7})?(?![\\w./])`);
/** `File "tests/a.py", line 3`. */
const inWords = /File "(?<path>[^"\n]{1,300})", line (?<line>\d{1,7})/;

const linesMax = 20_000;
const lineCharactersMax = 1000;
const foundMax = 200;

/** In the order of the output, each place once. Only what names a file and a line in a usual way is found. */
export function failingLines(output: string): readonly FailingLine[] {
  const found = new Map<string, FailingLine>();
  for (const text of output.split("\n", linesMax)) {
    const line = text.slice(0, lineCharactersMax);
    const groups = (inParentheses.exec(line) ?? inWords.exec(line) ?? withColons.exec(line))?.groups;
    const path = groups?.["path"];
    const number = Number(groups?.["line"]);
    if (path === undefined || number < 1) continue;
    const key = `${path}:${number}`;
    if (!found.has(key)) found.set(key, { path, line: number, message: line.trim() });
    if (found.size >= foundMax) break;
  }
  return [...found.values()];
}
