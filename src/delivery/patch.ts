import { withoutSecrets } from "../gate/secret-rules.ts";
import { visible } from "./neutral-inline.ts";

/** A changed file with what it was and is; null bytes where there is none. */
export type PatchedFile = {
  readonly path: string;
  /** Of what it is now; null for a deleted file. */
  readonly mode: "100644" | "100755" | "120000" | null;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
};

/**
 * The files as a patch that `git apply` takes. Of each file one piece is replaced, from its first changed line to its
 * last. What is no text is named, and left out.
 */
export function patchOf(files: readonly PatchedFile[]): string {
  return files.map(onePatch).join("");
}

function onePatch({ path, mode, before, after }: PatchedFile): string {
  const [a, b] = [quoted(`a/${path}`), quoted(`b/${path}`)];
  const head = `diff --git ${a} ${b}\n`;
  const [old, now] = [textOf(before), textOf(after)];
  if (old === null || now === null) return `# ${quoted(path)} is no text, and left out here.\n`;
  const kind = kindLine(before, after, mode);
  const hunk = hunkOf(linesOf(old), linesOf(now));
  if (hunk === "") return kind === "" ? "" : head + kind;
  return `${head}${kind}--- ${before === null ? "/dev/null" : a}\n+++ ${after === null ? "/dev/null" : b}\n${hunk}`;
}

function kindLine(before: Uint8Array | null, after: Uint8Array | null, mode: PatchedFile["mode"]): string {
  if (before === null) return `new file mode ${mode ?? "100644"}\n`;
  return after === null ? "deleted file mode 100644\n" : "";
}

function textOf(bytes: Uint8Array | null): string | null {
  if (bytes === null) return "";
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

/** Each with its end, so that a last line without one differs from one with it. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

const contextLines = 3;

function hunkOf(old: readonly string[], now: readonly string[]): string {
  let same = 0;
  while (same < old.length && same < now.length && old[same] === now[same]) same++;
  let tail = 0;
  while (
    tail < old.length - same &&
    tail < now.length - same &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  )
    tail++;
  const [removed, added] = [old.slice(same, old.length - tail), now.slice(same, now.length - tail)];
  if (removed.length + added.length === 0) return "";
  const from = Math.max(0, same - contextLines);
  const before = old.slice(from, same);
  const after = old.slice(old.length - tail, old.length - tail + contextLines);
  const around = before.length + after.length;
  const range = (length: number) => `${length === 0 ? from : from + 1},${length}`;
  const lines = [
    ...before.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...after.map((line) => ` ${line}`),
  ].map((line) => (line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`));
  return `@@ -${range(around + removed.length)} +${range(around + added.length)} @@\n${lines.join("")}`;
}

/** As git quotes a name that holds more than plain characters. */
function quoted(name: string): string {
  if (/^[ !#-[\]-~]+$/.test(name)) return name;
  const bytes = Array.from(Buffer.from(name), (byte) => {
    if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
    return byte < 0x20 || byte > 0x7e ? `\\${byte.toString(8).padStart(3, "0")}` : String.fromCharCode(byte);
  });
  return `"${bytes.join("")}"`;
}

/** What may stand of it in a job summary. */
const patchCharactersMax = 60_000;

/** A patch for the job summary, in which nothing acts on its words, as it has to be for `git apply`. */
export function offeredPatch(patch: string): string {
  if (patch.length > patchCharactersMax)
    return `The patch of what was held back has ${patch.length} characters, too many for this page. It is kept in the session.`;
  const lines = patch.replaceAll("\r\n", "\n");
  const shown = withoutSecrets(visible(lines));
  const note =
    shown === lines
      ? ""
      : " Characters that nobody sees, and what looks like a credential, are taken out, so it may not apply as it is.";
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map((run) => run.length));
  const mark = "`".repeat(longest + 1);
  return `What was held back, as a patch for \`git apply\`.${note} Read it before you do that:\n\n${mark}diff\n${shown.trimEnd()}\n${mark}`;
}
