import { limits } from "../base/limits.ts";
import { counted, failed, grouped, ok } from "./outcome.ts";
import type { ToolOutcome } from "./tool.ts";

const lineCharsMax = 2_000;
/** Left for the remarks at the end. */
const remarkBytes = 1_024;

/** What to show: lines and characters are counted from 1. `column` is where the first of the lines begins. */
export type Range = { readonly from: number; readonly lines: number; readonly column: number };

/**
 * Some lines of a text with their numbers, as many as fit into `modelOutputBytesMax`, and remarks on all that the
 * numbered lines cannot show: what is left, line ends, a byte order mark, bytes that are not UTF-8. Every character can
 * be reached: a line that is too long for a page is shown in parts where it is asked for alone or from a column.
 */
export function showPage(
  content: Uint8Array | string,
  { name, from, lines, column }: Range & { readonly name: string },
): ToolOutcome {
  const decoded = decode(content);
  if (decoded.text === "") return ok(`${name} is empty (${counted(decoded.bytes, "byte")}).`);
  const all = decoded.text.split("\n");
  const isEnded = all.at(-1) === "";
  if (isEnded) all.pop();
  if (from > all.length) {
    return failed(`${name} has ${counted(all.length, "line")}; there is no line ${grouped(from)}.`);
  }
  const wanted = all.slice(from - 1, from - 1 + lines);
  const first = (wanted[0] ?? "").replace(/\r$/, "");
  if (column > 1 && column > first.length) {
    const size = counted(first.length, "character");
    return failed(`Line ${grouped(from)} of ${name} has ${size}; there is no character ${grouped(column)}.`);
  }
  const { shown, next } = numbered(wanted, { from, column });
  const last = from + shown.length - 1;
  const remarks = [
    ...(next === null ? [] : [leftOfLine(from, next, first.length)]),
    ...(next === null && last < all.length ? [left(from, last, all.length)] : []),
    ...lineEndRemark(all),
    ...(decoded.isMarked ? ["[it begins with a byte order mark]"] : []),
    ...(!isEnded && last === all.length ? ["[no line end after the last line]"] : []),
    ...decoded.remarks,
  ];
  return ok([...shown, ...remarks].join("\n"));
}

type Decoded = {
  readonly text: string;
  readonly bytes: number;
  readonly isMarked: boolean;
  readonly remarks: readonly string[];
};

function decode(content: Uint8Array | string): Decoded {
  if (typeof content === "string") {
    return { text: content, bytes: Buffer.byteLength(content), isMarked: false, remarks: [] };
  }
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(content);
  const isMarked = text.startsWith("\uFEFF");
  const isUtf8 = Buffer.from(text).equals(content);
  const remarks = isUtf8 ? [] : ["[some bytes are not UTF-8 and show as \uFFFD]"];
  return { text: isMarked ? text.slice(1) : text, bytes: content.length, isMarked, remarks };
}

/** `next` is the column at which the first line goes on, where a page cannot hold it; it is the only one then. */
function numbered(
  lines: readonly string[],
  { from, column }: Pick<Range, "from" | "column">,
): { readonly shown: readonly string[]; readonly next: number | null } {
  const shown: string[] = [];
  let left = limits.modelOutputBytesMax - remarkBytes;
  for (const [index, line] of lines.entries()) {
    const number = `${String(from + index).padStart(5)}\t`;
    const text = line.replace(/\r$/, "").replaceAll("\0", "\u2400");
    if (index === 0 && (lines.length === 1 || column > 1)) {
      const part = upToBytes(text.slice(column - 1), left - number.length - 1);
      shown.push(number + part);
      if (part.length < text.length - column + 1) return { shown, next: column + part.length };
      left -= Buffer.byteLength(part);
    } else {
      const kept = number + shorten(text);
      left -= Buffer.byteLength(kept) + 1;
      if (left < 0) break;
      shown.push(kept);
    }
  }
  return { shown, next: null };
}

function shorten(line: string): string {
  if (line.length <= lineCharsMax) return line;
  const kept = line.slice(0, lineCharsMax).replace(/[\uD800-\uDBFF]$/, "");
  return `${kept} [${counted(line.length - kept.length, "more character")} in this line]`;
}

/** As many of the first characters as have at most so many bytes. */
function upToBytes(text: string, bytesMax: number): string {
  // No character has fewer bytes than code units.
  const bytes = Buffer.from(text.slice(0, bytesMax).replace(/[\uD800-\uDBFF]$/, ""));
  let end = Math.min(bytes.length, bytesMax);
  while (end < bytes.length && end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString("utf8", 0, end);
}

function left(from: number, last: number, total: number): string {
  return `[lines ${grouped(from)}-${grouped(last)} of ${grouped(total)}; go on with from: ${last + 1}]`;
}

function leftOfLine(line: number, next: number, length: number): string {
  const size = counted(length, "character");
  return `[line ${grouped(line)} has ${size}; go on with from: ${line}, column: ${next}]`;
}

function lineEndRemark(lines: readonly string[]): readonly string[] {
  const count = lines.filter((line) => line.endsWith("\r")).length;
  if (count === 0) return [];
  // The last line may have no end at all.
  return count >= lines.length - 1
    ? ["[its lines end in CRLF]"]
    : [`[${grouped(count)} of its ${grouped(lines.length)} lines end in CRLF, the others in LF]`];
}
