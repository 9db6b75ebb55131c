import type { SessionId } from "../session/id.ts";
import type { Lease } from "../session/leases.ts";
import type { State } from "../session/state.ts";
import type { Means } from "./means.ts";
import { type Outcome, outcome } from "./outcome.ts";
import type { Said } from "./said.ts";

export const leftToRunReason = "taken-by-run";

/**
 * The end of a command whose words the run that has the session takes in by itself, since it listens to the thread.
 * Null where they would be lost: nobody can tell whether it works, or it has suspended and only its job goes on.
 */
export async function leftToRun(
  {
    session,
    holders,
    said,
    status,
  }: {
    readonly session: SessionId;
    readonly holders: readonly Lease[];
    readonly said: Said | null;
    /** As far as it was stored. */
    readonly status: State["status"];
  },
  { leases }: Pick<Means, "leases">,
  signal: AbortSignal,
): Promise<Outcome | null> {
  const holder = holders.at(-1);
  const isHeard = said?.kind === "words" && said.input.startsWith("comment:") && status === "open";
  if (holder === undefined || !isHeard) return null;
  if ((await leases.alive(holder.run, { signal })) !== "running") return null;
  const why = `Run ${holder.run.id} works on session ${session} and takes the comment in.`;
  return outcome("ignored", leftToRunReason, why, { session, resumable: true });
}
