import type { Sha, Tree } from "../../base/hash.ts";
import type { Change } from "../../workspace/workspace.ts";
import type { GitPlace } from "./environment.ts";
import { textOf } from "./names.ts";
import { askGit, runGit } from "./plumbing.ts";

type Lines = Pick<Change, "addedLines" | "deletedLines">;

const asGitCompares = [
  "diff-tree",
  "-r",
  "-z",
  "--raw",
  "--numstat",
  "--no-abbrev",
  "--no-renames",
  "--no-ext-diff",
  "--no-textconv",
  "--diff-algorithm=histogram",
];

/** What differs between two trees, in git's order of paths. A rename is one path deleted and another added. */
export async function diffTrees(place: GitPlace, from: Tree, to: Tree): Promise<readonly Change[]> {
  if (from === to) return [];
  const fields = (await runGit(place, [...asGitCompares, from, to])).toString("latin1").split("\0");
  const changes: Change[] = [];
  const lines = new Map<string, Lines>();
  const raw: { head: string; path: string }[] = [];
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] ?? "";
    if (field.startsWith(":")) raw.push({ head: field, path: fields[++at] ?? "" });
    else if (field !== "") lines.set(...readLines(field));
  }
  for (const { head, path } of raw) changes.push(readChange(head, path, lines.get(path)));
  return changes;
}

const asAPatch = [
  "diff-tree",
  "-r",
  "--patch",
  // Without these a binary file is only named.
  "--binary",
  "--full-index",
  "--no-renames",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--diff-algorithm=histogram",
];

/** What turns the one tree into the other, for `git apply`; null where it is longer than it may be. */
export async function patchBetween(
  place: GitPlace,
  { from, to, bytesMax }: { readonly from: Tree; readonly to: Tree; readonly bytesMax: number },
): Promise<Uint8Array | null> {
  const args = [...asAPatch, from, to];
  const { code, stdout, isCut, stderr } = await askGit(place, args, { outputBytesMax: bytesMax });
  if (isCut) return null;
  if (code !== 0) throw new Error(`git diff-tree ended with ${code} in ${place.gitDir}: ${stderr}`);
  return stdout;
}

/** `12\t3\tpath`, or `-\t-\tpath` for a binary file. */
function readLines(field: string): [path: string, lines: Lines] {
  const [added = "", deleted = "", ...path] = field.split("\t");
  return [path.join("\t"), { addedLines: countOf(added), deletedLines: countOf(deleted) }];
}

function countOf(text: string): number | null {
  return text === "-" ? null : Number(text);
}

/** `:100644 100755 <id> <id> M` */
function readChange(head: string, path: string, lines: Lines | undefined): Change {
  const [, mode, , id, letter] = head.slice(1).split(" ");
  const common = {
    path: textOf(path),
    addedLines: lines?.addedLines ?? null,
    deletedLines: lines?.deletedLines ?? null,
  };
  if (letter === "D") return { ...common, status: "deleted", mode: null, blob: null };
  if (mode !== "100644" && mode !== "100755" && mode !== "120000")
    throw new Error(`${common.path} changed to mode ${mode}, which no sealed tree holds`);
  return { ...common, status: letter === "A" ? "added" : "modified", mode, blob: id as Sha };
}
