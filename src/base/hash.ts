import { createHash } from "node:crypto";
import type { Brand } from "./brand.ts";

/** A full lower-case git commit id, 40 hex digits. */
export type Sha = Brand<string, "Sha">;
/** The id of a git tree: what `Workspace.seal` returns. 40 hex digits. */
export type Tree = Brand<string, "Tree">;
/** SHA-256 of some bytes, 64 hex digits. */
export type Digest = Brand<string, "Digest">;

const hex40 = /^[0-9a-f]{40}$/;

/** Returns null unless the text is exactly 40 lower-case hex digits. */
export function parseSha(text: string): Sha | null {
  return hex40.test(text) ? (text as Sha) : null;
}

/** Returns null unless the text is exactly 40 lower-case hex digits. */
export function parseTree(text: string): Tree | null {
  return hex40.test(text) ? (text as Tree) : null;
}

export function digestOf(bytes: Uint8Array | string): Digest {
  return createHash("sha256").update(bytes).digest("hex") as Digest;
}
