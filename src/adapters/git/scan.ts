import { type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { IgnoreRules } from "../../base/ignore-rules.ts";
import { type BytePath, childOf, isGitName, onDisk, textOf } from "./names.ts";
import type { Leaf, Listing } from "./trees.ts";

const entriesAtOnceMax = 2_000;

/** What decides which paths count: the ignore rules of `configSha`, and the base tree, whose files always count. */
export type View = {
  readonly base: Listing;
  readonly submodules: ReadonlyMap<BytePath, Leaf>;
  readonly ignored: (path: BytePath, kind: "file" | "dir") => boolean;
};

/** Something in a directory that is not ignored. */
export type Found =
  | { readonly kind: "file" | "link"; readonly path: BytePath; readonly stat: Stats }
  | { readonly kind: "folder"; readonly path: BytePath }
  /** What no tree can keep. */
  | { readonly kind: "unfit"; readonly path: BytePath; readonly why: string };

/** Rules never change while a workspace is pinned, so each path is matched once. */
export function viewOf(base: Listing, rules: IgnoreRules): View {
  const answers = new Map<string, boolean>();
  const ignored = (path: BytePath, kind: "file" | "dir") => {
    const key = kind === "dir" ? `${path}/` : path;
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = rules.ignored(textOf(path), kind);
    answers.set(key, answer);
    return answer;
  };
  const submodules = new Map([...base.leaves].filter(([, leaf]) => leaf.mode === "160000"));
  return { base, submodules, ignored };
}

type Place = { readonly path: BytePath; readonly ignored: boolean };

/**
 * Everything in `root` that counts, links not followed. The walk is ours and reads no file, so nothing in the
 * directory configures it. System calls are synchronous, which for many small ones is several times faster; the
 * event loop gets its turn every few thousand entries.
 */
export async function scan(root: string, view: View): Promise<readonly Found[]> {
  const found: Found[] = [];
  const places: Place[] = [{ path: "", ignored: false }];
  let breath = entriesAtOnceMax;
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const before = found.length;
    look(root, place, { view, found, places });
    if (found.length - before < breath) breath -= found.length - before;
    else {
      breath = entriesAtOnceMax;
      await setImmediate();
    }
  }
  return found;
}

type Walk = { readonly view: View; readonly found: Found[]; readonly places: Place[] };

function look(root: string, place: Place, walk: Walk): void {
  const names = namesIn(root, place.path);
  if (!Array.isArray(names)) {
    walk.found.push({ kind: "unfit", path: place.path, why: names.why });
    return;
  }
  for (const entry of names) {
    const name = entry.name.toString("latin1");
    if (place.path === "" && name === ".git") continue;
    const path = childOf(place.path, name);
    if (entry.isDirectory()) lookAtFolder(path, name, { place, walk });
    else lookAtFile(root, path, { entry, name, place, walk });
  }
}

function lookAtFolder(path: BytePath, name: string, at: { place: Place; walk: Walk }): void {
  const { view, found, places } = at.walk;
  const ignored = at.place.ignored || view.ignored(path, "dir");
  if (ignored) {
    if (view.base.folders.has(path)) places.push({ path, ignored });
    return;
  }
  if (isGitName(name)) found.push({ kind: "unfit", path, why: nestedWhy });
  else {
    found.push({ kind: "folder", path });
    places.push({ path, ignored });
  }
}

const nestedWhy = "a repository inside the workspace cannot be kept";

type FileAt = {
  readonly entry: Dirent<Buffer>;
  readonly name: string;
  readonly place: Place;
  readonly walk: Walk;
};

function lookAtFile(root: string, path: BytePath, { entry, name, place, walk }: FileAt): void {
  const { view, found } = walk;
  if (!view.base.leaves.has(path) && (place.ignored || view.ignored(path, "file"))) return;
  if (isGitName(name)) found.push({ kind: "unfit", path, why: nestedWhy });
  else if (entry.isFile() || entry.isSymbolicLink()) {
    const stat = lstatSync(onDisk(root, path));
    found.push({ kind: stat.isSymbolicLink() ? "link" : "file", path, stat });
  } else found.push({ kind: "unfit", path, why: "neither a file, a folder nor a link" });
}

function namesIn(root: string, path: BytePath): Dirent<Buffer>[] | { readonly why: string } {
  try {
    return readdirSync(onDisk(root, path), { withFileTypes: true, encoding: "buffer" });
  } catch (error) {
    return { why: `the folder cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}
