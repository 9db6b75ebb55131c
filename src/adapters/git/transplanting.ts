import type { Tree } from "../../base/hash.ts";
import { type BytePath, bytesOf, textOf } from "./names.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { ObjectWriter } from "./object-writer.ts";
import { type Leaf, listTree, writeTree } from "./trees.ts";

/** Lays the difference between two trees onto a third. Equal trees cost nothing. */
export async function transplant(
  {
    from,
    to,
    onto,
    only,
  }: {
    readonly from: Tree;
    readonly to: Tree;
    readonly onto: Tree;
    readonly only?: (path: string) => boolean;
  },
  { reader, writer }: { readonly reader: ObjectReader; readonly writer: ObjectWriter },
): Promise<Tree> {
  if (from === onto && only === undefined) return to;
  if (from === to) return onto;
  const [before, after, base] = await Promise.all([from, to, onto].map((tree) => listTree(reader, tree)));
  if (before === undefined || after === undefined || base === undefined)
    throw new Error("a tree was not listed");
  const leaves = new Map(base.leaves);
  const isWanted = (path: BytePath) => only === undefined || only(textOf(path));
  for (const path of before.leaves.keys()) if (!after.leaves.has(path) && isWanted(path)) leaves.delete(path);
  for (const [path, leaf] of after.leaves) {
    if (isSame(before.leaves.get(path), leaf) || !isWanted(path)) continue;
    makeRoom(leaves, path);
    leaves.set(path, leaf);
  }
  return writeTree(writer, leaves);
}

/** A file cannot stand where a folder does, nor below another file: what `to` has there wins. */
function makeRoom(leaves: Map<BytePath, Leaf>, path: BytePath): void {
  const parts = path.split("/");
  for (let length = 1; length < parts.length; length += 1) leaves.delete(parts.slice(0, length).join("/"));
  for (const other of leaves.keys()) if (other.startsWith(`${path}/`)) leaves.delete(other);
}

function isSame(a: Leaf | undefined, b: Leaf): boolean {
  return a?.id === b.id && a.mode === b.mode;
}

/** Null where there is no regular file. */
export async function fileAt(reader: ObjectReader, tree: Tree, path: string): Promise<Uint8Array | null> {
  const leaf = (await listTree(reader, tree)).leaves.get(bytesOf(path));
  if (leaf?.mode !== "100644" && leaf?.mode !== "100755") return null;
  return (await reader.read(leaf.id, "blob")).body;
}
