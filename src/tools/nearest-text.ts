import { likeness } from "./nearest.ts";

/** Line comparisons at most; a longer `old` is looked for by its first lines. */
const comparisonsMax = 100_000;
const linesShownMax = 30;
const lineCharsMax = 300;
/** Below this average likeness a window tells nothing. */
const likenessMin = 0.4;

/** What in `text` comes nearest to `old`, which does not occur in it, and why it may have been missed. */
export function nearestText(text: string, old: string): string {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  const wanted = old.replace(/\n$/, "").split(/\r?\n/);
  const advice = wanted.every((line) => /^\s*\d+\t/.test(line))
    ? "old begins each line with a number and a tab, as read shows them: leave those out.\n"
    : "";
  const sparse = withoutBlanks(text, old);
  if (sparse !== null) {
    const { first, last } = sparse;
    return `${advice}The same text with other blanks or line breaks stands at ${range(first, last)}:\n${show(lines, first, last)}`;
  }
  const best = likestWindow(lines, wanted);
  if (best === null) return `${advice}Nothing in the file is like it; read the file and try again.`;
  const last = Math.min(lines.length, best + wanted.length - 1);
  return `${advice}The nearest text stands at ${range(best, last)}:\n${show(lines, best, last)}`;
}

/** Where `old` occurs when no whitespace counts. */
function withoutBlanks(text: string, old: string): { first: number; last: number } | null {
  const wanted = old.replace(/\s+/g, "");
  if (wanted === "") return null;
  const at = text.replace(/\s+/g, "").indexOf(wanted);
  if (at < 0) return null;
  const first = lineOfCharacter(text, at);
  return { first, last: lineOfCharacter(text, at + wanted.length - 1) };
}

/** The line, from 1, of the character number `index` when whitespace is not counted. */
function lineOfCharacter(text: string, index: number): number {
  let seen = 0;
  let line = 0;
  for (const content of text.split("\n")) {
    line += 1;
    seen += content.replace(/\s+/g, "").length;
    if (seen > index) return line;
  }
  return line;
}

/** The first line, from 1, of the run of lines most like the wanted ones. */
function likestWindow(lines: readonly string[], wanted: readonly string[]): number | null {
  const size = Math.max(1, Math.min(wanted.length, Math.floor(comparisonsMax / lines.length)));
  const heads = wanted.slice(0, size).map((line) => line.trim().slice(0, lineCharsMax));
  const trimmed = lines.slice(0, comparisonsMax).map((line) => line.trim().slice(0, lineCharsMax));
  let best: { line: number; score: number } | null = null;
  for (let start = 0; start < trimmed.length; start += 1) {
    let score = 0;
    for (const [offset, head] of heads.entries()) score += likeness(trimmed[start + offset] ?? "", head);
    const mean = score / heads.length;
    if (mean >= likenessMin && mean > (best?.score ?? 0)) best = { line: start + 1, score: mean };
  }
  return best?.line ?? null;
}

function range(first: number, last: number): string {
  return first === last ? `line ${first}` : `lines ${first}-${last}`;
}

function show(lines: readonly string[], first: number, last: number): string {
  const end = Math.min(last, first + linesShownMax - 1);
  const shown = lines.slice(first - 1, end).map((line, index) => {
    const text = line.length > lineCharsMax ? `${line.slice(0, lineCharsMax)} [cut]` : line;
    return `${String(first + index).padStart(5)}\t${text}`;
  });
  const more = last > end ? [`[to line ${last}]`] : [];
  return [...shown, ...more].join("\n");
}
