import { hash } from "node:crypto";
import type { Sha } from "../../base/hash.ts";
import type { BytePath } from "./names.ts";

/** `40000` folder, `120000` link, `160000` a commit of another repository (submodule). */
export type Mode = "40000" | "100644" | "100755" | "120000" | "160000";

export type TreeEntry = { readonly mode: Mode; readonly name: BytePath; readonly id: Sha };

export const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/** The id of an object and its bytes as git stores them, before compression. */
export function frame(type: "blob" | "tree", body: Uint8Array): { readonly id: Sha; readonly bytes: Buffer } {
  const bytes = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]);
  return { id: hash("sha1", bytes, "hex") as Sha, bytes };
}

/** The body of a tree object. Git sorts by bytes, folders as if their names ended in a slash. */
export function encodeTree(entries: readonly TreeEntry[]): Buffer {
  const key = (entry: TreeEntry) => (entry.mode === "40000" ? `${entry.name}/` : entry.name);
  const sorted = entries
    .map((entry) => ({ key: key(entry), entry }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  return Buffer.concat(
    sorted.flatMap(({ entry }) => [
      Buffer.from(`${entry.mode} ${entry.name}\0`, "latin1"),
      Buffer.from(entry.id, "hex"),
    ]),
  );
}

/** Reads a tree object. Throws when it is malformed, or holds a name that could lead out of its folder. */
export function decodeTree(id: string, body: Buffer): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < body.length; ) {
    const space = body.indexOf(0x20, at);
    const end = body.indexOf(0, space);
    if (space < 0 || end < 0 || end + 21 > body.length)
      throw new Error(`tree ${id} is cut off at byte ${at}`);
    const name = body.toString("latin1", space + 1, end);
    if (name === "" || name === "." || name === ".." || name.includes("/") || name === ".git")
      throw new Error(`tree ${id} holds the name ${JSON.stringify(name)}, which no tree may hold`);
    entries.push({
      mode: modeOf(body.toString("latin1", at, space), id),
      name,
      id: body.toString("hex", end + 1, end + 21) as Sha,
    });
    at = end + 21;
  }
  return entries;
}

function modeOf(text: string, id: string): Mode {
  switch (text) {
    case "40000":
    case "040000":
      return "40000";
    // Written by git before 1.0; a checkout takes it for an ordinary file.
    case "100664":
    case "100644":
      return "100644";
    case "100755":
    case "120000":
    case "160000":
      return text;
    default:
      throw new Error(`tree ${id} holds an entry of mode ${text}, which git does not know`);
  }
}
