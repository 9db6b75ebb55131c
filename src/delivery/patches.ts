import type { HostRefusal } from "./host.ts";

/** A patch where a person can take it. */
export type StoredPatch = {
  readonly name: string;
  /** The command that brings it to where it is called; null where it is on this machine already. */
  readonly fetch: string | null;
  /** The file that there is then, for `git apply`. */
  readonly file: string;
  readonly url: string | null;
};

/**
 * Port: where patches lie for people. Unlike what is on the shelf they are plain, and whoever may look at what a run left
 * behind can read them. Names match /^agent-patch-[a-z0-9-]+$/, and whoever chooses one lets it name the content too:
 * what is stored never changes.
 */
export type Patches = {
  /** What one of these runs stored under the name, or null. Throws `HostUnavailable`. */
  readonly find: (name: string, options: { readonly runs: readonly string[] }) => Promise<StoredPatch | null>;
  /** Stores it as part of this run. `unavailable` may have stored it all the same. */
  readonly put: (
    name: string,
    patch: Uint8Array,
  ) => Promise<{ readonly kind: "stored"; readonly patch: StoredPatch } | HostRefusal>;
};
