export interface Masker {
  /** Hides a value, each of its lines, and the forms in which the runner also looks for it. */
  add(value: string): void;
  mask(text: string): string;
}

/** Replaces secrets by `***` as the runner does; overlapping secrets become one `***`. */
export function createMasker(secrets: readonly string[] = []): Masker {
  const hidden = new Set<string>();
  const add = (value: string) => {
    for (const part of [value, ...value.split(/\r?\n/)]) {
      if (part.trim() === "") continue;
      for (const form of formsOf(part)) if (form !== "") hidden.add(form);
    }
  };
  for (const secret of secrets) add(secret);
  return { add, mask: (text) => maskSpans(text, spansOf(text, hidden)) };
}

/** The value and what the runner's encoders make of it (HostContext.cs, ValueEncoders.cs). */
function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  // Behind a prefix of unknown length the value may begin at any of three offsets of a Base64 text.
  const shifts = [0, 1, 2].map((shift) => bytes.subarray(shift).toString("base64"));
  const xml = value.replace(/[&<>"']/g, (c) => xmlEscapes[c] ?? c);
  const unquoted = value.length > 8 ? value.replace(/^"(.*)"$/s, "$1") : value;
  const json = JSON.stringify(value).slice(1, -1);
  return [value, ...shifts, json, value.replaceAll("'", "''"), encodeURIComponent(value), xml, unquoted];
}

const xmlEscapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

function spansOf(text: string, hidden: ReadonlySet<string>): readonly (readonly [number, number])[] {
  const spans: [number, number][] = [];
  for (const value of hidden) {
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
      spans.push([at, at + value.length]);
    }
  }
  return spans.sort((a, b) => a[0] - b[0]);
}

function maskSpans(text: string, spans: readonly (readonly [number, number])[]): string {
  let masked = "";
  let end = 0;
  for (const [from, to] of spans) {
    if (from >= end && (from > end || end === 0)) masked += `${text.slice(end, from)}***`;
    end = Math.max(end, to);
  }
  return masked + text.slice(end);
}
