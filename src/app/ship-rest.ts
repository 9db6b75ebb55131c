import type { Host } from "../delivery/host.ts";
import { markerOf, readRunsMarker, runsMarkerOf } from "../delivery/marker.ts";
import { type Stopped, statusComment } from "../delivery/status-comment.ts";
import type { Waiting } from "../delivery/waiting.ts";
import { stateOf } from "../session/checkpoint.ts";
import type { SessionFiles } from "../session/files.ts";
import type { SessionId } from "../session/id.ts";
import type { Snapshot } from "../session/open-journal.ts";
import { lastEvent } from "../session/reader.ts";
import { lastTree, type Sent, type Shipping, sendShipment } from "../session/ship.ts";
import type { SealKey } from "../session/shipment.ts";
import type { State } from "../session/state.ts";
import { type VerifiedLog, verifyLog } from "../session/verify.ts";
import { askedAt } from "./asked.ts";
import { allIsKept, gateFailedReason } from "./outcome.ts";

export type Rest =
  /** There is nothing to ship: no log, or a session that ended and was shipped by its own run. */
  | { readonly kind: "nothing"; readonly why: string }
  | { readonly kind: "shipped"; readonly log: VerifiedLog; readonly state: State; readonly sent: Sent };

type RestOptions = {
  /** Whether `main` told its end: it shipped a session that ended then, too. */
  readonly told?: boolean;
  /** The run whose records these are to be: what it did not come to claim is not its to ship. Unless given, any. */
  readonly claimant?: { readonly id: string; readonly attempt: number };
};

type Left = {
  readonly kind: "left";
  readonly log: VerifiedLog;
  readonly state: State;
  readonly whole: Snapshot;
};

/** What `main` left to be shipped. A log that does not verify is not shipped over a good one. */
export async function readRest(
  files: SessionFiles,
  { told, claimant }: RestOptions,
): Promise<Left | Extract<Rest, { kind: "nothing" }>> {
  const read = await files.read();
  const checked = verifyLog(read, { witnessed: [] });
  if (checked.kind === "damage") return { kind: "nothing", why: `${checked.code}: ${checked.why}` };
  const { log } = checked;
  const state = await stateOf(log, files);
  if (state.status === "ended" && told === true) return { kind: "nothing", why: "the session ended" };
  // Without its task a session has not begun, and nobody could resume it: whoever gave the command gives it again.
  if (state.inputs.length === 0) return { kind: "nothing", why: "the task was not recorded" };
  if (!isClaimedBy(claimant, log)) return { kind: "nothing", why: "this run recorded nothing" };
  const whole = {
    manifest: read.manifest ?? new Uint8Array(),
    log: read.log.subarray(0, log.length),
    head: log.tail,
  };
  return { kind: "left", log, state, whole };
}

/** Ships what `main` left, complete, so that a resume downloads one file. It never appends. */
export async function shipRest(
  files: SessionFiles,
  options: RestOptions & {
    readonly shipping: (log: VerifiedLog) => Shipping;
    readonly signal: AbortSignal;
  },
): Promise<Rest> {
  const left = await readRest(files, options);
  if (left.kind === "nothing") return left;
  const { log, state, whole } = left;
  const { signal } = options;
  const sent = await sendRest(whole, state, { files, shipping: options.shipping(log), signal });
  return { kind: "shipped", log, state, sent };
}

function isClaimedBy(
  claimant: { readonly id: string; readonly attempt: number } | undefined,
  log: VerifiedLog,
): boolean {
  if (claimant === undefined) return true;
  const run = lastEvent(log.bytes, "run.claimed")?.run;
  return run?.id === claimant.id && run.attempt === claimant.attempt;
}

/**
 * Its number is above every one that `main` can have used, told in the log or not: each shipment leaves a record, and
 * so does each claim. What is too large as a whole goes as the range since the last shipment that the log tells of.
 */
async function sendRest(
  whole: Snapshot,
  { shipped }: State,
  options: Parameters<typeof sendShipment>[3],
): Promise<Sent> {
  const number = whole.head.seq + 1;
  const complete = await sendShipment(whole, null, number, options);
  const isTooLarge = complete.kind === "failed" && complete.tries === 0;
  if (!isTooLarge || shipped === null) return complete;
  const tree = lastTree(whole.log, shipped.to);
  return sendShipment(whole, { ...shipped, tree }, number, options);
}

/** How a run ended that could not tell its own comment. */
export type Untold = { readonly outcome: string; readonly reason: string; readonly detail: string };

/** How much of a session is off its machine. */
export type Saved = "whole" | "part" | "nothing";

export function savedBy({ sent, state }: Extract<Rest, { kind: "shipped" }>): Saved {
  if (sent.kind === "sent") return "whole";
  return state.shipped === null ? "nothing" : "part";
}

/** The last words in the status comment of a run that could not say them itself; `untold` is null where it died. */
export async function finishComment(
  { log, state, saved }: { readonly log: VerifiedLog; readonly state: State; readonly saved: Saved },
  options: {
    readonly host: Host;
    readonly key: SealKey;
    readonly triggerPhrase: string;
    readonly runUrl: string | null;
    readonly untold: Untold | null;
  },
): Promise<void> {
  const { session, thread } = log.manifest.identity;
  if (thread === null) return;
  const marker = markerOf(options.key, session, "comment");
  const [ours] = await options.host.comment.find(thread.number, marker);
  if (ours !== undefined && isFollowed(state.runs, readRunsMarker(options.key, session, ours.body))) return;
  const pullRequest = pullRequestOf(state, session);
  const stopped =
    endedBy(log, state, pullRequest) ??
    haltedBy(log, state, saved) ??
    waitingBy(log, state, saved) ??
    stoppedBy(options.untold, saved);
  const body = statusComment({
    session,
    triggerPhrase: options.triggerPhrase,
    markers: [marker, runsMarkerOf(options.key, session, state.runs)],
    doing: "stopped",
    plan: state.plan,
    turns: state.turn.number,
    activeMs: state.activeMs,
    costUsd: state.costUsd,
    runUrl: options.runUrl,
    pullRequest,
    evidence: [],
    notes: [],
    sandboxOff: false,
    stopped,
  });
  // A run that was cancelled at once never came to its comment; it has ended, so nobody else makes one now.
  if (ours === undefined) await options.host.comment.create(thread.number, body);
  else await options.host.comment.update(ours.id, body);
}

const keptWords: Readonly<Record<Saved, string>> = {
  whole: allIsKept,
  part: "What it did last could not be stored; a resume goes on from what was stored before.",
  nothing: "What it did could not be stored.",
};

/**
 * Whether a later run has told of itself in the comment. Where that run ended the session no lease is left to say so,
 * and the comment of a session that is done must not become that of a run that died.
 */
function isFollowed(own: readonly string[], told: readonly string[] | null): boolean {
  const last = own.at(-1);
  if (last === undefined || told === null) return false;
  return told.includes(last) && told.at(-1) !== last;
}

function stoppedBy(untold: Untold | null, saved: Saved): Stopped {
  const died = { outcome: "suspended", reason: "died", detail: "The run died." };
  const { outcome, reason, detail } = untold ?? died;
  const kept = keptWords[saved];
  const said = detail.replace(allIsKept, "").trim();
  return { outcome, reason, detail: `${said} ${kept}`, resumable: saved !== "nothing", compareUrl: null };
}

type PullRequest = { readonly number: number; readonly url: string };

/** The end that the log holds, when the session came to one: whatever became of the run after it, that is what counts. */
function endedBy(log: VerifiedLog, state: State, pullRequest: PullRequest | null): Stopped | null {
  const end = state.status === "ended" ? lastEvent(log.bytes, "session.ended") : null;
  if (end === null) return null;
  const detail =
    pullRequest === null
      ? "The session ended, and its run died before it could say more."
      : `Pull request #${pullRequest.number} is open; the checks ran on exactly its tree.`;
  const { outcome, reason } = end;
  return { outcome, reason, detail, resumable: false, compareUrl: null };
}

/** The gate's end, likewise. */
function haltedBy(log: VerifiedLog, { status }: State, saved: Saved): Stopped | null {
  const end = status === "suspended" ? lastEvent(log.bytes, "run.suspended") : null;
  if (end?.reason !== gateFailedReason) return null;
  const detail =
    saved === "whole" ? end.detail : `${end.detail.replace(allIsKept, "").trim()} ${keptWords[saved]}`;
  return {
    outcome: "gate-failed",
    reason: "checks",
    detail,
    resumable: saved !== "nothing",
    compareUrl: null,
  };
}

/** A session that came to wait for people does so, whatever became of its run after that. */
function waitingBy(log: VerifiedLog, { status, effects }: State, saved: Saved): Stopped | null {
  const end = status === "suspended" ? lastEvent(log.bytes, "run.suspended") : null;
  if (end === null || (end.reason !== "question" && end.reason !== "approval")) return null;
  const { reason, detail } = end;
  const { session, thread } = log.manifest.identity;
  const url = askedAt(effects, session, reason);
  const waiting: Waiting =
    reason === "question" ? { kind: reason, question: detail } : { kind: reason, calls: [] };
  // Without the comment the calls are shown by the resume that this one is told to go on with.
  const waits =
    url === null && reason === "approval" ? null : { waiting, thread: thread?.number ?? null, url };
  const resumable = saved !== "nothing";
  return { outcome: "needs-input", reason, detail, resumable, compareUrl: null, waits };
}

function pullRequestOf(state: State, session: SessionId): PullRequest | null {
  const effect = state.effects[`${session}/pull-request`];
  if (effect?.status !== "done" || effect.url === null) return null;
  return { number: Number(effect.detail), url: effect.url };
}
