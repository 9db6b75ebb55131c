import { digestOf } from "../base/hash.ts";
import type { Budget, SessionEvent } from "../session/event.ts";
import type { SessionFiles } from "../session/files.ts";
import type { FoundSession } from "../session/find.ts";
import type { Lease } from "../session/leases.ts";
import type { State } from "../session/state.ts";
import type { VerifiedLog } from "../session/verify.ts";
import type { Means } from "./means.ts";
import type { Said } from "./said.ts";

/** A session whose log is whole and the newest there is, not claimed yet, and who wants it. */
export type Proved = {
  readonly found: FoundSession;
  readonly log: VerifiedLog;
  readonly state: State;
  /** What happened after the last checkpoint. */
  readonly since: readonly SessionEvent[];
  readonly holders: readonly Lease[];
  readonly runs: readonly string[];
  readonly by: string;
  /** What they say to it; null where they only want it to go on. */
  readonly said: Said | null;
};

/** Its payloads, read where they are: before it is claimed nothing is written on this machine. */
export function blobsOf({ blobs }: FoundSession): SessionFiles["blobs"] {
  const byDigest = new Map(blobs.map((bytes) => [digestOf(bytes), bytes]));
  return {
    get: async (digest) => byDigest.get(digest) ?? null,
    put: () => Promise.reject(new Error("nothing is stored before the session is claimed")),
  };
}

/** What it was begun with, where this run does not say otherwise. */
export function budgetOf(state: State, { orders }: Pick<Means, "orders">): Budget {
  const none: Budget = { turns: 0, minutes: 0, tokens: null, costUsd: null };
  return { ...(state.budget ?? none), ...orders.budget };
}
