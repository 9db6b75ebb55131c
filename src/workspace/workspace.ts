import type { Sha, Tree } from "../base/hash.ts";

/** What to pin. Ids that are null are read from the remote when pinning; a resumed session gives both. */
export type PinTarget =
  | {
      readonly kind: "branch";
      readonly branch: string;
      readonly baseSha: Sha | null;
      readonly configSha: Sha | null;
    }
  | {
      readonly kind: "pull-request";
      readonly number: number;
      /** The head that was authorised: pinning refuses when it is not (or no longer) in the history of the head. */
      readonly headSha: Sha;
      /** The base branch, where configuration comes from. */
      readonly baseRef: string;
      readonly configSha: Sha | null;
    };

export type Pinned =
  | { readonly kind: "pinned"; readonly workspace: Workspace }
  /** `moved`: the commit is not there (any more). `unsupported`: partial clone, sha-256 repository. `unreachable`: no answer or no permission. */
  | {
      readonly kind: "refused";
      readonly code: "moved" | "unsupported" | "unreachable";
      readonly why: string;
    };

/** Thrown by `restore`: the files are not those of the tree, whatever the reason. */
export class NotRestored extends Error {
  override readonly name = "NotRestored";
}

/**
 * One path that differs. `mode` and `blob` are the new ones, null for a deleted file; the counts are null for a
 * binary file. Names are text everywhere in this port: a byte that is not UTF-8 is shown as U+FFFD, so a path that
 * holds one can be kept and restored, but not addressed.
 */
export type Change = {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted";
  readonly mode: "100644" | "100755" | "120000" | null;
  readonly blob: Sha | null;
  readonly addedLines: number | null;
  readonly deletedLines: number | null;
};

export type Sealed =
  | { readonly kind: "sealed"; readonly tree: Tree }
  /** Something that cannot be kept: a nested repository, a socket, a file that is unreadable or over 100 MiB. Names it. */
  | { readonly kind: "refused"; readonly path: string; readonly why: string };

/**
 * Port: the pinned commits and the trees made from them. Git here never reads or runs anything that a working
 * directory configures: no hooks, filters, attributes, submodules (R9). Directories are absolute paths outside the
 * runner's checkout; the ones given to `seal` must have no process writing in them.
 */
export type Workspace = {
  readonly baseSha: Sha;
  readonly configSha: Sha;
  readonly baseTree: Tree;
  /** A file at `configSha`, or null; links are not followed. `list` gives all paths of that commit's tree, sorted. */
  readonly file: (path: string) => Promise<Uint8Array | null>;
  readonly list: () => Promise<readonly string[]>;
  /** The tree of `dir`: raw bytes, modes, links; ignore rules are those of `configSha`, files of the base are never ignored. */
  readonly seal: (dir: string) => Promise<Sealed>;
  /**
   * Makes the files of `dir` that are not ignored equal to `tree`, creating `dir` if need be; ignored files stay.
   * Recomputes the tree afterwards and throws `NotRestored` when it differs.
   */
  readonly restore: (dir: string, tree: Tree) => Promise<void>;
  /** A copy of everything in `from`, ignored files, modes and owners too, at `to`, which must not exist. */
  readonly copy: (from: string, to: string) => Promise<void>;
  readonly diff: (from: Tree, to: Tree) => Promise<readonly Change[]>;
  readonly objects: TreeObjects;
};

export type TreeObjects = {
  readonly blob: (id: Sha) => Promise<Uint8Array>;
  /** A git pack of what the trees in `want` need and neither the base commit nor the trees in `have` hold. */
  readonly pack: (options: {
    readonly have: readonly Tree[];
    readonly want: readonly Tree[];
  }) => Promise<Uint8Array>;
  /** Takes a pack in, after index-pack proved it. Throws when it is broken. */
  readonly unpack: (pack: Uint8Array) => Promise<void>;
  /** A file of a tree, or null where there is none or it is a link. */
  readonly fileAt: (tree: Tree, path: string) => Promise<Uint8Array | null>;
  /**
   * The tree that `onto` becomes when it gets the difference between `from` and `to`; a path that differs is as in
   * `to`. Where `only` is given, what it is false for stays as it is.
   */
  readonly transplant: (difference: {
    readonly from: Tree;
    readonly to: Tree;
    readonly onto: Tree;
    readonly only?: (path: string) => boolean;
  }) => Promise<Tree>;
  /**
   * What `git apply` takes to turn `from` into exactly `to`: bytes, modes and links, binary files too; a rename is one
   * path deleted and another added. Null where it would be longer than `bytesMax`.
   */
  readonly patch: (difference: {
    readonly from: Tree;
    readonly to: Tree;
    readonly bytesMax: number;
  }) => Promise<Uint8Array | null>;
  /** Whether the tree and all below it are here. */
  readonly has: (tree: Tree) => Promise<boolean>;
};
