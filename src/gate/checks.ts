import type { Tree } from "../base/hash.ts";

/** One declared check. `minutes` bounds it; `proof` checks must fail on base with the new tests and pass with the change. */
export type Check = {
  readonly name: string;
  readonly run: string;
  readonly minutes: number;
  readonly proof: boolean;
  /** Relative to the repository's root; "" is the root. */
  readonly dir: string;
  readonly network: boolean;
};

export type CheckRun = {
  /** Null when it was killed (time limit, cancel). */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly ms: number;
  /** Head and tail where it is over 256 KiB. Untrusted. */
  readonly output: string;
};

/**
 * Port: clean checkouts in which checks run: the exact tree, with what `setup` made on base, in a fresh namespace,
 * tmp and HOME, without secrets (R13). Throws when no such place can be made.
 */
export type Checks = {
  readonly checkout: (tree: Tree, options: { readonly signal: AbortSignal }) => Promise<Checkout>;
};

export type Checkout = AsyncDisposable & {
  /** Resolves once no process of the check is left. */
  readonly run: (check: Check, options: { readonly signal: AbortSignal }) => Promise<CheckRun>;
};
