import { parseSha, parseTree, type Sha, type Tree } from "../../base/hash.ts";
import type { Host, HostRefusal } from "../../delivery/host.ts";
import type { GitPlace } from "./environment.ts";
import { bytesOf } from "./names.ts";
import { frame } from "./object-format.ts";
import { ObjectReader } from "./object-reader.ts";
import { askGit, runGit } from "./plumbing.ts";
import { type Leaf, listTree, writeTree } from "./trees.ts";

export type LocalHostOptions = {
  /** The repository itself as `gitDir`; `home` is ours and outside of it. */
  readonly place: GitPlace;
  /** Wall time in ms, for the dates of commits. */
  readonly now: () => number;
};

const identity = "baton <baton@localhost>";
const zero = "0".repeat(40);

/**
 * A repository on this machine in GitHub's place: it has branches, and neither threads, pull requests nor comments.
 * Only objects and refs are written. HEAD, index and work tree are never looked at.
 */
export function localHost(options: LocalHostOptions): Host {
  const none = async (): Promise<HostRefusal> =>
    refused("forbidden", "a repository on this machine has no pull requests and no comments");
  return {
    allowance: { left: 1 },
    thread: async () => null,
    branch: branchHost(options),
    pullRequest: { forbidden: async () => null, find: async () => [], open: none, update: none },
    comment: {
      find: async () => [],
      recent: async () => [],
      create: none,
      update: none,
      react: async () => undefined,
      reacted: async () => false,
    },
    checkRun: null,
  };
}

function branchHost({ place, now }: LocalHostOptions): Host["branch"] {
  return {
    find: (name) => findBranch(place, name),
    commit: async ({ parent, parentTree, tree, files, message }) => {
      const made = await treeWith(files, parentTree, place);
      if (made !== tree) throw new Error(`the files make the tree ${made}, not ${tree}`);
      const at = `${identity} ${Math.floor(now() / 1000)} +0000`;
      const head = [`tree ${tree}`, `parent ${parent}`, `author ${at}`, `committer ${at}`].join("\n");
      return { kind: "committed", sha: await writeObject(place, "commit", `${head}\n\n${message}`) };
    },
    create: async (name, sha) => {
      const moved = await moveRef(place, name, { from: zero, to: sha });
      if (moved === null) return { kind: "made" };
      const there = await findBranch(place, name);
      return refused(there === null ? "rejected" : "exists", moved);
    },
    advance: async (name, { from, to }) => {
      const at = await findBranch(place, name);
      if (at === null) return refused("gone", `the branch ${name} is gone`);
      const { code } = await askGit(place, ["merge-base", "--is-ancestor", from, to]);
      if (code !== 0) return refused("rejected", `${to} does not follow ${from}`);
      const moved = await moveRef(place, name, { from, to });
      return moved === null ? { kind: "made" } : refused("moved", moved);
    },
  };
}

async function findBranch(place: GitPlace, name: string) {
  const format = "--format=%(objectname) %(tree) %(parent)";
  const listed = await runGit(place, ["for-each-ref", format, `refs/heads/${name}`]);
  const [line = "", ...more] = listed.toString("latin1").trim().split("\n");
  const [sha, tree, ...parents] = line.split(" ").filter((word) => word !== "");
  // With the name of a folder of branches git lists what is in it.
  if (more.length > 0 || !(await isBranch(place, name))) return null;
  const at = { sha: parseSha(sha ?? ""), tree: parseTree(tree ?? "") };
  if (at.sha === null || at.tree === null) return null;
  const message = await runGit(place, ["log", "-1", "--format=%B", at.sha]);
  return {
    ...{ sha: at.sha, tree: at.tree, parents: parents.flatMap((parent) => parseSha(parent) ?? []) },
    message: message.toString(),
  };
}

async function isBranch(place: GitPlace, name: string): Promise<boolean> {
  const { code } = await askGit(place, ["show-ref", "--verify", "--quiet", `refs/heads/${name}`]);
  return code === 0;
}

async function treeWith(
  files: Parameters<Host["branch"]["commit"]>[0]["files"],
  parentTree: string,
  place: GitPlace,
): Promise<Tree> {
  await using reader = new ObjectReader(place);
  const parent = await listTree(reader, parentTree);
  const leaves = new Map<string, Leaf>(parent.leaves);
  for (const { path } of files) leaves.delete(bytesOf(path));
  for (const { path, mode, bytes } of files) {
    if (bytes !== null) leaves.set(bytesOf(path), { mode, id: await writeObject(place, "blob", bytes) });
  }
  const known = new Set(parent.treeIds);
  return await writeTree(
    {
      // Most folders are the parent's own, and each start of git costs as much as many of them.
      write: async (type, body) => {
        const { id } = frame(type, body);
        return known.has(id) ? id : await writeObject(place, type, body);
      },
    },
    leaves,
  );
}

/** Through git itself: the repository may be shared with others, and its settings say with which rights. */
async function writeObject(
  place: GitPlace,
  type: "blob" | "tree" | "commit",
  input: Uint8Array | string,
): Promise<Sha> {
  const written = await runGit(place, ["hash-object", "-w", "-t", type, "--stdin"], { input });
  const id = parseSha(written.toString("latin1").trim());
  if (id === null) throw new Error(`git hash-object in ${place.gitDir} gave no id for a ${type}`);
  return id;
}

/** Null when the branch was at `from` and is at `to` now; else what git said. */
async function moveRef(
  place: GitPlace,
  name: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<string | null> {
  const named = ["-c", "user.name=baton", "-c", "user.email=baton@localhost"];
  const { code, stderr } = await askGit(place, [...named, "update-ref", `refs/heads/${name}`, to, from]);
  return code === 0 ? null : stderr || `git update-ref ended with ${code}`;
}

function refused(code: HostRefusal["code"], why: string): HostRefusal {
  return { kind: "refused", code, why };
}
