import { without } from "../multiset.ts";
import { quoted } from "../suspicion.ts";
import { inSingleQuotes, shareWords, skeletonOf } from "./assertions.ts";
import { flatOf, isRow, type TestText } from "./test-text.ts";

/** More are not compared with each other; one that is found is enough. */
const comparedMax = 300;
const rowsMax = 50;

/**
 * A condition or a row of values that is another now, as a sentence without its full stop; null where there is none.
 * Rows are matched by their form, conditions by their words too.
 */
export function changedValue(old: TestText, now: TestText): string | null {
  const [before, after] = [old, now].map(({ values }) => values.map(laidOut).filter((one) => one !== "if ("));
  const fresh = without(after ?? [], before ?? []).slice(0, comparedMax);
  for (const from of without(before ?? [], after ?? []).slice(0, comparedMax)) {
    const to =
      fresh.find((value) => skeletonOf(value) === skeletonOf(from)) ??
      fresh.find((value) => isOtherwise(from, value));
    if (to === undefined) continue;
    fresh.splice(fresh.indexOf(to), 1);
    if (withoutName(from) !== withoutName(to))
      return `an existing test compares with something else: \`${quoted(from)}\` is \`${quoted(to)}\` now`;
  }
  return null;
}

/** In one kind of quotes, without what a formatter adds or takes away. */
function laidOut(line: string): string {
  return inSingleQuotes(line).replace(/;(?= ?\}?$)/, "");
}

/** A row that is in none of the changed tests any more, however they are laid out; null where all are. */
export function lostRow(old: TestText, now: TestText, others: readonly TestText[]): string | null {
  const rows = (text: TestText) => text.values.filter(isRow);
  if (rows(now).length >= rows(old).length) return null;
  const lost = without(rows(old), rows(now)).slice(0, rowsMax);
  const left = [now, ...others];
  // What stands in an assertion is told with it.
  const known = old.assertions.map(({ text }) => flatOf(text));
  const row = lost.find((one) => {
    const flatRow = flatOf(one);
    return !left.some(({ flat }) => flat.includes(flatRow)) && !known.some((text) => text.includes(flatRow));
  });
  return row === undefined ? null : `a row of values is gone from a test: \`${quoted(row)}\``;
}

/** The same condition with another operator or value, or with fewer names; not one in which a name is another. */
function isOtherwise(from: string, to: string): boolean {
  if (/^\W/.test(from) || !shareWords(from, to)) return false;
  const names = (text: string) => text.match(/[A-Za-z_$][\w$]*/g) ?? [];
  const rest = (text: string) => text.replace(/[A-Za-z_$][\w$]*/g, "n");
  return rest(from) !== rest(to) || new Set(names(to)).size < new Set(names(from)).size;
}

/** Where only a text before other values differs, it names the row. */
function withoutName(row: string): string {
  return row.replace(/^([[({] ?)(["'`]).*?\2, /, "$1");
}
