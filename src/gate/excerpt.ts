import { withoutColours } from "../base/colours.ts";

/**
 * An output that is too long, as its beginning, the lines of its middle that say what failed, and its end, with exact
 * counts of what is left out. One that fits stays as it is.
 */
export function excerptOf(output: string, bytesMax: number): string {
  if (sizeOf(output) <= bytesMax) return output;
  const pieces = piecesOf(output);
  const room = Math.max(0, bytesMax - markBytes);
  const head = fitting(pieces, room / 5);
  const tail = fitting(pieces.slice(head.length).toReversed(), (room * 2) / 5).toReversed();
  const middle = pieces.slice(head.length, pieces.length - tail.length);
  const { kept, found } = telling(middle, room - sizeOfAll(head) - sizeOfAll(tail));
  const cut = sizeOfAll(middle) - sizeOfAll(kept);
  const ends = lineEnds(middle) - lineEnds(kept);
  const said =
    found === 0
      ? "none of the lines here says what failed"
      : `${counted(found, "line")} here ${found === 1 ? "says" : "say"} what failed, and of these ${kept.length === found ? "all" : kept.length} are shown`;
  const marked = `[cut here: ${counted(cut, "byte")}, ${counted(ends, "line end")}; ${said}]\n`;
  const shown = kept.length === 0 ? [] : [...kept.map(whole), "[the end of the output:]\n"];
  return [
    ...head.map(({ text }) => text),
    closed(head),
    marked,
    ...shown,
    ...tail.map(({ text }) => text),
  ].join("");
}

/** Room for the lines of ours. */
const markBytes = 320;

/** A line with its end, or a part of one that is longer than any runner's. */
type Piece = { readonly text: string; readonly size: number };

function piecesOf(output: string): readonly Piece[] {
  return (output.match(/[^\n]{0,1000}\n|[^\n]{1,1000}/gu) ?? []).map((text) => ({
    text,
    size: sizeOf(text),
  }));
}

/** As many of the first pieces as fit. */
function fitting(pieces: readonly Piece[], bytes: number): readonly Piece[] {
  let left = bytes;
  const end = pieces.findIndex(({ size }) => {
    left -= size;
    return left < 0;
  });
  return pieces.slice(0, end < 0 ? pieces.length : end);
}

/** The lines that say what failed, in their order; those that name a failure come before those that name a place. */
function telling(
  middle: readonly Piece[],
  bytes: number,
): { readonly kept: readonly Piece[]; readonly found: number } {
  const told = middle.map((piece, at) => ({ piece, at, rank: rankOf(piece.text.trimEnd()) }));
  const ranked = told
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank || one.at - other.at);
  const kept: typeof ranked = [];
  let left = bytes;
  for (const one of ranked) {
    if (one.piece.size > left) continue;
    left -= one.piece.size;
    kept.push(one);
  }
  kept.sort((one, other) => one.at - other.at);
  return { kept: kept.map(({ piece }) => piece), found: ranked.length };
}

function whole({ text }: Piece): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

function closed(head: readonly Piece[]): string {
  return head.length === 0 || head.at(-1)?.text.endsWith("\n") ? "" : "\n";
}

/** 3 for a cut that was made before, 2 for a line that names a failure, 1 for one that names a place in a file, else 0. */
function rankOf(text: string): number {
  const line = withoutColours(text);
  if (line.startsWith("[cut here: ")) return 3;
  if (failures.some((pattern) => pattern.test(line))) return 2;
  return place.test(line) && !foreign.test(line) ? 1 : 0;
}

const failures: readonly RegExp[] = [
  // TAP, node, mocha, jest, vitest, ava, bun, deno, playwright.
  /^\s*not ok\b|^\s*[✖✗✘×●❯❌]\s|^\s*\d+\) \S|\.\.\. FAILED\b|^\(fail\) /,
  /^\s*(?:--- )?FAIL(?:ED|URE|URES)?\b/,
  /\bFAILED$|^FAILED \S|\bFAILURE!/,
  // What was compared.
  /^\s*(?:[+-] )?(?:expected|received|actual|got|want|left|right)\b\s*[:=]/i,
  /^E {2,}\S|\bto (?:equal|be|match|have|include|contain|throw)\b.*\bbut\b/,
  // What was thrown: node, python, java, ruby, go, rust.
  /\b[A-Z]\w*(?:Error|Exception|Failure)\b|^\s*(?:Error|Fatal|panic|fatal error)\b ?:/,
  /^Traceback |^thread '.*' panicked|^panic: |^\s*assertion .*failed/i,
  // Compilers and linters.
  /\berror(?:\[\w+\]| TS\d+| CS\d+)?:|^\s*\d+:\d+\s+error\s|^\[ERROR\] |\bSyntaxError\b|\bcannot find (?:symbol|module|package)\b/i,
];

/** `src/a.ts:3:7`, `File "a.py", line 3`. */
const place = /[\w@./-]+\.[A-Za-z]\w{0,5}[:(]\d+|\bFile "[^"]+", line \d+/;
/** Frames of what the repository did not write. */
const foreign = /node_modules|node:internal|\(node:|site-packages|\/usr\/lib\//;

function sizeOf(text: string): number {
  return Buffer.byteLength(text);
}

function sizeOfAll(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { size }) => sum + size, 0);
}

function lineEnds(pieces: readonly Piece[]): number {
  return pieces.filter(({ text }) => text.endsWith("\n")).length;
}

function counted(count: number, noun: string): string {
  return `${String(count).replace(/\B(?=(\d{3})+$)/g, ",")} ${noun}${count === 1 ? "" : "s"}`;
}
