/**
 * A text whole, or its beginning and end in about `bytesMax` bytes, with what is left out between them counted. Where
 * the cut falls into a quotation, that is closed before it and opened again behind it: what was quoted stays quoted.
 */
export function excerpt(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  const half = Math.floor(bytesMax / 2);
  const until = lineEndBefore(bytes, half);
  const from = lineStartAfter(bytes, bytes.length - half);
  const head = bytes.subarray(0, until).toString();
  const tail = bytes.subarray(from).toString();
  const opened = openIn(head);
  const reopened = openIn(bytes.subarray(0, from).toString());
  return [
    head,
    ...(opened === null ? [] : [markOf("end", opened)]),
    `[${from - until} bytes left out here]`,
    ...(reopened === null ? [] : [markOf("begin", reopened)]),
    tail,
  ].join("\n");
}

/** A text between boundaries that it does not hold; `boundary` has 16 hex digits. */
export function quotation(label: string, text: string, boundary: string): string {
  return `${markOf("begin", { boundary, label })}\n${text}\n${markOf("end", { boundary, label })}`;
}

/** The size to which each of several texts has to be cut so that together they have at most `bytesMax`. */
export function shareOut(sizes: readonly number[], bytesMax: number): number {
  let left = bytesMax;
  let waiting = sizes.length;
  for (const size of [...sizes].sort((a, b) => a - b)) {
    if (size * waiting > left) return Math.floor(left / waiting);
    left -= size;
    waiting -= 1;
  }
  return bytesMax;
}

type Quote = { readonly boundary: string; readonly label: string };

const mark = /^\[(begin|end) ([0-9a-f]{16}): (.*)\]$/;
const newline = 10;
// No line of a quotation's ends is longer, so a cut at a line's end, or in a longer line, never falls into one.
const markBytesMax = 512;

/** The quotation that is open at the end of a text. What looks like a mark inside of one carries another boundary. */
function openIn(text: string): Quote | null {
  let open: Quote | null = null;
  for (const line of text.split("\n")) {
    const [, which, boundary = "", label = ""] = mark.exec(line) ?? [];
    if (open === null && which === "begin") open = { boundary, label };
    else if (which === "end" && open?.boundary === boundary) open = null;
  }
  return open;
}

function markOf(which: "begin" | "end", { boundary, label }: Quote): string {
  return `[${which} ${boundary}: ${label}]`;
}

function lineEndBefore(bytes: Buffer, at: number): number {
  const end = bytes.lastIndexOf(newline, at);
  return end >= 0 && at - end <= markBytesMax ? end : characterAt(bytes, at);
}

function lineStartAfter(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(newline, at);
  return end >= 0 && end - at <= markBytesMax ? end + 1 : characterAt(bytes, at);
}

/** Not in the middle of a character: continuation bytes begin with the bits 10. */
function characterAt(bytes: Buffer, at: number): number {
  let start = at;
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}
