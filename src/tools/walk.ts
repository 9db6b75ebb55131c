import { type Dirent, promises as fs } from "node:fs";
import path from "node:path";
import { type GrowingIgnoreRules, growingIgnoreRules } from "../base/ignore-rules.ts";
import { readBytes } from "./confine.ts";

export type Walk = {
  /** Regular files, relative to the workspace, in order of their names' code units. */
  readonly files: readonly string[];
  /** Links, which are not followed. */
  readonly links: readonly string[];
  /** Whether the walk ended at its bound before it had seen everything. */
  readonly isCut: boolean;
  /** Whether the start itself is ignored; what is below it is then listed all the same. */
  readonly isIgnored: boolean;
};

const entriesMax = 200_000;
const ignoreFileBytesMax = 1024 * 1024;

/**
 * Lists what is below `start` (relative, `""` for the workspace, a real directory), without `.git` and what the
 * `.gitignore` files of the workspace hide. A start that is itself hidden was named on purpose: no rules then.
 */
export async function walk(
  root: string,
  start: string,
  { signal }: { readonly signal: AbortSignal },
): Promise<Walk> {
  const top = await fs.realpath(root);
  const rules = growingIgnoreRules();
  const isIgnored = await isHidden(top, start, rules);
  const found: Record<Kind, string[]> = { dir: [], file: [], link: [], other: [] };
  let seen = 0;
  found.dir.push(start);
  for (let dir = found.dir.pop(); dir !== undefined && seen < entriesMax; dir = found.dir.pop()) {
    signal.throwIfAborted();
    if (!isIgnored) await addRules(top, dir, rules);
    const entries = await entriesOf(path.join(top, dir));
    seen += entries.length;
    for (const entry of entries.filter(({ name }) => name !== ".git")) {
      const name = path.join(dir, entry.name);
      const kind = kindOf(entry);
      if (!isIgnored && rules.ignored(name, kind === "dir" ? "dir" : "file")) continue;
      found[kind].push(name);
    }
  }
  return { files: found.file.sort(), links: found.link.sort(), isCut: seen >= entriesMax, isIgnored };
}

type Kind = "dir" | "file" | "link" | "other";

function kindOf(entry: Dirent): Kind {
  if (entry.isDirectory()) return "dir";
  if (entry.isFile()) return "file";
  return entry.isSymbolicLink() ? "link" : "other";
}

/** Reads the rules from the top down to `start`; stops where a directory on the way is hidden. */
async function isHidden(top: string, start: string, rules: GrowingIgnoreRules): Promise<boolean> {
  const parts = start === "" ? [] : start.split("/");
  for (let depth = 0; depth < parts.length; depth += 1) {
    await addRules(top, parts.slice(0, depth).join("/"), rules);
    if (rules.ignored(parts.slice(0, depth + 1).join("/"), "dir")) return true;
  }
  return false;
}

async function addRules(top: string, dir: string, rules: GrowingIgnoreRules): Promise<void> {
  const name = path.join(dir, ".gitignore");
  const real = path.join(top, name);
  // Git does not follow a .gitignore that is a link, and neither does this.
  const isFile = await fs.lstat(real).then(
    (stats) => stats.isFile(),
    () => false,
  );
  if (!isFile) return;
  const read = await readBytes({ kind: "place", path: name, real, type: "file" }, ignoreFileBytesMax);
  if (read.kind === "file") rules.add({ dir, text: read.bytes.toString("utf8") });
}

async function entriesOf(dir: string) {
  // A directory that went away or may not be read has nothing to show.
  return fs.readdir(dir, { withFileTypes: true }).catch(() => []);
}
