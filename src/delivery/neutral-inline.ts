const zeroWidth = "\u200b";
const closingWord = /\b((?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?[ \t]+(?:[\w.-]+\/[\w.-]+)?#)(?=\d)/gi;

/**
 * One line of Markdown text. Code spans that begin and end in it stay; every other backtick, and everything that could
 * begin a link, an image, HTML, an entity, an escape or a formula, becomes an entity.
 */
export function neutralInline(line: string, issue: number | null): string {
  const out: string[] = [];
  let at = 0;
  for (const { start, end } of codeSpans(line)) {
    out.push(neutralProse(line.slice(at, start), issue), neutralCode(line.slice(start, end)));
    at = end;
  }
  out.push(neutralProse(line.slice(at), issue));
  return out.join("");
}

/** Code is not rendered; but a closing word may be looked for in the text as it was written. */
export function neutralCode(line: string): string {
  return line.replace(closingWord, `$1${zeroWidth}`);
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Without control characters and what has no shape, but with what emoji need. */
export function visible(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\ufff9-\ufffb]/gu, (character, at: number) => {
      if (character === "\n" || character === "\t") return character;
      const before = text.slice(Math.max(0, at - 3), at);
      const emoji = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u.test(before);
      return emoji && (character === "\ufe0f" || character === "\u200d") ? character : "";
    });
}

type Span = { readonly start: number; readonly end: number };

/** Code spans as CommonMark finds them: a run of backticks up to the next run of the same length. */
function codeSpans(line: string): readonly Span[] {
  const runs = [...line.matchAll(/`+/g)].map(({ index, 0: run }) => ({ index, length: run.length }));
  const spans: Span[] = [];
  for (let open = 0; open < runs.length; open++) {
    const first = runs[open];
    if (first === undefined) break;
    const close = runs.findIndex((run, at) => at > open && run.length === first.length);
    const last = runs[close];
    if (last === undefined) continue;
    spans.push({ start: first.index, end: last.index + last.length });
    open = close;
  }
  return spans;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  "\\": "&#92;",
  "`": "&#96;",
  "[": "&#91;",
  $: "&#36;",
};

function neutralProse(text: string, issue: number | null): string {
  return text
    .replace(/!\[([^\]]{0,300})\]\([^)]{0,2000}\)/g, "(image: $1)")
    .replace(/\[([^\]]{0,300})\]\(([^)]{0,2000})\)/g, "$1 ($2)")
    .replace(/[&<\\`[$]/g, (character) => entities[character] ?? "")
    .replace(/@(?=[a-z0-9])/gi, "@&#8203;")
    .replace(/:\/\//g, ":&#8203;//")
    .replace(/\bwww\./gi, "www&#8203;.")
    .replace(/\bGH-(?=\d)/gi, "GH-&#8203;")
    .replace(/(?<!&)#(\d+)/g, (reference, digits: string, at: number, whole: string) => {
      const alone = at === 0 || /[\s(,;:]/.test(whole[at - 1] ?? "");
      return alone && issue !== null && digits === String(issue) ? reference : `#&#8203;${digits}`;
    });
}
