import { mkdirSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Tree } from "../../base/hash.ts";
import { ignoreRules } from "../../base/ignore-rules.ts";
import type { PinTarget, Workspace } from "../../workspace/workspace.ts";
import { Contents } from "./contents.ts";
import { copyFolder } from "./copying.ts";
import { diffTrees, patchBetween } from "./diffing.ts";
import type { GitPlace } from "./environment.ts";
import { bytesOf, folderOf, textOf } from "./names.ts";
import { ObjectReader } from "./object-reader.ts";
import { type Durability, ObjectWriter } from "./object-writer.ts";
import { isWhole, packTrees, unpackTrees } from "./packs.ts";
import { type Commits, pinCommits } from "./pinning.ts";
import type { Refusal } from "./remote.ts";
import { type Lender, lenderAt, makeRepository } from "./repository.ts";
import { type Owner, restoreFolder } from "./restoring.ts";
import { type View, viewOf } from "./scan.ts";
import { sealFolder } from "./sealing.ts";
import { fileAt, transplant } from "./transplanting.ts";
import { type Listing, listTree } from "./trees.ts";

const rememberedFoldersMax = 8;

export type GitWorkspacesOptions = {
  readonly remote: { readonly url: string; readonly token: string | null };
  /** An absolute path to a directory that is ours alone and in no workspace. Made if need be. */
  readonly dir: string;
  /** A checkout whose objects may be used; never written to. */
  readonly borrowFrom: string | null;
  /** PATH for git and cp. */
  readonly path: string;
  /** Who gets restored files when we are root; by default the owner of the directory. */
  readonly owner?: Owner | null;
  readonly durability?: Durability;
};

/** Closing ends the one git process that a workspace keeps. */
export type GitPinned =
  | Refusal
  | { readonly kind: "pinned"; readonly workspace: Workspace & AsyncDisposable };

export type GitWorkspaces = {
  /** Rejects with the signal's reason when aborted. One pin at a time in one `dir`. */
  readonly pin: (target: PinTarget, options: { readonly signal: AbortSignal }) => Promise<GitPinned>;
};

/**
 * Commits pinned from a git server. `dir` gets two bare repositories: `pinned.git` with what was fetched, new for
 * each pin, and `trees.git` with the sealed trees, which stays.
 */
export function gitWorkspaces(options: GitWorkspacesOptions): GitWorkspaces {
  if (!isAbsolute(options.dir))
    throw new Error(`the directory of a workspace must be absolute: ${options.dir}`);
  const lending = options.borrowFrom === null ? null : lenderAt(options.borrowFrom);
  const lender = lending?.kind === "lends" ? lending.lender : null;
  return { pin: (target, { signal }) => pin(target, { ...options, lender, signal }) };
}

/** The same on a repository of this machine. A partial clone is refused: what it lacks, it would fetch. */
export function localWorkspaces({
  repository,
  ...options
}: Omit<GitWorkspacesOptions, "remote" | "borrowFrom"> & { readonly repository: string }): GitWorkspaces {
  const lending = lenderAt(repository);
  if (lending.kind === "none") {
    const refusal: Refusal = { kind: "refused", code: "unsupported", why: lending.why };
    return { pin: async () => refusal };
  }
  return gitWorkspaces({ ...options, remote: { url: repository, token: null }, borrowFrom: repository });
}

type Pinning = GitWorkspacesOptions & { readonly lender: Lender | null; readonly signal: AbortSignal };

async function pin(target: PinTarget, options: Pinning): Promise<GitPinned> {
  const { dir, path, remote, signal, lender } = options;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const place: GitPlace = { gitDir: join(dir, "pinned.git"), home: dir, path };
  const commits = await pinCommits(target, { place, remote, signal }, lender);
  if (commits.kind === "refused") return commits;
  return { kind: "pinned", workspace: await openWorkspace(commits, options) };
}

type Parts = {
  readonly place: GitPlace;
  readonly reader: ObjectReader;
  readonly writer: ObjectWriter;
  readonly view: View;
  readonly config: Listing;
};

async function openWorkspace(commits: Commits, options: Pinning): Promise<Workspace & AsyncDisposable> {
  const { dir, path, durability = "process" } = options;
  const place: GitPlace = { gitDir: join(dir, "trees.git"), home: dir, path };
  makeRepository(place.gitDir, [join(dir, "pinned.git", "objects")]);
  const reader = new ObjectReader(place);
  const base = await listTree(reader, `${commits.baseSha}^{tree}`);
  const config =
    commits.configSha === commits.baseSha ? base : await listTree(reader, `${commits.configSha}^{tree}`);
  const known = [base, config].flatMap(({ leaves, treeIds }) => [
    ...[...leaves.values()].map(({ id }) => id),
    ...treeIds,
  ]);
  const writer = new ObjectWriter(place.gitDir, { durability, known });
  const view = viewOf(base, ignoreRules(await ignoreFiles(config, reader)));
  return { ...commits, baseTree: base.tree, ...methods({ place, reader, writer, view, config }, options) };
}

/** The text of every `.gitignore` of a tree. One that is a link does not count, as for git. */
async function ignoreFiles(
  { leaves }: Listing,
  reader: ObjectReader,
): Promise<{ dir: string; text: string }[]> {
  const files = [...leaves].filter(
    ([path, { mode }]) => /(^|\/)\.gitignore$/.test(path) && (mode === "100644" || mode === "100755"),
  );
  return await Promise.all(
    files.map(async ([path, { id }]) => ({
      dir: textOf(folderOf(path)),
      text: (await reader.read(id, "blob")).body.toString("utf8"),
    })),
  );
}

function methods(
  { place, reader, writer, view, config }: Parts,
  { dir, owner = null }: Pinning,
): Omit<Workspace & AsyncDisposable, "baseSha" | "configSha" | "baseTree"> {
  const remembered = new Map<string, Contents>();
  const toolsFor = (folder: string) => {
    if (!isAbsolute(folder)) throw new Error(`not an absolute path: ${folder}`);
    const contents = remembered.get(folder) ?? new Contents(folder, { writer, scratch: dir });
    remembered.delete(folder);
    remembered.set(folder, contents);
    const [oldest] = remembered.keys();
    if (remembered.size > rememberedFoldersMax && oldest !== undefined) remembered.delete(oldest);
    return { view, contents, writer };
  };
  return {
    file: async (path) => {
      const leaf = config.leaves.get(bytesOf(path));
      if (leaf?.mode !== "100644" && leaf?.mode !== "100755") return null;
      return (await reader.read(leaf.id, "blob")).body;
    },
    list: async () =>
      [...config.leaves]
        .filter(([, { mode }]) => mode !== "160000")
        .map(([path]) => path)
        .sort()
        .map(textOf),
    seal: (folder) => sealFolder(folder, toolsFor(folder)),
    restore: (folder, tree) => restoreFolder(folder, tree, { ...toolsFor(folder), reader, owner }),
    copy: (from, to) => copyFolder(from, to, place),
    diff: (from, to) => diffTrees(place, from, to),
    objects: {
      blob: async (id) => (await reader.read(id, "blob")).body,
      pack: async ({ have, want }) => {
        const without = [view.base.tree, ...(await present(reader, have))];
        return await packTrees(place, { want, without });
      },
      fileAt: async (tree, path) => fileAt(reader, tree, path),
      transplant: (difference) => transplant(difference, { reader, writer }),
      patch: (difference) => patchBetween(place, difference),
      unpack: (pack) => unpackTrees(place, pack),
      has: (tree) => isWhole(place, tree),
    },
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  };
}

async function present(reader: ObjectReader, trees: readonly Tree[]): Promise<readonly Tree[]> {
  const found = await Promise.all(trees.map((tree) => reader.find(tree)));
  return trees.filter((_, index) => found[index] !== null);
}
