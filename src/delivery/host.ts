import type { Sha, Tree } from "../base/hash.ts";

/** An issue or pull request, as GitHub has it now. Every string is untrusted text. */
export type HostThread = {
  readonly number: number;
  readonly kind: "issue" | "pull-request";
  readonly title: string;
  readonly body: string;
  /** Null for a deleted account. */
  readonly author: string | null;
  readonly state: "open" | "closed";
  readonly locked: boolean;
  /** Only on a pull request. */
  readonly head: { readonly ref: string; readonly sha: Sha; readonly repositoryId: number | null } | null;
  readonly base: { readonly ref: string } | null;
};

/** What GitHub answered to something we asked it to make. `code` is ours, `why` is GitHub's sentence. */
export type HostRefusal = {
  readonly kind: "refused";
  readonly code:
    | "exists"
    | "locked"
    | "not-permitted"
    | "forbidden"
    | "gone"
    | "rejected"
    /** The branch is somewhere else by now. */
    | "moved"
    | "unavailable"
    /** Never GitHub's word: another run has the session now, so that nothing was asked of GitHub. */
    | "fenced";
  readonly why: string;
  /** It is known that nothing was made; else what is `unavailable` or `exists` may be ours. */
  readonly unmade?: true;
};

export type Made = { readonly kind: "made"; readonly id: number; readonly url: string };

/** A file of the commit to make; null `bytes` deletes the path. */
export type CommitFile = {
  readonly path: string;
  readonly mode: "100644" | "100755" | "120000";
  readonly bytes: Uint8Array | null;
};

/** Thrown by look-ups, and only by them, when GitHub gave no answer that can be trusted. The work is kept. */
export class HostUnavailable extends Error {
  override readonly name: string = "HostUnavailable";
}

/** The token may not look it up, now or later: a line is missing in the workflow's `permissions:`. */
export class HostForbidden extends HostUnavailable {
  override readonly name = "HostForbidden";
}

/**
 * Port: GitHub, seen from delivery. Looking up comes before making; nothing here retries a write that may have
 * happened, except one that repeats no effect: a text in place of itself. Reads retry with bounds. Network trouble that outlasts them is `unavailable` from what makes something and
 * a thrown `HostUnavailable` from what looks something up.
 */
export type Host = {
  readonly allowance: Allowance;
  readonly thread: (number: number) => Promise<HostThread | null>;
  readonly branch: BranchHost;
  readonly pullRequest: PullRequestHost;
  readonly comment: CommentHost;
  /** Null where the host has nothing of the kind. */
  readonly checkRun: CheckRunHost | null;
};

/** How much of what the host lets us ask in an hour is left: 0 to 1, as its last answer said, and 1 before the first. */
export type Allowance = { readonly left: number };

export type BranchHost = {
  readonly find: (name: string) => Promise<{
    readonly sha: Sha;
    readonly tree: Tree;
    readonly parents: readonly Sha[];
    /** Of the commit; untrusted text. */
    readonly message: string;
  } | null>;
  /**
   * One commit on `parent` whose tree must come out as `tree` (throws when GitHub computes another), through the Git
   * Data API. Creates objects only: nothing is visible yet.
   */
  readonly commit: (commit: {
    readonly parent: Sha;
    readonly parentTree: Tree;
    readonly tree: Tree;
    readonly files: readonly CommitFile[];
    readonly message: string;
  }) => Promise<{ readonly kind: "committed"; readonly sha: Sha } | HostRefusal>;
  /** Create-only: an existing ref is `exists`. */
  readonly create: (name: string, sha: Sha) => Promise<{ readonly kind: "made" } | HostRefusal>;
  /** Moves `name` from exactly `from` to its child `to`; never forced. Anything else at `name` is `moved`. */
  readonly advance: (
    name: string,
    move: { readonly from: Sha; readonly to: Sha },
  ) => Promise<{ readonly kind: "made" } | HostRefusal>;
};

export type PullRequestHost = {
  /**
   * Why the token may open no pull request onto `base`, a branch that is there; null when it may, or when nobody can
   * tell. Settings of the repository that forbid it are no reason here: the branch is worth having without.
   */
  readonly forbidden: (base: string) => Promise<string | null>;
  /** The pull request from this branch of this repository, open or not; newest first. */
  readonly find: (branch: string) => Promise<
    readonly {
      readonly number: number;
      readonly url: string;
      readonly state: "open" | "closed";
      readonly body: string;
    }[]
  >;
  readonly open: (pull: {
    readonly branch: string;
    readonly base: string;
    readonly title: string;
    readonly body: string;
    readonly draft: boolean;
  }) => Promise<Made | HostRefusal>;
  readonly update: (number: number, change: { readonly body: string }) => Promise<Made | HostRefusal>;
};

/** What names a check run: a commit's runs of one name can be many, also other apps'. */
export type CheckRunRef = { readonly head: Sha; readonly name: string; readonly externalId: string };

/** Lines count from 1. Plain text. */
export type Annotation = {
  readonly level: "failure" | "warning" | "notice";
  readonly path: string;
  readonly line: number;
  readonly title: string;
  readonly message: string;
};

export type CheckRunHost = {
  readonly find: (ref: CheckRunRef) => Promise<{ readonly id: number; readonly url: string } | null>;
  /** A completed one. `summary` is Markdown within GitHub's limit of a body; at most 50 annotations. */
  readonly create: (
    run: CheckRunRef & {
      readonly conclusion: "success" | "neutral";
      readonly title: string;
      readonly summary: string;
      readonly detailsUrl: string | null;
      readonly annotations: readonly Annotation[];
    },
  ) => Promise<Made | HostRefusal>;
};

/** Every string is untrusted text. */
export type RecentComment = {
  readonly id: number;
  readonly url: string;
  readonly body: string;
  /** Who wrote it, a person (`User`) or an app (`Bot`); null for a deleted account. */
  readonly author: { readonly login: string; readonly id: number; readonly type: string } | null;
  /** By our own identity. */
  readonly own: boolean;
  /** Wall time in ms, by the host's clock, in whole seconds. */
  readonly createdAt: number;
  /** Whether its text is not the one that it was written with. */
  readonly edited: boolean;
};

export type Reaction = "eyes" | "confused" | "+1";

export type CommentHost = {
  /** Comments of our own identity on the thread that contain `marker`, oldest first, all pages. */
  readonly find: (
    number: number,
    marker: string,
  ) => Promise<readonly { readonly id: number; readonly url: string; readonly body: string }[]>;
  /**
   * Comments of anybody on the thread that were written or edited since (wall time in ms), oldest first, all pages. To
   * ask again when nothing is new costs as little as the host lets it.
   */
  readonly recent: (
    number: number,
    options: { readonly since: number; readonly signal: AbortSignal },
  ) => Promise<readonly RecentComment[]>;
  readonly create: (number: number, body: string) => Promise<Made | HostRefusal>;
  readonly update: (id: number, body: string) => Promise<Made | HostRefusal>;
  /** The first answer: a reaction on the comment that gave the command. Failure is not worth stopping for. */
  readonly react: (commentId: number, content: Reaction) => Promise<void>;
  /** Whether our own identity has reacted so. */
  readonly reacted: (commentId: number, content: Reaction) => Promise<boolean>;
};
