import type { Head, RunRef } from "./event.ts";
import type { SessionId } from "./id.ts";
import type { Lease, Leases } from "./leases.ts";

export type Claim =
  /** `leased` false: refs cannot be written here, so two runs are kept apart by create-only effects alone. */
  | { readonly kind: "claimed"; readonly gen: number; readonly leased: boolean; readonly why: string | null }
  | { readonly kind: "refused"; readonly code: "busy"; readonly why: string };

/**
 * Claims the generation after the newest one. The newest holder has to be gone: its job is completed, or `takeOver`
 * names its run. Of two that try at once exactly one gets the generation.
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
    readonly signal: AbortSignal;
  },
): Promise<Claim> {
  const { leases, holders, run, head, signal } = options;
  const newest = holders.at(-1);
  const why = await whyBusy(newest, { leases, run, signal });
  if (why !== null) return { kind: "refused", code: "busy", why };
  const gen = Math.max(newest?.gen ?? 0, options.genReached) + 1;
  const claimed = await leases.claim({ session, gen, run, head }, { signal });
  switch (claimed.kind) {
    case "claimed":
      return { kind: "claimed", gen, leased: true, why: null };
    case "unavailable":
      return { kind: "claimed", gen, leased: false, why: claimed.why };
    case "lost": {
      const winner = (await leases.holders(session, { signal })).find((lease) => lease.gen === gen);
      const name = winner === undefined ? "another run" : nameOf(winner.run);
      return { kind: "refused", code: "busy", why: `${name} claimed ${session} first; ${waitForIt}` };
    }
  }
}

/** Why the session of this holder cannot be taken over yet, naming its run; null when its job is over or our own. */
export async function whyBusy(
  newest: Lease | undefined,
  { leases, run, signal }: { readonly leases: Leases; readonly run: RunRef; readonly signal: AbortSignal },
): Promise<string | null> {
  if (newest === undefined || isSameRun(newest.run, run)) return null;
  const alive = await leases.alive(newest.run, { signal });
  if (alive === "gone") return null;
  const works = alive === "unknown" ? "may still work" : "works";
  return `${nameOf(newest.run)} ${works} on this session; ${waitForIt}`;
}

const waitForIt = "cancel it or wait until it has ended";

function nameOf(run: RunRef): string {
  return `run ${run.id} (attempt ${run.attempt})`;
}

function isSameRun(a: RunRef, b: RunRef): boolean {
  return a.id === b.id && a.attempt === b.attempt && a.job === b.job;
}
