// The Git Data API's objects: blobs, trees and commits, written straight into the bare repository.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { newFolder } from "../folder.ts";
import { type Answer, answer, type Call, type Handlers, notFound, refuse, textOf } from "./answer.ts";
import { readLoose, type TreeEntry as StoredEntry, treeBytes, treeEntries, writeLoose } from "./loose.ts";
import { ask, type CommitRecord, readCommit, typeOf } from "./repository-reads.ts";
import { apiUrl, htmlUrl, nodeId } from "./shapes.ts";
import type { Account, World } from "./world.ts";

const modes = new Set(["100644", "100755", "120000", "160000", "040000"]);

export function gitDataHandlers(world: World): Handlers {
  return {
    "git/create-blob": (call) => createBlob(world, call),
    "git/get-blob": ({ params }) => getBlob(world, params["file_sha"] ?? ""),
    "git/create-tree": (call) => createTree(world, call),
    "git/get-tree": ({ params, url }) =>
      getTree(world, params["tree_sha"] ?? "", url.searchParams.has("recursive")),
    "git/create-commit": (call) => createCommit(world, call),
    "git/get-commit": async ({ params }) => {
      const commit = await readCommit(world, params["commit_sha"] ?? "");
      return commit ? answer(200, gitCommitShape(world, commit)) : notFound();
    },
  };
}

async function createBlob(world: World, call: Call): Promise<Answer> {
  const content = textOf(call, "content") ?? "";
  const bytes = Buffer.from(content, textOf(call, "encoding") === "base64" ? "base64" : "utf8");
  const sha = writeLoose(world.bare.path, "blob", bytes);
  return answer(201, { sha, url: apiUrl(world, `/git/blobs/${sha}`) });
}

async function getBlob(world: World, sha: string): Promise<Answer> {
  if ((await typeOf(world, sha)) !== "blob") return notFound();
  const content = await world.bare.run(["cat-file", "blob", sha]);
  return answer(200, {
    sha,
    node_id: nodeId("B", 0),
    url: apiUrl(world, `/git/blobs/${sha}`),
    size: content.length,
    content: content.toString("base64"),
    encoding: "base64",
  });
}

type TreeEntry = {
  readonly path: string;
  readonly mode: string;
  readonly type: string;
  readonly sha?: string | null;
  readonly content?: string;
};

async function createTree(world: World, call: Call): Promise<Answer> {
  const base = textOf(call, "base_tree");
  if (base !== undefined && !["tree", "commit"].includes((await typeOf(world, base)) ?? "")) {
    return refuse(404, "Not Found");
  }
  const entries = call.body["tree"] as readonly TreeEntry[];
  if (entries.length === 0 && base === undefined) return refuse(422, "Invalid tree info");
  const malformed = entries.find(({ path, mode }) => !modes.has(mode) || !isCleanPath(path));
  if (malformed) return refuse(422, "tree.path contains a malformed path component");

  const made = treeOfLoose(world, base, entries);
  return made === undefined ? treeByGit(world, base, entries) : getTree(world, made, false, 201);
}

/** Undefined where not every object that it needs is there as a file of its own. */
function treeOfLoose(
  { bare }: World,
  base: string | undefined,
  entries: readonly TreeEntry[],
): string | undefined {
  const treeOf = (sha: string | undefined): readonly StoredEntry[] | undefined => {
    if (sha === undefined) return [];
    const found = readLoose(bare.path, sha);
    return found?.type === "tree" ? treeEntries(found.bytes) : undefined;
  };
  /** Null for a tree that holds nothing any more. */
  const put = (
    at: string | undefined,
    parts: readonly string[],
    entry: TreeEntry,
  ): string | null | undefined => {
    const [name = "", ...rest] = parts;
    const before = treeOf(at);
    if (before === undefined) return undefined;
    const old = before.find((one) => one.name === name);
    const others = before.filter((one) => one !== old);
    const inside = old?.mode === "040000" ? old.sha : undefined;
    // There is nothing to delete in what is no directory.
    if (entry.sha === null && (old === undefined || (rest.length > 0 && inside === undefined)))
      return at ?? null;
    const sha = rest.length > 0 ? put(inside, rest, entry) : blobOf(entry);
    if (sha === undefined) return undefined;
    const mode = rest.length > 0 ? "040000" : entry.mode;
    const after = sha === null ? others : [...others, { mode, name, sha }];
    return after.length === 0 ? null : writeLoose(bare.path, "tree", treeBytes(after));
  };
  const blobOf = ({ sha, content, type }: TreeEntry): string | null | undefined => {
    if (sha === null) return null;
    if (sha === undefined) return writeLoose(bare.path, "blob", Buffer.from(content ?? ""));
    return type === "blob" && readLoose(bare.path, sha)?.type === "blob" ? sha : undefined;
  };
  let tree: string | null | undefined = base;
  for (const entry of entries) {
    tree = put(tree ?? undefined, entry.path.split("/"), entry);
    if (tree === undefined) return undefined;
  }
  return tree ?? undefined;
}

async function treeByGit(
  world: World,
  base: string | undefined,
  entries: readonly TreeEntry[],
): Promise<Answer> {
  const scratch = newFolder("kit-tree");
  try {
    const env = { GIT_INDEX_FILE: join(scratch, "index") };
    const git = async (args: readonly string[], input = "") =>
      (await world.bare.run(args, { env, input })).toString().trim();
    if (base !== undefined) await git(["read-tree", base]);
    const lines: string[] = [];
    for (const entry of entries) {
      if (entry.mode === "040000" && entry.sha) {
        await git(["rm", "-r", "--cached", "--quiet", "--ignore-unmatch", "--", entry.path]);
        await git(["read-tree", `--prefix=${entry.path}/`, entry.sha]);
      } else lines.push(await indexLine(world, entry));
    }
    if (lines.length > 0)
      await git(["update-index", "-z", "--add", "--replace", "--index-info"], lines.join(""));
    // write-tree refuses entries whose objects do not exist.
    return getTree(world, await git(["write-tree"]), false, 201);
  } catch {
    return refuse(422, "GitRPC::BadObjectState");
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function indexLine(world: World, { path, mode, sha, content }: TreeEntry): Promise<string> {
  if (sha === null) {
    return `0 ${"0".repeat(40)}\t${path}\0`;
  }
  if (sha !== undefined) return `${mode} ${sha}\t${path}\0`;
  const blob = await world.bare.run(["hash-object", "-w", "--stdin"], { input: content ?? "" });
  return `${mode} ${blob.toString().trim()}\t${path}\0`;
}

function isCleanPath(path: string): boolean {
  const parts = path.split("/");
  return parts.every((part) => part !== "" && part !== "." && part !== ".." && part.toLowerCase() !== ".git");
}

async function getTree(world: World, name: string, recursive: boolean, status = 200): Promise<Answer> {
  const quick = recursive ? undefined : looseListing(world, name);
  if (quick !== undefined)
    return answer(status, {
      sha: name,
      url: apiUrl(world, `/git/trees/${name}`),
      tree: quick,
      truncated: false,
    });
  const sha = await ask(world, "rev-parse", "--verify", "--quiet", `${name}^{tree}`);
  if (sha === undefined) return notFound();
  const output = await world.bare.run(["ls-tree", "-z", "-l", ...(recursive ? ["-r", "-t"] : []), sha]);
  const tree = output
    .toString()
    .split("\0")
    .filter(Boolean)
    .map((line) => {
      const [, mode = "", type = "", id = "", size = "", path = ""] =
        /^(\d+) (\w+) ([0-9a-f]+) +(\S+)\t([\s\S]*)$/.exec(line) ?? [];
      const kind = type === "tree" ? "trees" : "blobs";
      return {
        path,
        mode,
        type,
        sha: id,
        ...(size !== "-" && { size: Number(size) }),
        url: apiUrl(world, `/git/${kind}/${id}`),
      };
    });
  return answer(status, { sha, url: apiUrl(world, `/git/trees/${sha}`), tree, truncated: false });
}

/** One tree's entries, where all of it is there as files. */
function looseListing(world: World, sha: string) {
  const stored = readLoose(world.bare.path, sha);
  if (stored?.type !== "tree") return undefined;
  const listed = treeEntries(stored.bytes).map(({ mode, name: path, sha: id }) => {
    const object = readLoose(world.bare.path, id);
    if (object === undefined) return undefined;
    const { type } = object;
    const url = apiUrl(world, `/git/${type}s/${id}`);
    return { path, mode, type, sha: id, ...(type === "blob" && { size: object.bytes.length }), url };
  });
  return listed.includes(undefined) ? undefined : listed;
}

async function createCommit(world: World, call: Call): Promise<Answer> {
  const tree = textOf(call, "tree") ?? "";
  if ((await typeOf(world, tree)) !== "tree") return refuse(422, "Tree SHA does not exist");
  const parents = (call.body["parents"] ?? []) as readonly string[];
  for (const parent of parents) {
    if ((await typeOf(world, parent)) !== "commit") {
      return refuse(422, "Parent SHA does not exist or is not a commit object");
    }
  }
  const author = signature(world, call.body["author"], call.caller);
  const committer = call.body["committer"] ? signature(world, call.body["committer"], call.caller) : author;
  // Written as bytes and not by commit-tree, because GitHub keeps the message exactly as it was sent.
  const input = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${author}`,
    `committer ${committer}`,
    "",
    textOf(call, "message") ?? "",
  ].join("\n");
  const sha = writeLoose(world.bare.path, "commit", Buffer.from(input));
  const commit = await readCommit(world, sha);
  if (!commit) throw new Error(`the commit ${sha} that was just written cannot be read`);
  return answer(201, gitCommitShape(world, commit));
}

type Signature = { readonly name?: string; readonly email?: string; readonly date?: string };

function signature(world: World, given: unknown, caller: Account | undefined): string {
  const { name, email, date } = (given ?? {}) as Signature;
  const login = caller?.login ?? "ghost";
  const clean = (text: string) => text.replace(/[<>\n\0]/g, "").trim();
  const when = date ?? world.now();
  const [, sign = "+", hours = "00", minutes = "00"] = /([+-])(\d\d):?(\d\d)$/.exec(when) ?? [];
  const seconds = Math.floor(Date.parse(when) / 1000);
  const address = email ?? `${caller?.id ?? 0}+${login}@users.noreply.github.com`;
  return `${clean(name ?? login)} <${clean(address)}> ${seconds} ${sign}${hours}${minutes}`;
}

const unsigned = { verified: false, reason: "unsigned", signature: null, payload: null, verified_at: null };

function gitCommitShape(world: World, commit: CommitRecord) {
  return {
    sha: commit.sha,
    node_id: nodeId("C", Number.parseInt(commit.sha.slice(0, 8), 16)),
    url: apiUrl(world, `/git/commits/${commit.sha}`),
    html_url: htmlUrl(world, `/commit/${commit.sha}`),
    author: commit.author,
    committer: commit.committer,
    tree: { sha: commit.tree, url: apiUrl(world, `/git/trees/${commit.tree}`) },
    message: commit.message,
    parents: commit.parents.map((sha) => ({
      sha,
      url: apiUrl(world, `/git/commits/${sha}`),
      html_url: htmlUrl(world, `/commit/${sha}`),
    })),
    verification: unsigned,
  };
}

/** The `commit` object of the repository endpoints, which is not the one of the Git Data API. */
export function commitShape(world: World, commit: CommitRecord) {
  const { sha } = commit;
  return {
    sha,
    node_id: nodeId("C", Number.parseInt(sha.slice(0, 8), 16)),
    commit: {
      author: commit.author,
      committer: commit.committer,
      message: commit.message,
      tree: { sha: commit.tree, url: apiUrl(world, `/git/trees/${commit.tree}`) },
      url: apiUrl(world, `/git/commits/${sha}`),
      comment_count: 0,
      verification: unsigned,
    },
    url: apiUrl(world, `/commits/${sha}`),
    html_url: htmlUrl(world, `/commit/${sha}`),
    comments_url: apiUrl(world, `/commits/${sha}/comments`),
    author: null,
    committer: null,
    parents: commit.parents.map((parent) => ({
      sha: parent,
      url: apiUrl(world, `/commits/${parent}`),
      html_url: htmlUrl(world, `/commit/${parent}`),
    })),
  };
}
