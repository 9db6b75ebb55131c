import { take } from "./multiset.ts";

/** More than these are not looked through for a line. */
const charactersMax = 512 * 1024;
const occurrencesMax = 1000;

/**
 * The line of the changed file, from 1, that a person should look at: where `text` stands in it but for white space,
 * first of all in a line that is new; else the first line that is new, or where the first one was taken out. It is 1
 * for a file that is not there any more, that is no text, or that is too long.
 */
export function changedLine(
  { before, after }: { readonly before: string | null; readonly after: string | null },
  text?: string,
): number {
  if (after === null || after.length > charactersMax || (before?.length ?? 0) > charactersMax) return 1;
  const [old, now] = [before === null ? [] : before.split("\n"), after.split("\n")];
  const fresh = newLines(old, now);
  const at = text === undefined ? null : lineOf(text, now, fresh);
  if (at !== null) return at;
  const [first] = fresh;
  return Math.min(first ?? firstDifference(old, now), now.length);
}

/** Lines that are more than before, but for how they are set in, from 1; empty ones are none. */
function newLines(old: readonly string[], now: readonly string[]): ReadonlySet<number> {
  const left = new Map<string, number>();
  for (const line of old) left.set(line.trim(), (left.get(line.trim()) ?? 0) + 1);
  const fresh = now.flatMap((line, index) =>
    line.trim() === "" || take(left, line.trim()) ? [] : [index + 1],
  );
  return new Set(fresh);
}

function firstDifference(old: readonly string[], now: readonly string[]): number {
  const at = now.findIndex((line, index) => line !== old[index]);
  return at < 0 ? now.length : at + 1;
}

/** A text may go over more than one line, and its quotation may have other white space than the file. */
function lineOf(text: string, now: readonly string[], fresh: ReadonlySet<number>): number | null {
  const wanted = text.replace(/\s+/g, "");
  if (wanted === "") return null;
  const lines = now.map((line) => line.replace(/\s+/g, ""));
  let length = 0;
  const starts = lines.map((line) => {
    const start = length;
    length += line.length;
    return start;
  });
  const lineAt = (offset: number) => lastUpTo(offset, starts) + 1;
  const whole = lines.join("");
  const places: number[] = [];
  for (let at = whole.indexOf(wanted); at >= 0; at = whole.indexOf(wanted, at + 1)) {
    const [first, last] = [lineAt(at), lineAt(at + wanted.length - 1)];
    for (let line = first; line <= last; line += 1) if (fresh.has(line)) return line;
    places.push(first);
    if (places.length >= occurrencesMax) break;
  }
  return places[0] ?? null;
}

/** Where the last number stands that is no greater, in numbers that only grow; the first is 0. */
function lastUpTo(limit: number, numbers: readonly number[]): number {
  let [low, high] = [0, numbers.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle;
    else high = middle;
  }
  return low;
}
