/** Whether backticks are still understood: `here`, in the rest of this line; `below`, in the rest of its paragraph. */
export type Doubt = { here: boolean; below: boolean };

/** A fenced code block that is open. `indent` is how far its lines stand in at least. */
export type Fence = { readonly character: "`" | "~"; readonly length: number; readonly indent: number };

export function isBlank(line: string): boolean {
  return /^[ \t\r]*$/.test(line);
}

/** The fence that this line opens; `unclear` when it may open one inside a quote, an ordered or a nested list. */
export function fenceAt(line: string): Fence | "unclear" | null {
  const plain = /^( {0,3}(?:[-*+] {1,4})?)(`{3,}|~{3,})(.*)$/.exec(line);
  if (plain !== null) {
    const [, lead = "", run = "", info = ""] = plain;
    if (run.startsWith("~")) return { character: "~", length: run.length, indent: lead.length };
    if (!info.includes("`")) return { character: "`", length: run.length, indent: lead.length };
    return null;
  }
  return /^[\s>]*(?:(?:[-*+]|[0-9]{1,9}[.)])[\s>]+)*(?:```|~~~)/.test(line) ? "unclear" : null;
}

/** How wide the quote and list markers before a line's content are. */
export function withoutContainers(line: string): { readonly width: number; readonly list: boolean } {
  const lead = /^(?:[ \t]*(?:>|(?:[-*+]|[0-9]{1,9}[.)])(?=[ \t])))*[ \t]*/.exec(line)?.[0] ?? "";
  return { width: lead.length, list: /[-*+.)]/.test(lead) };
}

/** How the block of raw HTML that this line begins will end, or null when it begins none. */
export function htmlBlockAt(
  line: string,
  { interrupting }: { readonly interrupting: boolean },
): "blank" | RegExp | null {
  const name = /^<\/?([A-Za-z][A-Za-z0-9-]*)(?=[\s>]|\/?>|$)/.exec(line)?.[1]?.toLowerCase();
  if (name === undefined) return null;
  if (rawNames.has(name) && !line.startsWith("</")) return /<\/(?:pre|script|style|textarea)>/i;
  if (blockNames.has(name)) return "blank";
  // Any other tag that stands alone on its line; taken for a block also where a paragraph goes on, to be safe.
  const tag = tagAt(line);
  if (tag !== null) return isBlank(line.slice(tag.length)) ? "blank" : null;
  return interrupting ? "blank" : null;
}

/** The whole tag or autolink at the beginning of `text`, or null. */
export function tagAt(text: string): string | null {
  return (tag.exec(text) ?? autolink.exec(text))?.[0] ?? null;
}

/** Where a hidden construct ends as an HTML parser sees it, or -1. `odd`: not where Markdown sees its end. */
export function closeOf(text: string, at: number): { readonly end: number; readonly odd: boolean } {
  if (!text.startsWith("<!--", at)) {
    const end = text.indexOf(">", at);
    return { end: end === -1 ? -1 : end + 1, odd: true };
  }
  const close = /--!?>/g;
  // `<!-->` and `<!--->` are whole comments.
  close.lastIndex = at + 2;
  const found = close.exec(text);
  if (found === null) return { end: -1, odd: false };
  return { end: found.index + found[0].length, odd: found[0] === "--!>" };
}

const tag =
  /^<(?:\/[A-Za-z][A-Za-z0-9-]*\s*|[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?)>/;
const autolink = /^<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]+@[^\s<>]+)>/;

const rawNames = new Set(["pre", "script", "style", "textarea"]);

const blockNames = new Set(
  (
    "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt " +
    "fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li " +
    "link main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th " +
    "thead title tr track ul"
  ).split(" "),
);
