import type { SessionId } from "../session/id.ts";
import type { Means } from "./means.ts";
import { stretched } from "./thrift.ts";

/** How long a job waits for the run that its words were left to. A run that publishes is through with it long before. */
const patienceMs = 10 * 60_000;

// Each look asks GitHub three things, ever more seldom.
const restMs = { min: 10_000, max: 60_000 };

/**
 * Waits until the run that works on a session has taken a comment in, or has it no more: a run may be past its last look
 * at the thread when words come, and then nobody else would hear them. `waiting`: neither is known after some minutes,
 * so it is at something that takes long, behind which it looks again.
 */
export async function untilHeard(
  { session, comment }: { readonly session: SessionId; readonly comment: number },
  { host, leases, clock }: Pick<Means, "host" | "leases" | "clock">,
  { signal }: { readonly signal: AbortSignal },
): Promise<"taken" | "free" | "waiting"> {
  // What cannot be looked up now is looked up again.
  const isTaken = (): Promise<boolean> => host.comment.reacted(comment, "eyes").catch(() => false);
  const isFree = async (): Promise<boolean> => {
    const [holder] = (await leases.holders(session, { signal })).slice(-1);
    return holder === undefined || (await leases.alive(holder.run, { signal })) !== "running";
  };
  const endsAt = clock.elapsed() + patienceMs;
  for (let ms = restMs.min; !signal.aborted; ms = Math.min(2 * ms, restMs.max)) {
    if (await isTaken()) return "taken";
    if (await isFree().catch(() => false)) return "free";
    if (clock.elapsed() >= endsAt) break;
    await clock.sleep(stretched(ms, host.allowance), { signal });
  }
  return "waiting";
}
