import { withoutSecrets } from "../gate/secrets/secret-rules.ts";
import { escapedIn } from "./exact-json.ts";
import { neutralCode, neutralInline, oneLine, visible } from "./neutral-inline.ts";

export type NeutralOptions = {
  /** Characters of the text that are looked at; what is cut is said. */
  readonly max: number;
  /** The one issue whose number may be written so that GitHub links and closes it. */
  readonly issue: number | null;
  readonly triggerPhrase: string;
};

const fenceOpen = /^[ \t]*(`{3,}|~{3,})([^`]*)$/;
// GitHub draws these, some of them from other addresses.
const drawn = new Set(["mermaid", "math", "geojson", "topojson", "stl"]);

/**
 * Untrusted text as Markdown that can do nothing but be read (R12, T49): nothing is fetched, nobody is mentioned, no
 * other issue is linked or closed, nothing is hidden, no line is a command, and no credential is told. Emphasis, lists,
 * tables and code stay; a heading becomes bold and a rule a row of dashes, so that all headings and rules are ours and
 * no part of the text can be taken for a part of ours. Fences are written anew, so that what we take for code is code
 * for GitHub too.
 */
export function neutralText(text: string, options: NeutralOptions): string {
  const { kept, note } = cut(plain(text), options.max);
  const out: string[] = [];
  const lines = kept.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const fence = fenceOpen.exec(line);
    if (fence === null) {
      out.push(neutralLine(line, options));
      continue;
    }
    const [, mark = "```", info = ""] = fence;
    const end = closing(lines, at + 1, mark);
    out.push(...codeBlock(lines.slice(at + 1, end), info, options.triggerPhrase));
    at = end;
  }
  return [out.join("\n").trim(), note].filter((part) => part !== "").join("\n\n");
}

/** Untrusted text for a title or a commit's subject, which are no Markdown: one line, no references, no directives. */
export function neutralTitle(text: string, max: number): string {
  const line = oneLine(plain(text)).replace(/[`*]/g, "");
  const inTitle = line
    .replace(/@(?=[a-z0-9])/gi, `@${zeroWidth}`)
    .replace(/(#|\bGH-)(?=\d)/gi, `$1${zeroWidth}`)
    .replace(/:\/\//g, `:${zeroWidth}//`)
    .replace(/\[(?=[^\]]*\b(?:skip|ci|no)\b[^\]]*\])/gi, `[${zeroWidth}`);
  return inTitle.length <= max ? inTitle : `${inTitle.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Untrusted text for a table's cell or a sentence of ours: one line, fully escaped. */
export function neutralCell(text: string, max: number): string {
  const line = oneLine(plain(text));
  const short = line.length <= max ? line : `${line.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;
  return inert(short);
}

/** A name, path or command of anybody's, shown as code wherever Markdown or a table stands around it. */
export function codeSpan(text: string, max = 200): string {
  return `<code>${neutralCell(text, max)}</code>`;
}

/** A path of the change, exactly: what has no shape is shown as its escape, and of a long one both ends are. */
export function pathSpan(path: string): string {
  const shown = escapedIn(withoutSecrets(path));
  const half = (pathMax - 1) / 2;
  const short =
    shown.length <= pathMax
      ? shown
      : `${shown.slice(0, half)}…${shown.slice(-half)}`.replace(
          /[\ud800-\udbff](?=…)|(?<=…)[\udc00-\udfff]/g,
          "",
        );
  return `<code>${inert(short)}</code>`;
}

const pathMax = 201;
const zeroWidth = "\u200b";

/** What is there to be read of a text, without what looks like a credential; where one stood is said in its place. */
function plain(text: string): string {
  return withoutSecrets(visible(withoutComments(text)));
}

/** Every character that Markdown or HTML could act on becomes an entity, and references are broken. */
function inert(text: string): string {
  return text
    .replace(/[&<>|`*_~[\]\\$!"'{}]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/@(?=[a-z0-9])/gi, "@&#8203;")
    .replace(/(?<!&)#(?=\d)/g, "#&#8203;")
    .replace(/\bGH-(?=\d)/gi, "GH-&#8203;")
    .replace(/:\/\//g, ":&#8203;//")
    .replace(/\bwww\./gi, "www&#8203;.");
}

function neutralLine(line: string, options: NeutralOptions): string {
  // What may stand before a command in a quote or a list, so that taking it away does not uncover one either.
  const lead = /^(?:[ \t]|[>*+-]|\d{1,9}[.)])*/.exec(line)?.[0] ?? "";
  const indent = /^[ \t]*/.exec(line)?.[0] ?? "";
  for (const before of [lead, indent])
    if (line.startsWith(options.triggerPhrase, before.length))
      return `${before}&#8203;${neutralInline(line.slice(before.length), options.issue)}`;
  const { before: container, rest } = contained(line);
  const [, title] = /^#{1,6}(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(rest) ?? [];
  if (/^#{1,6}(?:[ \t]|$)/.test(rest))
    return title === undefined || title.trim() === ""
      ? container
      : `${container}**${neutralInline(title.trim(), options.issue)}**`;
  if (isRule(rest)) return `${container}&#${rest.charCodeAt(0)};${rest.slice(1)}`;
  const rule = line.replace(/^[ \t>]*/, "");
  if (isRule(rule))
    return `${line.slice(0, line.length - rule.length)}&#${rule.charCodeAt(0)};${rule.slice(1)}`;
  const box = /^([ \t]*[-*+] )(\[[ xX]\] )(.*)$/.exec(line);
  if (box) return `${box[1]}${box[2]}${neutralInline(box[3] ?? "", options.issue)}`;
  return neutralInline(line, options.issue);
}

/** A line of quotes and lists, and what stands in them. */
function contained(line: string): { readonly before: string; readonly rest: string } {
  const before = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*/.exec(line)?.[0] ?? "";
  return { before, rest: line.slice(before.length) };
}

/** What draws a line, or makes a heading of the line above it. */
function isRule(text: string): boolean {
  return /^(?:=+|-+)[ \t]*$/.test(text) || /^([-*_])(?:[ \t]*\1){2,}[ \t]*$/.test(text);
}

/** The line that closes the fence, or the end: a fence that never closes is closed by us. */
function closing(lines: readonly string[], from: number, mark: string): number {
  const character = mark[0] ?? "`";
  for (let at = from; at < lines.length; at++) {
    const line = (lines[at] ?? "").trim();
    if (line.length >= mark.length && line === character.repeat(line.length)) return at;
  }
  return lines.length;
}

/** Lines in a fence that none of them can close. */
export function codeBlock(
  content: readonly string[],
  info: string,
  triggerPhrase: string,
): readonly string[] {
  const told = withoutSecrets(content.join("\n")).split("\n");
  const longest = Math.max(0, ...told.map((line) => longestRun(line)));
  const mark = "`".repeat(Math.max(3, longest + 1));
  const word = info.trim().toLowerCase();
  const language = /^[a-z0-9+#-]{1,20}$/.test(word) && !drawn.has(word) ? word : "";
  const lines = told.map((line) => {
    const code = neutralCode(line);
    return code.trimStart().startsWith(triggerPhrase) ? zeroWidth + code : code;
  });
  return [mark + language, ...lines, mark];
}

function longestRun(line: string): number {
  return (line.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

const passesMax = 8;

/** What nobody would see is taken out; what is left of a comment after that many passes is escaped, so it is seen. */
function withoutComments(text: string): string {
  let rest = text;
  for (let pass = 0; pass < passesMax; pass++) {
    const next = withoutCommentsOnce(rest);
    if (next === rest) return rest;
    rest = next;
  }
  return rest;
}

function withoutCommentsOnce(text: string): string {
  const kept: string[] = [];
  let at = 0;
  for (;;) {
    const open = text.indexOf("<!--", at);
    const close = open < 0 ? -1 : text.indexOf("-->", open + 2);
    if (open < 0 || close < 0) break;
    kept.push(text.slice(at, open));
    at = close + 3;
  }
  return kept.join("") + text.slice(at);
}

function cut(text: string, max: number): { readonly kept: string; readonly note: string } {
  if (text.length <= max) return { kept: text, note: "" };
  const line = text.lastIndexOf("\n", max);
  const end = line > max / 2 ? line : max;
  const kept = text.slice(0, end).replace(/[\ud800-\udbff]$/, "");
  return { kept, note: `(Cut here: ${kept.length} of ${text.length} characters are shown.)` };
}
