import type { Digest } from "../base/hash.ts";

/**
 * Port: where one session's bytes live. Resolves only once the bytes survive a crash of this process (level P);
 * a `barrier` also makes them survive power loss where the adapter was opened for level D. There the manifest and the
 * blobs survive it at once, barrier or not: what the log says is never ahead of what was announced.
 * After an append failed and could not be undone the adapter is poisoned: every later write throws.
 */
export type SessionFiles = {
  /** The manifest (null when there is none) and the whole log, as they are. */
  readonly read: () => Promise<{ readonly manifest: Uint8Array | null; readonly log: Uint8Array }>;
  /** One write at the end of the log. On failure the log is cut back to its last acknowledged length, then it throws. */
  readonly append: (line: Uint8Array, options: { readonly barrier: boolean }) => Promise<void>;
  /** Atomic: a reader sees the old manifest or the new one, whole. */
  readonly replaceManifest: (bytes: Uint8Array, options: { readonly barrier: boolean }) => Promise<void>;
  /** Cuts the log to `length` bytes; what stood behind is kept aside, named by its digest. */
  readonly cut: (length: number) => Promise<{ readonly cutBytes: number; readonly sha256: Digest }>;
  readonly blobs: Blobs;
};

/** Content-addressed and immutable. `get` proves the digest and returns null when there is no such blob. */
export type Blobs = {
  readonly put: (bytes: Uint8Array) => Promise<Digest>;
  readonly get: (digest: Digest) => Promise<Uint8Array | null>;
};
