import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import type { Tree } from "../../base/hash.ts";
import { NotRestored } from "../../workspace/workspace.ts";
import type { Contents } from "./contents.ts";
import { type BytePath, onDisk } from "./names.ts";
import type { ObjectReader } from "./object-reader.ts";
import { type Found, scan, type View } from "./scan.ts";
import { type SealTools, sealFolder } from "./sealing.ts";
import { type Leaf, type Listing, listTree } from "./trees.ts";

const blobsAtOnceMax = 32;

export type Owner = { readonly uid: number; readonly gid: number };

export type RestoreTools = SealTools & {
  readonly reader: ObjectReader;
  /** Who gets what is made; null for the owner of the directory. Counts only when we may give files away. */
  readonly owner: Owner | null;
};

/** Makes what counts in `root` equal to `tree`, then proves it by sealing again. */
export async function restoreFolder(root: string, tree: Tree, tools: RestoreTools): Promise<void> {
  const listing = await listTree(tools.reader, tree);
  makeRoot(root, tools.owner);
  const owner = ownerFor(root, tools.owner);
  const found = await scanWritable(root, tools.view);
  const current = await currentLeaves(found, tools.contents);
  removeStrangers(root, found, { listing, current });
  for (const folder of foldersOf(listing)) makeFolder(root, folder, owner);
  await writeLeaves(root, { listing, current, owner, reader: tools.reader });
  const sealed = await sealFolder(root, tools);
  if (sealed.kind === "refused")
    throw new NotRestored(`${root} cannot be restored to ${tree}: ${sealed.path}: ${sealed.why}`);
  if (sealed.tree !== tree) throw new NotRestored(`${root} was restored to ${tree} but holds ${sealed.tree}`);
}

function makeRoot(root: string, owner: Owner | null): void {
  if (lstatSync(root, { throwIfNoEntry: false }) !== undefined) return;
  mkdirSync(root, { recursive: true, mode: 0o755 });
  if (owner !== null && process.getuid?.() === 0) lchownSync(root, owner.uid, owner.gid);
}

function ownerFor(root: string, wanted: Owner | null): Owner | null {
  if (process.getuid?.() !== 0) return null;
  const { uid, gid } = lstatSync(root);
  return wanted ?? { uid, gid };
}

/** Scans until no folder is in the way: what the sandbox closed to others is opened first. */
async function scanWritable(root: string, view: View): Promise<readonly Found[]> {
  for (;;) {
    const found = await scan(root, view);
    const closed = found.filter((item) => item.kind === "folder" && isClosed(onDisk(root, item.path)));
    for (const { path } of closed) chmodSync(onDisk(root, path), 0o755);
    if (closed.length === 0) return found;
  }
}

function isClosed(folder: string | Buffer): boolean {
  return (lstatSync(folder).mode & 0o700) !== 0o700;
}

/** What is there already and can be used by its owner. */
async function currentLeaves(found: readonly Found[], contents: Contents): Promise<Map<BytePath, Leaf>> {
  const leaves = new Map<BytePath, Leaf>();
  const reads = await contents.read(found);
  for (const item of found) {
    const read = reads.get(item.path);
    const usable = item.kind === "link" || (item.kind === "file" && (item.stat.mode & 0o600) === 0o600);
    if (usable && read?.kind === "read") leaves.set(item.path, read.leaf);
  }
  return leaves;
}

type Difference = { readonly listing: Listing; readonly current: ReadonlyMap<BytePath, Leaf> };

/** Removes what the tree does not hold, deepest first, so that folders are empty when their turn comes. */
function removeStrangers(root: string, found: readonly Found[], { listing, current }: Difference): void {
  const folders = new Set(foldersOf(listing));
  for (const item of found) {
    if (item.kind === "folder" || isRight(item.path, { listing, current })) continue;
    if (item.path !== "") rmSync(onDisk(root, item.path), { recursive: true, force: true });
  }
  const paths = found.filter(({ kind }) => kind === "folder").map(({ path }) => path);
  for (const path of paths.sort().reverse()) {
    const place = onDisk(root, path);
    // A folder with ignored files stays, unless the tree wants something else under its name.
    if (listing.leaves.has(path) && !folders.has(path)) rmSync(place, { recursive: true, force: true });
    else if (!folders.has(path) && isEmpty(place)) rmdirSync(place);
  }
}

function isEmpty(folder: string | Buffer): boolean {
  return (
    lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true &&
    readdirSync(folder, { encoding: "buffer" }).length === 0
  );
}

function isRight(path: BytePath, { listing, current }: Difference): boolean {
  const wanted = listing.leaves.get(path);
  const present = current.get(path);
  return wanted !== undefined && wanted.id === present?.id && wanted.mode === present.mode;
}

/** Folders that must exist, parents first: those of files, and one for each submodule. */
function foldersOf({ leaves, folders }: Listing): readonly BytePath[] {
  const submodules = [...leaves].filter(([, leaf]) => leaf.mode === "160000").map(([path]) => path);
  return [...folders, ...submodules].sort();
}

function makeFolder(root: string, path: BytePath, owner: Owner | null): void {
  const place = onDisk(root, path);
  const stat = lstatSync(place, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return;
  // An ignored file or a link stands where the tree has a folder.
  if (stat !== undefined) unlinkSync(place);
  mkdirSync(place);
  chmodSync(place, 0o755);
  if (owner !== null) lchownSync(place, owner.uid, owner.gid);
}

type Writing = Difference & { readonly owner: Owner | null; readonly reader: ObjectReader };

async function writeLeaves(root: string, work: Writing): Promise<void> {
  const missing = [...work.listing.leaves].filter(
    ([path, leaf]) => leaf.mode !== "160000" && !isRight(path, work),
  );
  for (let at = 0; at < missing.length; at += blobsAtOnceMax) {
    const batch = missing.slice(at, at + blobsAtOnceMax);
    await Promise.all(
      batch.map(async ([path, leaf]) => {
        const { body } = await work.reader.read(leaf.id, "blob");
        writeLeaf(onDisk(root, path), leaf, { body, owner: work.owner });
      }),
    );
  }
}

function writeLeaf(
  place: string | Buffer,
  leaf: Leaf,
  { body, owner }: { readonly body: Buffer; readonly owner: Owner | null },
): void {
  rmSync(place, { recursive: true, force: true });
  if (leaf.mode === "120000") {
    symlinkSync(body, place);
    if (owner !== null) lchownSync(place, owner.uid, owner.gid);
    return;
  }
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = openSync(place, flags, 0o600);
  try {
    writeFileSync(file, body);
    fchmodSync(file, leaf.mode === "100755" ? 0o755 : 0o644);
    if (owner !== null) fchownSync(file, owner.uid, owner.gid);
  } finally {
    closeSync(file);
  }
}
