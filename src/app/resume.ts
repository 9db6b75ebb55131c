import { markerOf } from "../delivery/marker.ts";
import { waitingLine } from "../delivery/waiting.ts";
import { exhausted, spentOf } from "../loop/budget.ts";
import { lastCheckpoint, stateFrom } from "../session/checkpoint.ts";
import { whyBusy } from "../session/claim.ts";
import { type Find, findSession } from "../session/find.ts";
import { judgeFreshness } from "../session/fresh.ts";
import type { SessionId } from "../session/id.ts";
import type { Lease } from "../session/leases.ts";
import { lastEvent, recordsFrom } from "../session/reader.ts";
import { refuseCrashLoop, refuseEnded, refuseOther } from "../session/recover.ts";
import type { State } from "../session/state.ts";
import { type VerifiedLog, verifyLog } from "../session/verify.ts";
import { isOnlyTrace } from "./end-work.ts";
import { leftToRun } from "./left-to-run.ts";
import type { Means } from "./means.ts";
import { budgetInput, gateFailedReason, type Outcome, outcome } from "./outcome.ts";
import { protocol, toolsDigest } from "./protocol.ts";
import { blobsOf, budgetOf, type Proved } from "./proved.ts";
import { answersTo, isTaken, type Said } from "./said.ts";
import { finishComment } from "./ship-rest.ts";
import { takeOver } from "./take-over.ts";
import { waitsFor } from "./waiting.ts";

/** `runs` are those known to have stored shipments, besides the ones that the leases name. */
export type Reference = { readonly session: SessionId; readonly runs: readonly string[] };

/**
 * Continues a session that another run left, in the order of session.md, section 7; the first check that fails ends
 * it with its code. This is checks 2 to 7, all of them in memory: nothing is written anywhere, and the model is asked
 * nothing.
 */
export async function resume(
  { session, runs: named }: Reference,
  by: { readonly login: string },
  means: Means,
  options: { readonly signal: AbortSignal; readonly said?: Said | null },
): Promise<Outcome> {
  const { signal, said = null } = options;
  if (means.orders.modelMissing !== null)
    return outcome("refused", "not-configured", means.orders.modelMissing);
  const holders = await means.leases.holders(session, { signal });
  const runs = [...new Set([...holders.map((lease) => lease.run.id), ...named])];
  const none = `no run holds the session ${session} in this repository: it has ended, or it never began. Start anew, or name the run that stored it, as ${session}@<run id>`;
  if (runs.length === 0) return outcome("refused", "not-found", none, { session });
  const find = await findSession(session, {
    ...{ ...means, runs, claims: holders, signal },
    repositoryId: means.repository.id,
  });
  if (find.kind === "refused") return notFound(find, { session, holders, said }, means, signal);
  const found = find.session;
  const fresh = judgeFreshness({ log: found.log, to: found.last.to }, holders);
  if (fresh !== null) return outcome("refused", fresh.code, `${fresh.why}. ${spoiled}`, { session });
  const checked = verifyLog(found, { witnessed: witnessedBy(holders) });
  if (checked.kind === "damage")
    return outcome("refused", checked.code, `${checked.why}. ${spoiled}`, { session });
  const { log } = checked;
  // The header is under the seal as well: it has witnessed the last record that it names.
  if (log.tail.seq !== found.last.to) {
    const why = `the log ends at record ${log.tail.seq}, and its shipment says that it ends at ${found.last.to}`;
    return outcome("refused", "behind", `${why}. ${spoiled}`, { session });
  }
  const checkpoint = await lastCheckpoint(log, { blobs: blobsOf(found) });
  const state = stateFrom(checkpoint, log);
  const since = [...recordsFrom(log.bytes, checkpoint.offset)].map(({ record }) => record.event);
  const heard = isSaidAgain(said, { log, state }, means) ? null : said;
  const proved: Proved = { found, log, state, since, holders, runs, by: by.login, said: heard };
  return (await refuse(proved, means, signal)) ?? (await takeOver(proved, means, { signal }));
}

/** Whether this is one more attempt of the very job that had the session last, and had it take in what was said. */
function isSaidAgain(
  said: Said | null,
  { log, state }: Pick<Proved, "log" | "state">,
  { run }: Means,
): boolean {
  if (said === null || state.status === "ended" || !state.inputs.includes(said.input)) return false;
  return lastEvent(log.bytes, "run.claimed")?.run.id === run.id;
}

const spoiled = "Nothing was continued from it; start anew with a new command";

function witnessedBy(holders: readonly Lease[]) {
  return holders.flatMap((lease) => (lease.head === null ? [] : [lease.head]));
}

/** A run that has the session and stored nothing yet is no reason to give it up. */
async function notFound(
  { code, why }: Extract<Find, { kind: "refused" }>,
  about: {
    readonly session: SessionId;
    readonly holders: readonly Lease[];
    readonly said: Said | null;
  },
  means: Means,
  signal: AbortSignal,
): Promise<Outcome> {
  const { session, holders } = about;
  // Under the right key it is still there, and the sentence says which.
  if (code === "other-key") return outcome("refused", code, why, { session });
  if (code !== "not-found") return outcome("refused", code, `${why}. ${spoiled}`, { session });
  const busy = await whyBusy(holders.at(-1), { ...means, takeOver: means.orders.takeOver, signal });
  if (busy !== null)
    return (
      (await leftToRun({ ...about, state: { status: "open", since: null } }, means, signal)) ??
      outcome("refused", "busy", busy, { session, resumable: true })
    );
  const anew =
    holders.length === 0
      ? "Look up the run that stored it, or start anew with a new command"
      : "Nothing of it was done: give the command again, or re-run the job that the command started";
  return outcome("refused", code, `${why}. ${anew}`, { session });
}

/** Checks 6 and 7. */
async function refuse(proved: Proved, means: Means, signal: AbortSignal): Promise<Outcome | null> {
  const { log, state, holders, said, by } = proved;
  const { identity } = log.manifest;
  const { session, baseSha } = identity;
  const known = { session, baseSha, turns: state.turn.number, costUsd: state.costUsd };
  if (said !== null && isTaken(said, state))
    return outcome("ignored", "taken", `Session ${session} has taken this in, or began after it.`, known);
  const { provider, model, modelGiven } = means.orders;
  const other = refuseOther(
    { identity, inputs: state.inputs, model: state.model },
    { provider, model, modelGiven, protocol, tools: toolsDigest(means) },
  );
  if (other !== null) return outcome("refused", other.code, other.why, known);
  const ended = refuseEnded(state);
  if (ended !== null) {
    await tidyEnded({ log, state, holders }, means, signal);
    return outcome("refused", ended.code, ended.why, known);
  }
  const gen = Math.max(holders.at(-1)?.gen ?? 0, state.gen) + 1;
  const answers = answersTo(state, said, { gen, by });
  if (answers.kind === "refused")
    return outcome("refused", answers.code, answers.why, { ...known, resumable: true });
  const waits = said === null ? await waitsFor(proved, gen) : null;
  if (waits !== null) {
    await nameWaiting({ log, state }, means);
    return outcome("needs-input", waits.waiting.kind, waitingLine(waits.waiting), {
      ...{ ...known, resumable: true, waits },
    });
  }
  if (said === null && isStopped(state))
    return outcome("gate-failed", "no-words", sayMore(identity.session, means), {
      ...known,
      resumable: true,
    });
  const spent = spentOf(state, 0);
  // A turn that began within the budget may end.
  const begun = state.turn.phase === "idle" ? 0 : 1;
  const over = exhausted(budgetOf(state, means), { ...spent, turns: spent.turns - begun });
  if (over !== null) {
    const why = `the budget of ${over} is used up; raise it with the input ${budgetInput(over)}, then resume`;
    return outcome("refused", "exhausted", why, { ...known, resumable: true });
  }
  const loop = refuseCrashLoop(state, gen);
  return loop === null ? null : outcome("refused", loop.code, loop.why, known);
}

/** Whether the gate let nothing through to the last round: the same again would come to the same end. */
function isStopped({ status, reason }: State): boolean {
  return status === "suspended" && reason === gateFailedReason;
}

function sayMore(session: SessionId, { orders }: Means): string {
  return `The session ${session} stopped after the last round of its checks, so it goes on only with words: say after ${orders.triggerPhrase} in a comment, or as the answer of a dispatch, what it is to do differently.`;
}

/** A run that died right after the end may have left the comment as it was, and its lease. */
async function tidyEnded(
  ended: { readonly log: VerifiedLog; readonly state: State; readonly holders: readonly Lease[] },
  means: Means,
  signal: AbortSignal,
): Promise<void> {
  const { log, state, holders } = ended;
  const newest = holders.at(-1);
  if (newest === undefined || (await whyBusy(newest, { ...means, takeOver: null, signal })) !== null) return;
  await tellEnd({ log, state }, means);
  if (isOnlyTrace(log.manifest.identity, state)) return;
  await means.leases.release(newest.session, { from: 1, to: newest.gen, signal });
}

/** An answer on the thread is for the session that a comment of ours names there, which the run may not have made. */
async function nameWaiting(waiting: Told, means: Means): Promise<void> {
  const { session, thread } = waiting.log.manifest.identity;
  if (thread === null) return;
  const marker = markerOf(means.key, session, "comment");
  const found = await means.host.comment.find(thread.number, marker);
  if (found.length === 0) await tellEnd(waiting, means);
}

type Told = { readonly log: VerifiedLog; readonly state: State };

function tellEnd({ log, state }: Told, { host, key, run, orders }: Means): Promise<void> {
  const { triggerPhrase } = orders;
  return finishComment(
    { log, state, saved: "whole" },
    { host, key, triggerPhrase, runUrl: run.url, untold: null },
  );
}
