export type Replacement =
  /** `lines` are where each occurrence begins, from 1, in the file as it was. */
  | { readonly kind: "replaced"; readonly bytes: Buffer; readonly lines: readonly number[] }
  | { readonly kind: "many"; readonly lines: readonly number[] }
  | { readonly kind: "none" }
  | { readonly kind: "same" };

/**
 * Replaces `old` where it stands exactly once, or everywhere with `all`. Works on bytes, so what is not UTF-8 and
 * everything around stays as it was. Where plain line feeds are not found as they are, or all line ends of the file
 * are CRLF, `old` and `new` are taken with CRLF.
 */
export function replaceText(
  file: Buffer,
  change: { readonly old: string; readonly new: string; readonly all: boolean },
): Replacement {
  // One character for each byte: positions are byte offsets, and any bytes survive.
  const text = file.toString("latin1");
  for (const ends of lineEndsToTry(text)) {
    const old = asBytes(change.old, ends);
    const positions = occurrences(text, old);
    if (positions.length === 0) continue;
    const replacement = asBytes(change.new, ends);
    if (replacement === old) return { kind: "same" };
    if (!change.all) {
      const meant = positions.length > 1 ? positions : overlapping(text, old, positions[0] ?? 0);
      if (meant.length > 1) return { kind: "many", lines: lineNumbers(text, meant) };
    }
    const bytes = Buffer.from(splice(text, positions, old.length, replacement), "latin1");
    return { kind: "replaced", bytes, lines: lineNumbers(text, positions) };
  }
  return { kind: "none" };
}

type LineEnds = "as given" | "crlf";

function lineEndsToTry(text: string): readonly LineEnds[] {
  const crlf = text.includes("\r\n");
  if (!crlf) return ["as given"];
  return /(^|[^\r])\n/.test(text) ? ["as given", "crlf"] : ["crlf"];
}

function asBytes(text: string, ends: LineEnds): string {
  const ended = ends === "crlf" ? text.replace(/\r?\n/g, "\r\n") : text;
  return Buffer.from(ended).toString("latin1");
}

/** From left to right, each after the end of the one before. */
function occurrences(text: string, part: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found.push(at);
  return found;
}

/** Text that overlaps itself, such as `aa` in `aaa`, could be meant in two places. */
function overlapping(text: string, part: string, first: number): readonly number[] {
  const second = text.indexOf(part, first + 1);
  return second < 0 ? [first] : [first, second];
}

function splice(text: string, positions: readonly number[], length: number, replacement: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const at of positions) {
    parts.push(text.slice(from, at), replacement);
    from = at + length;
  }
  return parts.concat(text.slice(from)).join("");
}

function lineNumbers(text: string, positions: readonly number[]): readonly number[] {
  let line = 1;
  let from = 0;
  return positions.map((at) => {
    for (let end = text.indexOf("\n", from); end >= 0 && end < at; end = text.indexOf("\n", from)) {
      line += 1;
      from = end + 1;
    }
    return line;
  });
}
