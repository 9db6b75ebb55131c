import type { Tree } from "../../base/hash.ts";
import { type BytePath, bytesOf, textOf } from "./names.ts";
import { decodeTree, emptyTree, type TreeEntry } from "./object-format.ts";
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

/** Null where there is no regular file. Only the folders on the way to it are read, since many files are asked for. */
export async function fileAt(
  reader: Pick<ObjectReader, "read">,
  tree: Tree,
  path: string,
): Promise<Uint8Array | null> {
  const folders = bytesOf(path).split("/");
  const name = folders.pop() ?? "";
  let id: string = tree;
  for (const folder of folders) {
    const below = await entryIn(reader, id, folder);
    if (below?.mode !== "40000") return null;
    id = below.id;
  }
  const file = await entryIn(reader, id, name);
  if (file?.mode !== "100644" && file?.mode !== "100755") return null;
  return (await reader.read(file.id, "blob")).body;
}

async function entryIn(
  reader: Pick<ObjectReader, "read">,
  tree: string,
  name: BytePath,
): Promise<TreeEntry | undefined> {
  if (tree === emptyTree) return undefined;
  const { id, body } = await reader.read(tree, "tree");
  return decodeTree(id, body).find((entry) => entry.name === name);
}
