import { holdsSecret } from "../../base/disguises.ts";
import type { Mask } from "../../base/masking.ts";
import type { Change } from "../../workspace/workspace.ts";
import type { Contents, ReadFile } from "../contents.ts";
import type { Quote } from "../findings-text.ts";
import type { Secret } from "./published-rules.ts";
import { secretsIn } from "./secret-rules.ts";

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
    readonly contents: Contents;
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
  const own = holdsSecret(path, mask) ? [ownKind] : [];
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
  if (!holdsSecret(added, mask))
    return holdsSecret(added.replace(/[\s"'`,;+\\]/g, ""), mask) ? { line: null } : null;
  const at = lines.findIndex((line) => isNew(line) && holdsSecret(line, mask));
  return { line: at === -1 ? null : at + 1 };
}
