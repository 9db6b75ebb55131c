import { type Fence, fenceAt } from "./markdown.ts";

/** A picture that a Markdown text shows to its reader. */
export type ImageReference = {
  /** Null where the text holds the picture itself, or no address of the web. */
  readonly url: string | null;
  /** What the text says in its place, as one line without brackets and quotes; "" where it says nothing. */
  readonly alt: string;
};

/**
 * The text with each of its pictures replaced by what `told` says: `![]()` in all its forms, `<img>` and its like, and
 * links to files that GitHub keeps for a text. What stands in code stays. A wrong guess at what is code does no harm
 * either way: an address that stays is text, which nothing loads.
 */
export function replaceImages(text: string, told: (image: ImageReference) => string): string {
  const definitions = new Map<string, string>();
  const used = new Set<string>();
  const look = (found: Found): string | null => {
    if (found.kind === "image") return told(found.image);
    const url = definitions.get(found.label);
    if (url === undefined) return null;
    used.add(found.label);
    return told({ url: usable(url), alt: found.alt });
  };
  return partsOf(text)
    .map((part) => withoutDefinitions(part, definitions))
    .map((part) => (part.isCode ? part : { ...part, text: proseOf(part.text, look) }))
    .map((part) => withDefinitions(part, used))
    .join("");
}

/** Each picture once, in the order of the text. */
export function imagesIn(text: string): readonly ImageReference[] {
  const images: ImageReference[] = [];
  replaceImages(text, (image) => {
    if (image.url === null || images.every(({ url }) => url !== image.url)) images.push(image);
    return "";
  });
  return images;
}

type Part = { readonly isCode: boolean; readonly text: string; readonly taken: readonly Definition[] };
/** A line that gives an address a name, and where it stood among the lines of its part. */
type Definition = { readonly label: string; readonly line: number; readonly text: string };

/** Fenced code and everything else, in turn. */
function partsOf(text: string): readonly Part[] {
  const parts: { isCode: boolean; text: string }[] = [{ isCode: false, text: "" }];
  let fence: Fence | null = null;
  for (const line of text.split(/(?<=\n)/)) {
    const opened: Fence | null = fence === null ? openedBy(line) : null;
    if (opened !== null) parts.push({ isCode: true, text: "" });
    const last = parts.at(-1);
    if (last !== undefined) last.text += line;
    if (fence !== null && closes(line, fence)) {
      fence = null;
      parts.push({ isCode: false, text: "" });
    } else fence ??= opened;
  }
  return parts.map((part) => ({ ...part, taken: [] }));
}

function openedBy(line: string): Fence | null {
  const fence = fenceAt(line.trimEnd());
  return fence === "unclear" ? null : fence;
}

function closes(line: string, { character, length }: Fence): boolean {
  const run = line.trim();
  return run.length >= length && run === character.repeat(run.length);
}

const definition =
  /^ {0,3}\[([^[\]]{1,999})\]:[ \t]*(?:<([^<>]*)>|(\S+))(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*$/;

function withoutDefinitions(part: Part, known: Map<string, string>): Part {
  if (part.isCode) return part;
  const taken: Definition[] = [];
  const kept = part.text.split(/(?<=\n)/).filter((text, line) => {
    const [, name = "", angled, plain = ""] = definition.exec(text) ?? [];
    if (name.trim() === "") return true;
    const label = labelOf(name);
    if (!known.has(label)) known.set(label, angled ?? plain);
    taken.push({ label, line, text });
    return false;
  });
  return { ...part, text: kept.join(""), taken };
}

/** Puts the definitions back that no picture uses. */
function withDefinitions({ text, taken }: Part, used: ReadonlySet<string>): string {
  if (taken.every(({ label }) => used.has(label))) return text;
  const lines = text.split(/(?<=\n)/);
  let dropped = 0;
  for (const { label, line, text: own } of taken) {
    if (used.has(label)) dropped += 1;
    else lines.splice(Math.min(line - dropped, lines.length), 0, own);
  }
  return lines.join("");
}

type Found =
  | { readonly kind: "image"; readonly image: ImageReference }
  | { readonly kind: "named"; readonly label: string; readonly alt: string };

/** Answers what a picture is replaced by; null where it is none. */
type Look = (found: Found) => string | null;

/** No picture goes over a blank line. */
function proseOf(text: string, look: Look): string {
  return text
    .split(/(\n[ \t\r]*(?=\n))/)
    .map((paragraph) => paragraphOf(paragraph, look))
    .join("");
}

/** Looks once at each place where a picture, a code span or an escape may begin, from left to right. */
function paragraphOf(text: string, look: Look): string {
  const out: string[] = [];
  const special = /[\\`<[]|!\[|https?:\/\//g;
  let at = 0;
  for (let found = special.exec(text); found !== null; found = special.exec(text)) {
    out.push(text.slice(at, found.index));
    const { length, shown } = stepAt(text.slice(found.index), look);
    at = found.index + length;
    out.push(shown ?? text.slice(found.index, at));
    special.lastIndex = at;
  }
  return out.join("") + text.slice(at);
}

/** How much of the text is passed, and what is shown in its place; null for itself. */
type Step = { readonly length: number; readonly shown: string | null };

function stepAt(rest: string, look: Look): Step {
  switch (rest[0]) {
    case "\\":
      return { length: Math.min(2, rest.length), shown: null };
    case "`":
      return { length: codeLength(rest), shown: null };
    case "!":
      return markdownImage(rest, look);
    case "<":
      return (
        htmlImage(rest, look) ?? shownAs(bareAsset.exec(rest), look, ([, url = ""]) => ({ url, alt: "" }))
      );
    case "[":
      return shownAs(assetLink.exec(rest), look, ([, alt = "", url = ""]) => ({ url, alt }));
    default:
      return shownAs(bareAsset.exec(rest), look, ([, url = ""]) => ({ url, alt: "" }));
  }
}

const words = String.raw`([^[\]\\]*(?:(?:\\.|\[[^[\]]*\])[^[\]\\]*)*)`;
const title = String.raw`(?:"[^"]*"|'[^']*'|\([^()]*\))`;
const destination = String.raw`\(\s*(?:<([^<>\n]*)>|([^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*))(?:\s+${title})?\s*\)`;
// What was uploaded with a text: today's address, and the one that private repositories had before.
const asset = String.raw`https?:\/\/[^\s/<>()"'\`\\]{1,255}\/(?:user-attachments|[\w.-]{1,100}\/[\w.-]{1,100})\/assets\/(?:\d{1,20}\/)?[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}(?:\?[^\s<>()"'\`\\]*)?`;

const inlineImage = new RegExp(`^!\\[${words}\\]${destination}`, "s");
const namedImage = new RegExp(`^!\\[${words}\\](?:\\[([^[\\]]*)\\])?`, "s");
const assetLink = new RegExp(`^\\[(?!!\\[)${words}\\]\\(\\s*<?(${asset})>?(?:\\s+${title})?\\s*\\)`, "s");
const bareAsset = new RegExp(`^<?(${asset})>?`);
const tag = /^<(img|image|source|video)(?=[\s/>])([^<>"']*(?:(?:"[^"]*"|'[^']*')[^<>"']*){0,60})>/i;

function markdownImage(rest: string, look: Look): Step {
  const inline = inlineImage.exec(rest);
  if (inline !== null)
    return shownAs(inline, look, ([, alt = "", angled, plain = ""]) => ({ url: angled ?? plain, alt }));
  const [whole = "!", alt = "", label = ""] = namedImage.exec(rest) ?? [];
  const named = {
    kind: "named",
    label: labelOf(label.trim() === "" ? alt : label),
    alt: oneLine(alt),
  } as const;
  const shown = whole === "!" ? null : look(named);
  return shown === null ? { length: 1, shown } : { length: whole.length, shown };
}

function htmlImage(rest: string, look: Look): Step | null {
  const [whole, name = "", attributes = ""] = tag.exec(rest) ?? [];
  if (whole === undefined) return null;
  const url = attributeOf(attributes, "src");
  // In a `<picture>` the sources are other forms of its `<img>`.
  if (name.toLowerCase() === "source" && url === null) return { length: whole.length, shown: "" };
  // What a `<video>` shows may stand in its sources.
  if (name.toLowerCase() === "video" && url === null) return { length: whole.length, shown: null };
  const image = { url: usable(url ?? ""), alt: oneLine(attributeOf(attributes, "alt") ?? "") };
  return { length: whole.length, shown: look({ kind: "image", image }) };
}

function shownAs(
  match: RegExpExecArray | null,
  look: Look,
  read: (match: RegExpExecArray) => { readonly url: string; readonly alt: string },
): Step {
  if (match === null) return { length: 1, shown: null };
  const { url, alt } = read(match);
  const image = { url: usable(url), alt: oneLine(alt) };
  return { length: match[0].length, shown: look({ kind: "image", image }) };
}

function attributeOf(attributes: string, name: string): string | null {
  const value = String.raw`(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))`;
  const match = new RegExp(`(?:^|[\\s/"'])${name}\\s*=\\s*${value}`, "i").exec(attributes);
  if (match === null) return null;
  return (match[1] ?? match[2] ?? match[3] ?? "").replaceAll("&amp;", "&").trim();
}

/** A code span, or its backticks alone where it has no end. */
function codeLength(rest: string): number {
  const run = /^`+/.exec(rest)?.[0].length ?? 1;
  const close = new RegExp(`(?<!\`)\`{${run}}(?!\`)`, "g");
  close.lastIndex = run;
  const found = close.exec(rest);
  return found === null ? run : found.index + run;
}

function labelOf(text: string): string {
  return text.trim().replace(/\s+/g, " ").toLowerCase();
}

function usable(url: string): string | null {
  return /^https?:\/\//i.test(url) ? url : null;
}

const altCharactersMax = 200;

function oneLine(alt: string): string {
  const line = alt.replace(/[[\]"\\\s]+/g, " ").trim();
  return Array.from(line).slice(0, altCharactersMax).join("");
}
