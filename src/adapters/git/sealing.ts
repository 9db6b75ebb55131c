import { lstatSync } from "node:fs";
import type { Sealed } from "../../workspace/workspace.ts";
import type { Contents } from "./contents.ts";
import { type BytePath, foldersAbove, onDisk, textOf } from "./names.ts";
import type { ObjectWriter } from "./object-writer.ts";
import { type Found, scan, type View } from "./scan.ts";
import { type Leaf, writeTree } from "./trees.ts";

export type SealTools = { readonly view: View; readonly contents: Contents; readonly writer: ObjectWriter };

/** The tree of `root`, its objects stored; or the first thing in it that no tree can keep. */
export async function sealFolder(root: string, { view, contents, writer }: SealTools): Promise<Sealed> {
  // A missing directory is a mistake of ours and must not be taken for deleted files.
  if (!lstatSync(root).isDirectory()) throw new Error(`cannot seal ${root}: it is not a directory`);
  const found = await scan(root, view);
  const unfit = found.find((item) => item.kind === "unfit") ?? filledSubmodule(found, view);
  if (unfit !== undefined) return refused(unfit.path, unfit.why);
  const leaves = new Map<BytePath, Leaf>(submodulesIn(root, view));
  for (const [path, read] of await contents.read(found)) {
    if (read.kind === "unfit") return refused(path, read.why);
    leaves.set(path, read.leaf);
  }
  return { kind: "sealed", tree: await writeTree(writer, leaves) };
}

function refused(path: BytePath, why: string): Sealed {
  return { kind: "refused", path: path === "" ? "." : textOf(path), why };
}

/** A submodule is never fetched; its empty folder stands for the commit that the base names. */
function* submodulesIn(root: string, view: View): Iterable<readonly [BytePath, Leaf]> {
  for (const [path, leaf] of view.submodules) if (isRealFolder(root, path)) yield [path, leaf];
}

function filledSubmodule(
  found: readonly Found[],
  { submodules }: View,
): { path: BytePath; why: string } | undefined {
  if (submodules.size === 0) return undefined;
  const inside = ({ path }: Found) => foldersAbove(path).some((folder) => submodules.has(folder));
  const item = found.find((each) => each.kind !== "folder" && inside(each));
  return item && { path: item.path, why: "it lies in a submodule, whose files belong to another repository" };
}

/** Whether `path` and every folder above it is a folder and no link to one. */
function isRealFolder(root: string, path: BytePath): boolean {
  return [...foldersAbove(path), path].every(
    (folder) => lstatSync(onDisk(root, folder), { throwIfNoEntry: false })?.isDirectory() === true,
  );
}
