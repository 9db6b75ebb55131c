import {
  closeOf,
  type Doubt,
  type Fence,
  fenceAt,
  htmlBlockAt,
  isBlank,
  tagAt,
  withoutContainers,
} from "./markdown.ts";

/**
 * Removes what a Markdown text says to a machine and not to its reader: HTML comments, processing instructions,
 * declarations, CDATA. Repeated until nothing is left to remove, so that a comment cannot be assembled from the
 * halves around another (R4).
 *
 * What stands in code is visible and stays, and the rule is: it stays only where it is certainly code. GitHub's
 * renderer has many ways to make a backtick not a delimiter; wherever one may be at work (a link destination, a table
 * cell, a tag's attribute, a span that goes over lines, a fence in a quote), the comment is removed. The harm of a
 * wrong guess is then a lost example, never an order that only the model sees.
 */
export function removeHiddenMarkup(text: string): { readonly text: string; readonly removed: number } {
  let current = text;
  let removed = 0;
  for (let pass = 0; pass < passesMax; pass++) {
    const scan = onePass(current);
    if (scan.removed === 0) return { text: current, removed };
    current = scan.out.join("");
    removed += scan.removed;
  }
  // Nested deeper than anyone writes by hand: break whatever openers are left.
  return { text: current.replace(/<+(?=[!?])/g, ""), removed: removed + 1 };
}

const passesMax = 24;

type Scan = {
  readonly text: string;
  readonly out: string[];
  removed: number;
  pos: number;
  fence: Fence | null;
  /** Inside raw HTML: ended by a blank line, or, for `<pre>` and its like, by the closing tag. */
  html: "blank" | RegExp | null;
  /** The block structure is not known any more: nothing is protected from here on. */
  lost: boolean;
  /** Backticks of this paragraph may pair over lines: its further lines are not protected. */
  doubt: boolean;
  listSeen: boolean;
  before: "blank" | "indented" | "text";
  /** Where the blank line after `pos` is, when that was last looked up; and which openers have no end before it. */
  paragraphEnd: number;
  readonly endless: Map<string, number>;
};

function onePass(text: string): Scan {
  const scan: Scan = {
    text,
    out: [],
    removed: 0,
    pos: 0,
    fence: null,
    html: null,
    lost: false,
    doubt: false,
    listSeen: false,
    before: "blank",
    paragraphEnd: -1,
    endless: new Map(),
  };
  // Every line and every removal moves `pos` on.
  while (scan.pos < text.length) line(scan);
  return scan;
}

function line(scan: Scan): void {
  const content = scan.text.slice(scan.pos, lineEnd(scan));
  if (scan.fence !== null && inFence(scan, scan.fence, content)) {
    keepLine(scan);
    return;
  }
  if (scan.html === "blank" && isBlank(content)) scan.html = null;
  if (scan.html !== null) htmlLine(scan, content);
  else if (isBlank(content)) blankLine(scan);
  else if (opensFence(scan, content) || isIndentedCode(scan, content)) keepLine(scan);
  else textLine(scan, content);
}

function blankLine(scan: Scan): void {
  scan.before = "blank";
  scan.doubt = false;
  keepLine(scan);
}

function textLine(scan: Scan, content: string): void {
  scan.before = "text";
  const { width, list } = withoutContainers(content);
  if (list) scan.listSeen = true;
  const inner = content.slice(width);
  if (/^<(?:!--|\?|!\[CDATA\[|![A-Za-z])/.test(inner)) {
    keepTo(scan, scan.pos + width);
    rawRest(scan, scan.text.length);
    return;
  }
  scan.html = htmlBlockAt(inner, { interrupting: scan.doubt });
  if (scan.html === null) inline(scan);
  else htmlLine(scan, content);
}

function inFence(scan: Scan, fence: Fence, content: string): boolean {
  const indent = /^ */.exec(content)?.[0].length ?? 0;
  if (!isBlank(content) && indent < fence.indent) {
    // The list item or quote that held the fence may have ended here, and the fence with it.
    scan.fence = null;
    scan.lost = true;
    return false;
  }
  const run = content.trim();
  const closes =
    indent <= fence.indent + 3 && run.length >= fence.length && run === fence.character.repeat(run.length);
  if (closes) scan.fence = null;
  scan.before = "text";
  return true;
}

function opensFence(scan: Scan, content: string): boolean {
  if (scan.lost) return false;
  const found = fenceAt(content);
  if (found === "unclear") scan.lost = true;
  if (found === null || found === "unclear") return false;
  scan.fence = found;
  scan.doubt = false;
  return true;
}

function isIndentedCode(scan: Scan, content: string): boolean {
  if (scan.lost || scan.listSeen || scan.before === "text") return false;
  if (!/^(?: {4}| {0,3}\t)/.test(content)) return false;
  scan.before = "indented";
  return true;
}

function htmlLine(scan: Scan, content: string): void {
  const closing = scan.html;
  const limit = closing === "blank" ? paragraphEnd(scan) : scan.text.length;
  if (closing instanceof RegExp && closing.test(content)) scan.html = null;
  scan.before = "text";
  rawRest(scan, limit);
}

/**
 * The rest of a line that is handed on as raw HTML, where nothing is code. An opener without its end hides
 * everything after it.
 */
function rawRest(scan: Scan, limit: number): void {
  while (scan.pos < scan.text.length) {
    const found = scan.text.slice(scan.pos, lineEnd(scan)).search(/<[!?]/);
    if (found === -1) {
      keepLine(scan);
      return;
    }
    keepTo(scan, scan.pos + found);
    const close = closeOf(scan.text, scan.pos);
    // A block that ended otherwise than its comment: what follows is raw HTML for an unknown while.
    if (!scan.text.startsWith("<!--", scan.pos) || close.odd) scan.lost = true;
    drop(scan, close.end !== -1 && close.end <= limit ? close.end : scan.text.length);
  }
}

function inline(scan: Scan): void {
  const doubt: Doubt = { here: scan.lost || scan.doubt, below: scan.doubt };
  const special = /[`\\<]|\](?=[(:])|:\/\/|www\./g;
  for (;;) {
    special.lastIndex = scan.pos;
    const found = special.exec(scan.text);
    const end = lineEnd(scan);
    if (found === null || found.index >= end) break;
    keepTo(scan, found.index);
    special.lastIndex = 0;
    oneInline(scan, found[0], end, doubt);
  }
  scan.doubt = doubt.here || doubt.below;
  keepLine(scan);
}

function oneInline(scan: Scan, what: string, end: number, doubt: Doubt): void {
  const rest = scan.text.slice(scan.pos, end);
  switch (what) {
    case "`":
      backticks(scan, rest, doubt);
      break;
    case "<":
      angle(scan, rest, doubt);
      break;
    case "\\":
      keepTo(scan, Math.min(scan.pos + 2, end));
      break;
    case "]":
      // A destination or title may swallow a backtick; only a plain one surely does not.
      if (!/^\]\([^\s`"'()<>\\]{0,2000}\)/.test(rest)) doubt.here = true;
      keepTo(scan, scan.pos + 1);
      break;
    default:
      // An address may too.
      if (!/^[^\s<`]{0,2000}(?:[\s<]|$)/.test(rest)) doubt.here = true;
      keepTo(scan, scan.pos + what.length);
  }
}

function backticks(scan: Scan, rest: string, doubt: Doubt): void {
  const run = /^`+/.exec(rest)?.[0] ?? "`";
  const close = new RegExp(`(?<!\`)\`{${run.length}}(?!\`)`, "g");
  close.lastIndex = run.length;
  const found = close.exec(rest);
  if (found === null) doubt.below = true;
  // A bar may end a table cell, and the span with it.
  else if (rest.slice(0, found.index).includes("|")) doubt.here = true;
  const isCode = found !== null && !doubt.here;
  keepTo(scan, scan.pos + (isCode ? found.index + run.length : run.length));
}

function angle(scan: Scan, rest: string, doubt: Doubt): void {
  if (/^<[!?]/.test(rest)) {
    hidden(scan, rest, doubt);
    return;
  }
  const tag = tagAt(rest);
  if (tag !== null && /[`|]/.test(tag)) doubt.here = true;
  // One that has no end may go on in the next line, with a backtick in an attribute.
  if (tag === null && /^<[A-Za-z/]/.test(rest)) doubt.below = true;
  keepTo(scan, scan.pos + (tag?.length ?? 1));
}

function hidden(scan: Scan, rest: string, doubt: Doubt): void {
  const end = inlineEnd(scan);
  if (end === -1) {
    keepTo(scan, scan.pos + 1);
    return;
  }
  // Over a line's end another block may have begun.
  if (scan.text.slice(scan.pos, end).includes("\n")) scan.lost = true;
  if (scan.lost || !rest.startsWith("<!--")) doubt.here = true;
  drop(scan, end);
}

const openers = [
  { opener: "<!--", whole: /^<!--/ },
  { opener: "<![CDATA[", whole: /^<!\[CDATA\[[\s\S]*?\]\]>/ },
  { opener: "<!", whole: /^<![A-Za-z][^>]*>/ },
  { opener: "<?", whole: /^<\?[\s\S]*?\?>/ },
] as const;

/** Where an inline construct at `pos` ends, or -1 when it is none: then its characters are shown as they are. */
function inlineEnd(scan: Scan): number {
  const limit = paragraphEnd(scan);
  const kind = openers.find(({ opener }) => scan.text.startsWith(opener, scan.pos));
  // What had no end further up in this paragraph has none here: keeps a row of openers from costing its square.
  if (kind === undefined || scan.endless.get(kind.opener) === limit) return -1;
  const rest = scan.text.slice(scan.pos, limit);
  const close = kind.whole.test(rest) ? closeOf(rest, 0).end : -1;
  if (close !== -1) return scan.pos + close;
  if (kind.opener !== "<!") scan.endless.set(kind.opener, limit);
  return -1;
}

function paragraphEnd(scan: Scan): number {
  if (scan.paragraphEnd < scan.pos) {
    const blank = /\n[ \t\r]*\n/g;
    blank.lastIndex = scan.pos;
    scan.paragraphEnd = blank.exec(scan.text)?.index ?? scan.text.length;
  }
  return scan.paragraphEnd;
}

function lineEnd(scan: Scan): number {
  const end = scan.text.indexOf("\n", scan.pos);
  return end === -1 ? scan.text.length : end;
}

function keepLine(scan: Scan): void {
  keepTo(scan, Math.min(lineEnd(scan) + 1, scan.text.length));
}

function keepTo(scan: Scan, end: number): void {
  scan.out.push(scan.text.slice(scan.pos, end));
  scan.pos = end;
}

function drop(scan: Scan, end: number): void {
  scan.removed += 1;
  scan.pos = end;
}
