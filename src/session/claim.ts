import type { Head, RunRef } from "./event.ts";
import type { SessionId } from "./id.ts";
import type { Lease, Leases } from "./leases.ts";

export type Claim =
  /** `leased` false: refs cannot be written here, so two runs are kept apart by create-only effects alone. */
  | { readonly kind: "claimed"; readonly gen: number; readonly leased: boolean; readonly why: string | null }
  /** `busy`: another run has it. `lost-race`: another run took it while this one was looking. */
  | { readonly kind: "refused"; readonly code: "busy" | "lost-race"; readonly why: string };

/**
 * Claims the generation after the newest one. The newest holder has to be gone: its job is completed, it is our own, or
 * a person says so of this very run. Of two that try at once exactly one gets the generation. With no holders the caller has to look for
 * what an ended session left behind, after the claim.
 */
export async function claimSession(
  session: SessionId,
  options: {
    readonly leases: Leases;
    readonly holders: readonly Lease[];
    readonly run: RunRef;
    readonly head: Head | null;
    /** The generation that the log has reached; a claim is above it even where no lease was kept. */
    readonly genReached: number;
    /** The run from which the session is taken although its job may still work. */
    readonly takeOver: string | null;
    readonly signal: AbortSignal;
  },
): Promise<Claim> {
  const { leases, holders, run, head, takeOver, signal } = options;
  const newest = holders.at(-1);
  const why = await whyBusy(newest, { leases, run, takeOver, signal });
  if (why !== null) return { kind: "refused", code: "busy", why };
  const gen = Math.max(newest?.gen ?? 0, options.genReached) + 1;
  const claimed = await leases.claim({ session, gen, run, head }, { signal });
  switch (claimed.kind) {
    case "claimed":
      return (
        (await endedMeanwhile(session, gen, options)) ?? { kind: "claimed", gen, leased: true, why: null }
      );
    case "unavailable":
      return { kind: "claimed", gen, leased: false, why: claimed.why };
    case "lost": {
      const winner = (await leases.holders(session, { signal })).find((lease) => lease.gen === gen);
      const name = winner === undefined ? "another run" : nameOf(winner.run);
      return { kind: "refused", code: "lost-race", why: `${name} claimed ${session} first; ${waitForIt}` };
    }
  }
}

/**
 * The end of a session takes all its leases away, and then a generation that was used is free again: whoever looked
 * before that and claims after it must not go on from what it saw.
 */
async function endedMeanwhile(
  session: SessionId,
  gen: number,
  {
    leases,
    holders,
    signal,
  }: { readonly leases: Leases; readonly holders: readonly Lease[]; readonly signal: AbortSignal },
): Promise<Claim | null> {
  if (holders.length === 0) return null;
  let whole = false;
  try {
    const now = await leases.holders(session, { signal });
    whole = holders.every((holder) => now.some((lease) => lease.gen === holder.gen));
  } finally {
    // Also where the look got no answer: a lease that is left behind alone would hide that the session has ended.
    if (!whole) await leases.release(session, { from: gen, to: gen, signal });
  }
  if (whole) return null;
  const why = `another run went on with ${session} and ended it while this one was looking; nothing was done`;
  return { kind: "refused", code: "lost-race", why };
}

/**
 * Why the session of this holder cannot be taken over yet, naming its run; null when its job is over or our own, or
 * when it is the run that a person takes the session from. That one may go on working for nothing: it is fenced.
 */
export async function whyBusy(
  newest: Lease | undefined,
  {
    leases,
    run,
    takeOver,
    signal,
  }: {
    readonly leases: Leases;
    readonly run: RunRef;
    readonly takeOver: string | null;
    readonly signal: AbortSignal;
  },
): Promise<string | null> {
  if (newest === undefined || isSameRun(newest.run, run) || newest.run.id === takeOver) return null;
  const alive = await leases.alive(newest.run, { signal });
  if (alive === "gone") return null;
  const works = alive === "unknown" ? "may still work" : "works";
  const forced = `if it is gone for certain, take over with the input take-over: ${newest.run.id}`;
  return `${nameOf(newest.run)} ${works} on this session; ${waitForIt}, or ${forced}`;
}

/** What a run holds the session by. */
export type Hold = {
  readonly gen: number;
  /** False where no lease could be written, so that nobody can tell who was here later. */
  readonly leased: boolean;
};

/**
 * Why a run may make nothing outside any more: a newer generation was claimed, or the session was ended by one and its
 * leases are gone. Null while it holds the session. Its job may have counted as over while it was only cut off.
 */
export async function whyFenced(
  session: SessionId,
  { gen, leased }: Hold,
  { leases, signal }: { readonly leases: Leases; readonly signal: AbortSignal },
): Promise<string | null> {
  if (!leased) return null;
  const newest = (await leases.holders(session, { signal })).at(-1);
  if (newest?.gen === gen) return null;
  if (newest === undefined) return `the lease of generation ${gen} is gone: another run ended ${session}`;
  return `${nameOf(newest.run)} claimed ${session} after this one and goes on with it`;
}

/** For a run that is over: who claimed the session after its generation, or null. A session without leases has nobody. */
export async function whoFollowed(
  session: SessionId,
  gen: number,
  { leases, signal }: { readonly leases: Leases; readonly signal: AbortSignal },
): Promise<string | null> {
  const newest = (await leases.holders(session, { signal })).at(-1);
  return newest !== undefined && newest.gen > gen ? nameOf(newest.run) : null;
}

const waitForIt = "cancel it or wait until it has ended";

function nameOf(run: RunRef): string {
  return `run ${run.id} (attempt ${run.attempt})`;
}

export function isSameRun(a: RunRef, b: RunRef): boolean {
  return a.id === b.id && a.attempt === b.attempt && a.job === b.job;
}
