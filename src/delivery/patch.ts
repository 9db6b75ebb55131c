import { withoutSecrets } from "../gate/secrets/secret-rules.ts";
import { visible } from "./neutral-inline.ts";
import type { StoredPatch } from "./patches.ts";

/** docs/gate.md names all of them. */
export const patchLimits = {
  /** What is longer is of no use to a person, and in the way of this machine. */
  bytesMax: 20_000_000,
  /** Of the files of a change over its limits: they are looked through for credentials first, which takes its time. */
  oversizedBytesMax: 10_000_000,
  /** In the log, and in what ships it. */
  keptBytesMax: 1_000_000,
  /** What may stand of one in a job summary, and of one that is longer. */
  shownCharactersMax: 60_000,
  headCharactersMax: 20_000,
} as const;

export type ShownPatch = {
  readonly markdown: string;
  /** What stands there is all of it, as `git apply` needs it. */
  readonly isExact: boolean;
};

/**
 * A patch for the job summary, in which nothing acts on its words. `what` begins the sentence before it, such as
 * "What was held back".
 */
export function shownPatch(patch: Uint8Array, what: string): ShownPatch {
  const text = Buffer.from(patch.buffer, patch.byteOffset, patch.byteLength).toString("utf8");
  const isWhole = text.length <= patchLimits.shownCharactersMax;
  const part = isWhole ? text : headOf(text);
  const shown = withoutSecrets(visible(part));
  const isExact = isWhole && shown === text && Buffer.from(text).equals(patch);
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map((run) => run.length));
  const mark = "`".repeat(longest + 1);
  const read = isWhole
    ? "Read it before you do that:"
    : `Its ${patch.length} bytes are too many for this page, so this is only how it begins:`;
  const said = `${what}, as a patch for \`git apply\`.${isWhole && !isExact ? altered : ""} ${read}`;
  return { markdown: `${said}\n\n${mark}diff\n${shown.trimEnd()}\n${mark}`, isExact };
}

const altered =
  " Characters that nobody sees, such as those at the ends of lines of another system, bytes that are no text, and what looks like a credential are not in this copy, so it may not apply as it is.";

function headOf(text: string): string {
  const head = text.slice(0, patchLimits.headCharactersMax);
  return head.slice(0, head.lastIndexOf("\n") + 1) || head;
}

/** The commands that bring a stored patch to where they are called, and apply it there, as a block. */
export function applyCommands({ fetch, file }: Pick<StoredPatch, "fetch" | "file">): string {
  const commands = [...(fetch === null ? [] : [fetch]), applyCommand(file)];
  return `\`\`\`sh\n${commands.join("\n")}\n\`\`\``;
}

/** Whitespace stays as it is whatever the reader's own settings say, and all of it is staged. */
export function applyCommand(file: string): string {
  const word = /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
  return `git apply --index --whitespace=nowarn ${word}`;
}

const encodedMark = "base64:";

/** A patch as text for the log, which holds no other bytes. */
export function keptPatch(patch: Uint8Array): string {
  const bytes = Buffer.from(patch.buffer, patch.byteOffset, patch.byteLength);
  const text = bytes.toString("utf8");
  // Git begins every patch with another word.
  return Buffer.from(text).equals(bytes) ? text : `${encodedMark}${bytes.toString("base64")}`;
}

export function readKeptPatch(text: string): Uint8Array {
  return text.startsWith(encodedMark)
    ? Buffer.from(text.slice(encodedMark.length), "base64")
    : Buffer.from(text);
}
