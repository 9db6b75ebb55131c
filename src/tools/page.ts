import { limits } from "../base/limits.ts";
import { counted, failed, grouped, ok } from "./outcome.ts";
import type { ToolOutcome } from "./tool.ts";

const lineCharsMax = 2_000;
/** Left for the remarks at the end. */
const remarkBytes = 1_024;

/**
 * Some lines of a text with their numbers, as many as fit into `modelOutputBytesMax`, and remarks on all that the
 * numbered lines cannot show: what is left, line ends, a byte order mark, bytes that are not UTF-8.
 */
export function showPage(
  content: Uint8Array | string,
  { name, from, lines }: { readonly name: string; readonly from: number; readonly lines: number },
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
  const shown = numbered(wanted, from);
  const last = from + shown.length - 1;
  const remarks = [
    ...(last < all.length ? [left(from, last, all.length)] : []),
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

function numbered(lines: readonly string[], from: number): string[] {
  const charsMax = lines.length === 1 ? Number.POSITIVE_INFINITY : lineCharsMax;
  const shown: string[] = [];
  let left = limits.modelOutputBytesMax - remarkBytes;
  for (const [index, line] of lines.entries()) {
    const text = `${String(from + index).padStart(5)}\t${shorten(line.replace(/\r$/, ""), charsMax, left)}`;
    left -= Buffer.byteLength(text) + 1;
    if (left < 0 && shown.length > 0) break;
    shown.push(text.replaceAll("\0", "\u2400"));
  }
  return shown;
}

function shorten(line: string, charsMax: number, bytesLeft: number): string {
  // A character has at most three bytes of UTF-8 for each code unit.
  const max = line.length * 3 <= bytesLeft ? charsMax : Math.min(charsMax, Math.floor(bytesLeft / 3));
  if (line.length <= max) return line;
  const kept = line.slice(0, max).replace(/[\uD800-\uDBFF]$/, "");
  return `${kept} [${counted(line.length - kept.length, "more character")} in this line]`;
}

function left(from: number, last: number, total: number): string {
  return `[lines ${grouped(from)}-${grouped(last)} of ${grouped(total)}; go on with from: ${last + 1}]`;
}

function lineEndRemark(lines: readonly string[]): readonly string[] {
  const count = lines.filter((line) => line.endsWith("\r")).length;
  if (count === 0) return [];
  // The last line may have no end at all.
  return count >= lines.length - 1
    ? ["[its lines end in CRLF]"]
    : [`[${grouped(count)} of its ${grouped(lines.length)} lines end in CRLF, the others in LF]`];
}
