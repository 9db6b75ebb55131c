import type { Mask } from "../base/masking.ts";
import type { Change } from "../workspace/workspace.ts";
import type { Quote } from "./findings-text.ts";
import type { Secret } from "./published-rules.ts";
import { secretsIn } from "./secret-rules.ts";
import type { ReadFile } from "./setup-inputs.ts";

/** Where a change holds a credential; never the credential itself. */
export type Leak = {
  /** Null where the name itself holds it. */
  readonly path: string | null;
  /** From 1, in the new file; null where it is spread over several. */
  readonly line: number | null;
  /** With its article. */
  readonly kind: string;
};

/**
 * The credentials that a change brings: what looks like one (secret-rules.ts), and the run's own secrets, also when they
 * are encoded, reversed, spread over lines or cut short. What the changed files held before is none. It knows the usual ways; one
 * who hides a secret with skill is held off by the sandbox, in which there is none.
 */
export async function secretsInChange(
  changes: readonly Change[],
  {
    contents,
    mask,
  }: {
    readonly contents: { readonly before: ReadFile; readonly after: ReadFile };
    /** Of the run's own secrets. */
    readonly mask: Mask;
  },
): Promise<readonly Leak[]> {
  const leaks: Leak[] = [];
  const looksLike: { readonly path: string; readonly line: number; readonly secret: Secret }[] = [];
  for (const { path, status } of changes) {
    if (status === "deleted") continue;
    for (const kind of kindsIn(path, mask)) leaks.push({ path: null, line: null, kind });
    const after = textOf(await contents.after(path));
    const own = ownIn(after, textOf(status === "added" ? null : await contents.before(path)), mask);
    if (own !== null) leaks.push({ path, line: own.line, kind: ownKind });
    for (const secret of secretsIn(after)) looksLike.push({ path, line: lineOf(after, secret), secret });
  }
  const known = looksLike.length === 0 ? new Set<string>() : await valuesBefore(changes, contents.before);
  for (const { path, line, secret } of looksLike)
    if (!known.has(secret.text)) leaks.push({ path, line, kind: secret.kind });
  return leaks;
}

const listedMax = 50;

/** What goes back to the model. */
export function secretsText(leaks: readonly Leak[], quote: Quote): string {
  const head =
    "The change cannot be published, because it holds what looks like a credential. Take it out. Code that needs one reads it from its environment when it runs, and a test uses a value that is plainly made up, such as one with `example` in it.";
  const lines = leaks.slice(0, listedMax).map(({ path, line, kind }) => {
    if (path === null) return `- the name of a file: ${kind}`;
    return `- ${path}${line === null ? "" : `, line ${line}`}: ${kind}`;
  });
  const more = leaks.length > listedMax ? [`- and ${leaks.length - listedMax} more`] : [];
  return `${head}\n${quote("where it stands", [...lines, ...more].join("\n"))}`;
}

const ownKind = "a secret of this run";

function kindsIn(path: string, mask: Mask): readonly string[] {
  const own = holdsOwn(path, mask) ? [ownKind] : [];
  return [...own, ...secretsIn(path).map(({ kind }) => kind)];
}

/** The bytes as far as text can stand in them; wide characters lose their zeros. */
function textOf(bytes: Uint8Array | null): string {
  if (bytes === null) return "";
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return text.includes(0) ? text.toString("latin1").replaceAll("\0", "") : text.toString("utf8");
}

function lineOf(text: string, { index }: Secret): number {
  return text.slice(0, index).split("\n").length;
}

/** A file that was moved holds what it held. */
async function valuesBefore(changes: readonly Change[], before: ReadFile): Promise<ReadonlySet<string>> {
  const values = new Set<string>();
  for (const { path, status } of changes)
    if (status !== "added") for (const { text } of secretsIn(textOf(await before(path)))) values.add(text);
  return values;
}

function ownIn(after: string, before: string, mask: Mask): { readonly line: number | null } | null {
  const old = new Set(before.split("\n"));
  const lines = after.split("\n");
  const isNew = (line: string): boolean => !old.has(line);
  const added = lines.filter(isNew).join("\n");
  // All of it at once, since most changes hold none; only then line by line.
  if (!holdsOwn(added, mask))
    return holdsOwn(added.replace(/[\s"'`,;+\\]/g, ""), mask) ? { line: null } : null;
  const at = lines.findIndex((line) => isNew(line) && holdsOwn(line, mask));
  return { line: at === -1 ? null : at + 1 };
}

function holdsOwn(text: string, mask: Mask): boolean {
  const changes = (one: string): boolean => mask(one) !== one;
  if (changes(text) || changes(turned(text)) || changes(shifted(text))) return true;
  for (const decoded of decodings(text)) if (changes(decoded)) return true;
  return false;
}

function turned(text: string): string {
  return Array.from(text).reverse().join("");
}

/** By 13 letters, which a second time undoes. */
function shifted(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const first = letter < "a" ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first);
  });
}

/** Whatever in it could be encoded text, decoded. A secret can begin anywhere in a group of base64. */
function* decodings(text: string): Generator<string> {
  const base64 = text.match(/[A-Za-z0-9+/_-]{12,}/g) ?? [];
  for (let skip = 0; skip < 4; skip++) yield all(base64, (run) => decoded(run.slice(skip), "base64"));
  const hex = text.match(/[0-9a-f]{16,}/gi) ?? [];
  for (let skip = 0; skip < 2; skip++) yield all(hex, (run) => decoded(run.slice(skip), "hex"));
  // `%41`, `\x41`, `\u0041`, `&#65;`
  yield text
    .replace(/(?:%|\\x|\\u00)([0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replace(/&#(\d{2,3});/g, (_, code: string) => String.fromCharCode(Number(code)));
  const codes = text.match(/(?:\d{2,3}[\s,;]{1,4}){7,}\d{2,3}/g) ?? [];
  yield all(codes, (run) =>
    (run.match(/\d+/g) ?? []).map((code) => String.fromCharCode(Number(code))).join(""),
  );
}

function all(runs: readonly string[], read: (run: string) => string): string {
  return runs.map(read).join("\n");
}

function decoded(run: string, encoding: "base64" | "hex"): string {
  return Buffer.from(run, encoding).toString("latin1");
}
