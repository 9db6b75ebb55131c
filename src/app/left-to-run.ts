import type { SessionId } from "../session/id.ts";
import type { Lease } from "../session/leases.ts";
import type { State } from "../session/state.ts";
import type { Means } from "./means.ts";
import { type Outcome, outcome } from "./outcome.ts";
import type { Said } from "./said.ts";

export const leftToRunReason = "taken-by-run";

/**
 * The end of a command whose words the run that has the session takes in by itself, since it listens to the thread; of
 * words from before it listens, that they have to be said again. Null where nobody listens: nobody can tell whether it
 * works, or it has suspended and only its job goes on.
 */
export async function leftToRun(
  {
    session,
    holders,
    said,
    state: { status, since },
  }: {
    readonly session: SessionId;
    readonly holders: readonly Lease[];
    readonly said: Said | null;
    /** As far as it was stored; `since` null where it says nothing of the run that has the session. */
    readonly state: Pick<State, "status" | "since">;
  },
  { leases }: Pick<Means, "leases">,
  signal: AbortSignal,
): Promise<Outcome | null> {
  const holder = holders.at(-1);
  if (holder === undefined || said?.kind !== "words" || status !== "open") return null;
  const { trigger } = said.asked;
  if (trigger.kind !== "comment") return null;
  if ((await leases.alive(holder.run, { signal })) !== "running") return null;
  const works = `Run ${holder.run.id} works on session ${session}`;
  const known = { session, resumable: true };
  // By the time alone, as that run looks for them: of two waiting comments the later one may have got the session first.
  if (since !== null && Date.parse(trigger.comment.createdAt) < since) {
    const from = new Date(since).toISOString();
    const why = `${works} and does not hear this comment, because it listens to what was written from ${from} on. Say it again in a new comment, which that run takes in, or when it has ended.`;
    return outcome("refused", "busy", why, known);
  }
  return outcome("ignored", leftToRunReason, `${works} and takes the comment in.`, known);
}
