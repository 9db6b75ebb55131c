import type { Sha, Tree } from "../../base/hash.ts";
import { type BytePath, childOf } from "./names.ts";
import { decodeTree, emptyTree, encodeTree, type Mode, type TreeEntry } from "./object-format.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { ObjectWriter } from "./object-writer.ts";

/** One thing that a tree keeps: a file, a link, or the commit of a submodule. */
export type Leaf = { readonly mode: Exclude<Mode, "40000">; readonly id: Sha };

/** A whole tree, flat. */
export type Listing = {
  readonly tree: Tree;
  readonly leaves: ReadonlyMap<BytePath, Leaf>;
  readonly folders: ReadonlySet<BytePath>;
  /** The ids of the tree objects themselves. */
  readonly treeIds: readonly string[];
};

/** Reads a tree and all trees below it; `name` is an id or an expression that names a tree. */
export async function listTree(reader: ObjectReader, name: string): Promise<Listing> {
  if (name === emptyTree) return { tree: name as Tree, leaves: new Map(), folders: new Set(), treeIds: [] };
  const leaves = new Map<BytePath, Leaf>();
  const folders = new Set<BytePath>();
  const treeIds: string[] = [];
  const visit = async (id: string, folder: BytePath): Promise<string> => {
    const object = await reader.read(id, "tree");
    treeIds.push(object.id);
    const below: Promise<string>[] = [];
    for (const { mode, name: entry, id: child } of decodeTree(object.id, object.body)) {
      const path = childOf(folder, entry);
      if (mode === "40000") {
        folders.add(path);
        below.push(visit(child, path));
      } else leaves.set(path, { mode, id: child });
    }
    await Promise.all(below);
    return object.id;
  };
  const root = await visit(name, "");
  return { tree: root as Tree, leaves, folders, treeIds };
}

type TreeWriter = Pick<ObjectWriter, "write">;

type Folder = Map<string, Leaf | Folder>;

/** Writes the tree objects that hold these leaves. Folders without leaves do not exist for git. */
export function writeTree(writer: TreeWriter, leaves: Iterable<readonly [BytePath, Leaf]>): Promise<Tree> {
  const root: Folder = new Map();
  for (const [path, leaf] of leaves) {
    const parts = path.split("/");
    const name = parts.pop() ?? "";
    let folder = root;
    for (const part of parts) {
      const next = folder.get(part);
      if (next instanceof Map) folder = next;
      else {
        const made: Folder = new Map();
        folder.set(part, made);
        folder = made;
      }
    }
    folder.set(name, leaf);
  }
  return writeFolder(writer, root) as Promise<Tree>;
}

async function writeFolder(writer: TreeWriter, folder: Folder): Promise<string> {
  const entries: TreeEntry[] = [];
  for (const [name, item] of folder) {
    if (item instanceof Map)
      entries.push({ mode: "40000", name, id: (await writeFolder(writer, item)) as Sha });
    else entries.push({ mode: item.mode, name, id: item.id });
  }
  return await writer.write("tree", encodeTree(entries));
}
