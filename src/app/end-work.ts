import { cutText } from "../base/lines.ts";
import type { StoredPatch } from "../delivery/patches.ts";
import type { Waiting, Waits } from "../delivery/waiting.ts";
import type { Identity, SessionEvent } from "../session/event.ts";
import type { State } from "../session/state.ts";
import { fencedNow } from "./effect-tools.ts";
import {
  allIsKept,
  gateFailedReason,
  type Outcome,
  type OutcomeKind,
  outcome,
  sentenceOf,
  stoppedBy,
} from "./outcome.ts";
import type { Work } from "./work.ts";

/** A record of the log holds it, which has an end. */
const detailCharactersMax = 8 * 1024;

type Published = {
  readonly branch?: string;
  readonly headSha?: string | null;
  readonly pullRequest?: { readonly number: number; readonly url: string };
  readonly compareUrl?: string;
  readonly patch?: StoredPatch | null;
};

/** How a session's run ends: for good, or so that it can be resumed. */
export type Ended = Published &
  (
    | {
        readonly kind: "ended";
        readonly outcome: Extract<OutcomeKind, "pull-request" | "patch" | "no-change" | "refused">;
        readonly reason: string;
        readonly detail: string;
      }
    | {
        readonly kind: "suspended";
        readonly reason: string;
        readonly detail: string;
        /** The input that asked for it. */
        readonly input?: string;
      }
    /** Suspended as well: words of a person go on with it, and with the rounds of the gate from the first. */
    | { readonly kind: "gate-failed"; readonly reason: string; readonly detail: string }
    /** The same, until a person says something. */
    | {
        readonly kind: "waits";
        readonly reason: Waiting["kind"];
        readonly detail: string;
        readonly waits: Waits;
      }
  );

/**
 * Records the end, then tells it. A cancelled run only records: the runner gives it seconds, and `post` ships and
 * finishes the comment (session.md, section 10).
 */
export async function endWork(work: Work, ended: Ended): Promise<Outcome> {
  const { journal, means, shipper, board, identity, baseline } = work;
  const { reason } = ended;
  // A question stands in the log as it was put.
  const detail = ended.kind === "waits" ? ended.detail : sentenceOf(ended.detail);
  // Nothing comes after the record of the end.
  await baseline.halt();
  await journal.append(recordOf(ended, detail));
  if (reason === "cancelled") {
    const kept = shipper.unshipped() === null || shipper.stored() > 0;
    return outcomeOf(work, ended, { report: "", kept });
  }
  const shipped = await shipper.ship();
  await shipper.idle();
  const kept = shipped.kind === "shipped" || shipper.stored() > 0;
  const told = shipped.kind === "shipped" ? ended : { ...ended, detail: withoutKept(ended.detail) };
  if (shipped.kind === "unshipped") board.note(unstoredNote(shipped.why, { ended, kept }));
  const lost = await isLost(work);
  const end = outcomeOf(work, told, { report: "", kept });
  const report = await board.finish({
    stopped: stoppedBy(end),
    pullRequest: end.pullRequest,
    // The comment tells of the run that has the session now.
    silent: lost,
  });
  if (ended.kind === "ended" && !lost) await releaseLeases(work);
  means.say(`${identity.session}: ${end.kind} (${reason})`);
  return { ...end, report };
}

function recordOf(ended: Ended, detail: string): SessionEvent {
  const { kind, reason } = ended;
  if (kind === "ended") return { type: "session.ended", outcome: ended.outcome, reason };
  const input = kind === "suspended" && ended.input !== undefined ? { input: ended.input } : {};
  const code = kind === "gate-failed" ? gateFailedReason : reason;
  return { type: "run.suspended", reason: code, detail: cutText(detail, detailCharactersMax), ...input };
}

function withoutKept(detail: string): string {
  return detail.replace(allIsKept, "").replace("  ", " ").trim();
}

function unstoredNote(
  why: string,
  { ended, kept }: { readonly ended: Ended; readonly kept: boolean },
): string {
  if (kept && isResumable(ended))
    return `**What was done last is lost with this machine:** it could not be stored (${why}). A resume goes on from what was stored before.`;
  return `**This session cannot be resumed on another machine:** it could not be stored (${why}).`;
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

/**
 * Whether nothing but its lease shows that a session was carried out: it pushed to the branch of a pull request, or
 * gave a patch for one, and could not make its comment. The lease stays then, or the same command, delivered again,
 * would do the work again.
 */
export function isOnlyTrace({ session, thread }: Identity, { effects }: State): boolean {
  const isDone = (effect: string): boolean => effects[`${session}/${effect}`]?.status === "done";
  const isCarriedOut =
    (thread?.kind === "pull-request" && isDone("branch")) || (thread?.kind === "fork" && isDone("patch"));
  return isCarriedOut && !isDone("comment");
}

/** A lease that stays behind only costs the next reader a look at a run that is gone. */
async function releaseLeases({ means, identity, hold, journal }: Work): Promise<void> {
  if (isOnlyTrace(identity, journal.state)) return;
  try {
    const signal = AbortSignal.timeout(10_000);
    await means.leases.release(identity.session, { from: 1, to: hold.gen, signal });
  } catch (error) {
    means.say(`The leases of ${identity.session} could not be removed: ${String(error)}`);
  }
}

function isResumable({ kind }: Ended): boolean {
  return kind !== "ended";
}

function kindOf(ended: Ended): OutcomeKind {
  switch (ended.kind) {
    case "ended":
      return ended.outcome;
    case "suspended":
    case "gate-failed":
      return ended.kind;
    case "waits":
      return "needs-input";
  }
}

/** `kept`: something of the session is off this machine, or `post` still tries to store it. */
function outcomeOf(
  { identity, journal }: Work,
  ended: Ended,
  { report, kept }: { readonly report: string; readonly kept: boolean },
): Outcome {
  return outcome(kindOf(ended), ended.reason, ended.detail, {
    resumable: kept && isResumable(ended),
    waits: ended.kind === "waits" ? ended.waits : null,
    session: identity.session,
    pullRequest: ended.pullRequest ?? null,
    branch: ended.branch ?? null,
    baseSha: identity.baseSha,
    headSha: ended.headSha ?? null,
    compareUrl: ended.compareUrl ?? null,
    patch: ended.patch ?? null,
    turns: journal.state.turn.number,
    costUsd: journal.state.costUsd,
    report,
  });
}
