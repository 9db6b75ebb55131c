import { counted, ungrouped } from "./outcome.ts";

/** Collects an output of any length in bounded memory: its beginning, its end, and exact counts of the rest. */
export type HeadTail = {
  readonly push: (chunk: Uint8Array) => void;
  /** All bytes ever pushed. */
  readonly bytes: () => number;
  /** Whether `text` leaves anything out. */
  readonly isCut: () => boolean;
  /**
   * At most `bytesMax` bytes of UTF-8. Bytes that are not UTF-8 show as U+FFFD, NULs as U+2400. Where something
   * is left out, one line says how many bytes and line ends, followed by the hint, at most 240 bytes.
   */
  readonly text: (hint: Hint) => string;
};

/** Told where what is left out begins; "" says nothing. */
export type Hint = (from: { readonly line: number; readonly column: number }) => string;

/** Room for the line that says what was cut, `hint` included. */
const markBytes = 320;

export function headTail(bytesMax: number): HeadTail {
  // Errors and summaries mostly stand at the end.
  const headMax = Math.floor((bytesMax - markBytes) / 3);
  const tailMax = bytesMax - markBytes - headMax;
  const head = createStart(headMax);
  const tail = createRing(tailMax);
  let bytes = 0;
  let lines = 0;

  const push = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    lines += lineEnds(chunk);
    tail.push(chunk.subarray(head.push(chunk)));
  };

  const uncut = (): string | null => {
    if (bytes > headMax + tailMax) return null;
    const text = render(Buffer.concat([head.held(), tail.held()]));
    return Buffer.byteLength(text) <= bytesMax ? text : null;
  };

  const text = (hint: Hint): string => {
    const whole = uncut();
    if (whole !== null) return whole;
    const start = fitting(wholeLines(head.held(), "start"), headMax, "start");
    const end = fitting(wholeLines(tail.held(), "end"), tailMax, "end");
    const cutBytes = bytes - start.bytes - end.bytes;
    const cutLines = lines - start.lines - end.lines;
    const said = hint({ line: start.lines + 1, column: columnAfter(start.text) });
    const mark = `[cut here: ${counted(cutBytes, "byte")}, ${counted(cutLines, "line end")}${said && `; ${said}`}]`;
    return `${start.text}${start.text.endsWith("\n") || start.text === "" ? "" : "\n"}${mark}\n${end.text}`;
  };

  return { push, bytes: () => bytes, isCut: () => uncut() === null, text };
}

/** Counted as `read` counts: in characters of the text, from 1. */
function columnAfter(text: string): number {
  return text.length - text.lastIndexOf("\n");
}

/** What a line of such a text says that was cut, where it is the line of a cut and names `hint`; else null. */
export function cutIn(line: string, hint: string): { readonly bytes: number; readonly lines: number } | null {
  const [, bytes, lines, rest = ""] =
    /^\[cut here: ([\d,]+) bytes?, ([\d,]+) line ends?; (.*)\]$/.exec(line) ?? [];
  if (bytes === undefined || lines === undefined || !rest.includes(hint)) return null;
  return { bytes: ungrouped(bytes), lines: ungrouped(lines) };
}

/** Keeps the first `max` bytes; `push` returns how many it took. */
function createStart(max: number) {
  let kept = Buffer.alloc(0);
  let length = 0;
  const push = (chunk: Uint8Array): number => {
    const taken = chunk.subarray(0, max - length);
    if (taken.length > 0 && kept.length === 0) kept = Buffer.alloc(max);
    kept.set(taken, length);
    length += taken.length;
    return taken.length;
  };
  return { push, held: () => kept.subarray(0, length) };
}

/** Keeps the last `max` bytes in one block, however small the pieces they come in. */
function createRing(max: number) {
  let block = Buffer.alloc(0);
  let next = 0;
  let length = 0;
  const push = (chunk: Uint8Array): void => {
    if (chunk.length === 0) return;
    if (block.length === 0) block = Buffer.alloc(max);
    const last = chunk.subarray(Math.max(0, chunk.length - max));
    const first = last.subarray(0, max - next);
    block.set(first, next);
    block.set(last.subarray(first.length), 0);
    next = (next + last.length) % max;
    length = Math.min(max, length + last.length);
  };
  const held = (): Buffer =>
    length < max ? block.subarray(0, length) : Buffer.concat([block.subarray(next), block.subarray(0, next)]);
  return { push, held };
}

type Piece = { readonly text: string; readonly bytes: number; readonly lines: number };

/** As much of the start or end as shows in at most `max` bytes, without splitting a character. */
function fitting(bytes: Uint8Array, max: number, side: "start" | "end"): Piece {
  for (let length = bytes.length; ; ) {
    const piece = side === "start" ? upTo(bytes, length) : from(bytes, bytes.length - length);
    const text = render(piece);
    const size = Buffer.byteLength(text);
    if (size <= max) return { text, bytes: piece.length, lines: lineEnds(piece) };
    length = Math.floor((length * max) / size);
  }
}

/** Cuts to whole lines where that does not cost more than half. */
function wholeLines(bytes: Buffer, side: "start" | "end"): Uint8Array {
  if (side === "start") {
    const last = bytes.lastIndexOf(0x0a) + 1;
    return last >= bytes.length / 2 ? bytes.subarray(0, last) : bytes;
  }
  const first = bytes.indexOf(0x0a) + 1;
  return first > 0 && first <= bytes.length / 2 ? bytes.subarray(first) : bytes;
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

function upTo(bytes: Uint8Array, end: number): Uint8Array {
  let at = end;
  while (at > 0 && end - at < 3 && isContinuation(bytes[at])) at -= 1;
  return bytes.subarray(0, at);
}

function from(bytes: Uint8Array, start: number): Uint8Array {
  let at = start;
  while (at - start < 3 && isContinuation(bytes[at])) at += 1;
  return bytes.subarray(at);
}

function render(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).replaceAll("\0", "\u2400");
}

function lineEnds(bytes: Uint8Array): number {
  // A plain loop: a flood of short lines makes every search function slower than looking at each byte.
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === 0x0a) count += 1;
  return count;
}
