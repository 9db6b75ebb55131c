import { limits } from "../base/limits.ts";
import { fencedNow } from "./deliver-work.ts";
import { type Outcome, type OutcomeKind, outcome, sentenceOf } from "./outcome.ts";
import type { Work } from "./work.ts";

type Published = {
  readonly branch?: string;
  readonly headSha?: string | null;
  readonly pullRequest?: { readonly number: number; readonly url: string };
  readonly compareUrl?: string;
};

/** How a session's run ends: for good, or so that it can be resumed. */
export type Ended = Published &
  (
    | {
        readonly kind: "ended";
        readonly outcome: Extract<OutcomeKind, "pull-request" | "no-change" | "gate-failed" | "refused">;
        readonly reason: string;
        readonly detail: string;
      }
    | { readonly kind: "suspended"; readonly reason: string; readonly detail: string }
  );

/**
 * Records the end, then tells it. A cancelled run only records: the runner gives it seconds, and `post` ships and
 * finishes the comment (session.md, section 10).
 */
export async function endWork(work: Work, ended: Ended): Promise<Outcome> {
  const { journal, means, shipper, board, identity } = work;
  const { reason } = ended;
  const detail = sentenceOf(ended.detail);
  if (ended.kind === "ended") {
    await journal.append({ type: "session.ended", outcome: ended.outcome, reason });
  } else {
    await journal.append({ type: "run.suspended", reason, detail: detail.slice(0, limits.inlineBytesMax) });
  }
  const kind = ended.kind === "ended" ? ended.outcome : "suspended";
  if (reason === "cancelled") return outcomeOf(work, kind, ended, "");
  const shipped = await shipper.ship();
  await shipper.idle();
  const saved = ended.kind === "suspended" && shipped.kind === "shipped";
  if (shipped.kind === "unshipped") {
    board.note(
      `**This session cannot be resumed on another machine:** it could not be stored (${shipped.why}).`,
    );
  }
  const lost = await isLost(work);
  const report = await board.finish({
    stopped: { outcome: kind, reason, detail, resumable: saved, compareUrl: ended.compareUrl ?? null },
    pullRequest: ended.pullRequest ?? null,
    // The comment tells of the run that has the session now.
    silent: lost,
  });
  if (ended.kind === "ended" && !lost) await releaseLeases(work);
  means.say(`${identity.session}: ${kind} (${reason})`);
  return outcomeOf(work, kind, ended, report, saved);
}

/** Whether another run has the session now; where nobody can tell, the one that worked on it says how it ended. */
async function isLost(work: Work): Promise<boolean> {
  try {
    return (await fencedNow(work)) !== null;
  } catch (error) {
    work.means.say(`Whether another run has ${work.identity.session} could not be seen: ${String(error)}`);
    return false;
  }
}

/** A lease that stays behind only costs the next reader a look at a run that is gone. */
async function releaseLeases({ means, identity }: Work): Promise<void> {
  try {
    await means.leases.release(identity.session, { from: 1, signal: AbortSignal.timeout(10_000) });
  } catch (error) {
    means.say(`The leases of ${identity.session} could not be removed: ${String(error)}`);
  }
}

function outcomeOf(
  work: Work,
  kind: OutcomeKind,
  ended: Ended,
  report: string,
  resumable = ended.kind === "suspended",
): Outcome {
  const { identity, journal } = work;
  return outcome(kind, ended.reason, ended.detail, {
    resumable,
    session: identity.session,
    pullRequest: ended.pullRequest ?? null,
    branch: ended.branch ?? null,
    baseSha: identity.baseSha,
    headSha: ended.headSha ?? null,
    turns: journal.state.turn.number,
    costUsd: journal.state.costUsd,
    report,
  });
}
