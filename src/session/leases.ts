import type { Head, RunRef } from "./event.ts";
import type { SessionId } from "./id.ts";

/** The proof, across machines, of the right to append generation `gen`. session.md, section 8. */
export type Lease = {
  readonly session: SessionId;
  readonly gen: number;
  readonly run: RunRef;
  /** The record this generation continues from; null for the first. */
  readonly head: Head | null;
};

export type Claimed =
  | { readonly kind: "claimed" }
  /** Somebody made this generation first. */
  | { readonly kind: "lost" }
  /** Leases cannot be written here: work may go on with less promised. */
  | { readonly kind: "unavailable"; readonly why: string };

export type Release = { readonly from: number; readonly to: number; readonly signal: AbortSignal };

/** Port: create-only leases, one per generation, without clocks. */
export type Leases = {
  /** Of two claims of one generation exactly one gets `claimed`. */
  readonly claim: (lease: Lease, options: { readonly signal: AbortSignal }) => Promise<Claimed>;
  /** All leases of the session, oldest generation first; empty when there is none. */
  readonly holders: (
    session: SessionId,
    options: { readonly signal: AbortSignal },
  ) => Promise<readonly Lease[]>;
  /** Whether the job that holds a lease still runs; `unknown` counts as running. */
  readonly alive: (
    run: RunRef,
    options: { readonly signal: AbortSignal },
  ) => Promise<"running" | "gone" | "unknown">;
  /**
   * Removes the generations `from` to `to`, both included: from 1 to the own one ends a session, the own one alone gives
   * a claim back. There is no "all": a run may come to this late, when another has claimed what follows.
   */
  readonly release: (session: SessionId, options: Release) => Promise<void>;
};
