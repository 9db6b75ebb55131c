import { exhausted, spentOf } from "../loop/budget.ts";
import { openStory } from "../loop/story.ts";
import { claimSession, type Hold, whyBusy } from "../session/claim.ts";
import type { Budget, Identity, RunRef } from "../session/event.ts";
import { type Find, type FoundSession, findSession, unpackSession } from "../session/find.ts";
import type { SessionId } from "../session/id.ts";
import type { Lease } from "../session/leases.ts";
import { openJournal, stateOf } from "../session/open-journal.ts";
import { recoverCalls, refuseResume } from "../session/recover.ts";
import type { Shipped } from "../session/ship.ts";
import { openIntent, type State } from "../session/state.ts";
import { type VerifiedLog, verifyLog } from "../session/verify.ts";
import type { PinTarget, Workspace } from "../workspace/workspace.ts";
import type { Ground, Means } from "./means.ts";
import { whyMoved } from "./moved.ts";
import { carryOn, unleasedNote } from "./open-work.ts";
import { budgetInput, type Outcome, outcome } from "./outcome.ts";
import { protocol, toolsDigest } from "./protocol.ts";
import { configOf } from "./read-config.ts";
import { settleEffects } from "./settle-effects.ts";
import { finishComment } from "./ship-rest.ts";

/** `runs` are those known to have stored shipments, besides the ones that the leases name. */
type Reference = { readonly session: SessionId; readonly runs: readonly string[] };

/**
 * Continues a session that another run left, in the order of session.md, section 7; the first check that fails ends
 * it with its code. Up to the claim nothing is written anywhere, and the model is asked nothing.
 */
export async function resume(
  { session, runs: named }: Reference,
  by: { readonly login: string },
  means: Means,
  { signal }: { readonly signal: AbortSignal },
): Promise<Outcome> {
  if (means.orders.modelMissing !== null)
    return outcome("refused", "not-configured", means.orders.modelMissing);
  const holders = await means.leases.holders(session, { signal });
  const runs = [...new Set([...holders.map((lease) => lease.run.id), ...named])];
  const none = `no run holds the session ${session} in this repository: it has ended, or it never began. Start anew, or name the run that stored it, as ${session}@<run id>`;
  if (runs.length === 0) return outcome("refused", "not-found", none, { session });
  const found = await findSession(session, { ...means, runs, repositoryId: means.repository.id, signal });
  if (found.kind === "refused") return notFound(found, { session, holders }, means, signal);
  const witnessed = holders.flatMap((lease) => (lease.head === null ? [] : [lease.head]));
  const checked = verifyLog(found.session, { witnessed });
  if (checked.kind === "damage")
    return outcome("refused", checked.code, `${checked.why}. ${spoiled}`, { session });
  const taken = await means.ground(session);
  if (taken.kind === "refused") return outcome("refused", taken.code, taken.why, { session });
  await using ground = taken.ground;
  const last = await unpackSession(found.session, checked.log, ground.files);
  const proved: Proved = { found: found.session, log: checked.log, last, holders, runs, by: by.login };
  return await takeOver(proved, { means, ground }, { signal });
}

const spoiled = "Nothing was continued from it; start anew with a new command";

/** A run that has the session and stored nothing yet is no reason to give it up. */
async function notFound(
  { code, why }: Extract<Find, { kind: "refused" }>,
  { session, holders }: { readonly session: SessionId; readonly holders: readonly Lease[] },
  means: Means,
  signal: AbortSignal,
): Promise<Outcome> {
  // Under the right key it is still there, and the sentence says which.
  if (code === "other-key") return outcome("refused", code, why, { session });
  if (code !== "not-found") return outcome("refused", code, `${why}. ${spoiled}`, { session });
  const busy = await whyBusy(holders.at(-1), { leases: means.leases, run: means.run, signal });
  if (busy !== null) return outcome("refused", "busy", busy, { session, resumable: true });
  const anew =
    holders.length === 0
      ? "Look up the run that stored it, or start anew with a new command"
      : "Nothing of it was done: give the command again, or re-run the job that the command started";
  return outcome("refused", code, `${why}. ${anew}`, { session });
}

type Proved = {
  readonly found: FoundSession;
  readonly log: VerifiedLog;
  readonly last: Shipped;
  readonly holders: readonly Lease[];
  readonly runs: readonly string[];
  readonly by: string;
};

async function takeOver(
  proved: Proved,
  { means, ground }: { readonly means: Means; readonly ground: Ground },
  { signal }: { readonly signal: AbortSignal },
): Promise<Outcome> {
  const { log, holders, found } = proved;
  const state = await stateOf(log, ground.files);
  const { identity } = log.manifest;
  const { session, baseSha } = identity;
  const known = { session, baseSha, turns: state.turn.number, costUsd: state.costUsd };
  const { provider, model } = means.orders;
  const gen = Math.max(holders.at(-1)?.gen ?? 0, state.gen) + 1;
  const refusal = refuseResume(state, { provider, model, protocol, tools: toolsDigest(means), gen });
  if (refusal?.code === "ended") await tidyEnded({ log, state, holders }, means, signal);
  if (refusal !== null) return outcome("refused", refusal.code, refusal.why, known);
  const budget: Budget = {
    ...(state.budget ?? { turns: 0, minutes: 0, tokens: null, costUsd: null }),
    ...means.orders.budget,
  };
  const over = exhausted(budget, spentOf(state, 0));
  if (over !== null) {
    const why = `the budget of ${over} is used up; raise it with the input ${budgetInput(over)}, then resume`;
    return outcome("refused", "exhausted", why, { ...known, resumable: true });
  }
  const claim = await claimSession(session, {
    leases: means.leases,
    holders,
    run: refOf(means.run),
    head: log.tail,
    genReached: log.manifest.gen,
    signal,
  });
  if (claim.kind === "refused")
    return outcome("refused", claim.code, claim.why, { ...known, resumable: true });
  const giveBack = async (code: string, why: string): Promise<Outcome> => {
    await means.leases.release(session, { from: claim.gen, signal });
    return outcome("refused", code, why, { ...known, resumable: true });
  };
  if (await hasMore(proved, identity, means, signal))
    return giveBack("busy", `the run before was still storing ${session}; resume it again`);
  const moved = await whyMoved(identity, state, means.host);
  if (moved !== null) return giveBack("moved", moved);
  const pinned = await ground.pin(pinTargetOf(identity), { signal });
  if (pinned.kind === "refused") return giveBack(pinned.code, pinned.why);
  const { workspace } = pinned;
  const missing = await takeObjects(found, state, workspace);
  if (missing !== null) return giveBack("objects", missing);
  const config = await configOf(workspace, {
    ...means.orders,
    path: means.orders.configPath,
    parseYaml: means.parseYaml,
  });
  if (config.kind === "refused") return giveBack(config.code, config.why);
  const place = { means, ground, workspace, config: config.config, identity };
  return continueLog({ ...proved, state, hold: claim, unleased: claim.why }, place, { budget, signal });
}

/** A run that died right after the end may have left the comment as it was, and its lease. */
async function tidyEnded(
  ended: { readonly log: VerifiedLog; readonly state: State; readonly holders: readonly Lease[] },
  means: Means,
  signal: AbortSignal,
): Promise<void> {
  const { log, state, holders } = ended;
  const newest = holders.at(-1);
  if (newest === undefined || (await whyBusy(newest, { ...means, signal })) !== null) return;
  const { triggerPhrase } = means.orders;
  const { host, key, run } = means;
  await finishComment(
    { log, state, saved: true },
    { host, key, triggerPhrase, runUrl: run.url, untold: null },
  );
  await means.leases.release(newest.session, { from: 1, signal });
}

type Place = {
  readonly means: Means;
  readonly ground: Ground;
  readonly workspace: Workspace;
  readonly config: Parameters<typeof carryOn>[0]["config"];
  readonly identity: Identity;
};

/** The one append of a resume: the claim, the settlements, the facts the model has to know. */
async function continueLog(
  proved: Proved & { readonly state: State; readonly hold: Hold; readonly unleased: string | null },
  place: Place,
  { budget, signal }: { readonly budget: Budget; readonly signal: AbortSignal },
): Promise<Outcome> {
  const { log, last, hold, state, by } = proved;
  const { gen } = hold;
  const { means, ground, identity } = place;
  const { clock, mask, orders } = means;
  const options = { files: ground.files, clock, mask, durability: orders.durability, gen };
  const journal = await openJournal(log, options);
  const story = await openStory(journal);
  await story.append({ type: "run.claimed", gen, run: refOf(means.run), head: log.tail });
  const doubt = await settleEffects(journal, identity, means);
  const settled = await recoverCalls({ journal, append: story.append });
  const text = resumedText(state, { by, rolledBack: settled.length > 0 });
  await story.append({ type: "note.added", about: "resumed", text: await journal.store(text) });
  means.say(`${identity.session}: continued from record ${log.tail.seq} as generation ${gen}`);
  const notes = [
    ...unleasedNote(proved.unleased),
    ...doubt,
    ...proved.found.reported.map((item) => `Passed over: ${item}.`),
  ];
  const runs = [...new Set([...proved.runs, means.run.id])];
  return carryOn({ ...place, hold, journal, story }, { budget, last, runs, notes, signal });
}

function resumedText(
  state: State,
  { by, rolledBack }: { readonly by: string; readonly rolledBack: boolean },
): string {
  const open = openIntent(state);
  const parts = [
    `The work goes on in a new run on a new machine, asked for by ${by}.`,
    "The files are as they were after the last finished call; files that git ignores were rebuilt by setup.",
    rolledBack ? "The call that was interrupted was undone." : "",
    open === null || rolledBack ? "" : "What was under way when the run before stopped is done again.",
  ];
  return parts.filter((part) => part !== "").join(" ");
}

/** The run before may have stored more between our look and our claim; the claim ends that, so one more look suffices. */
async function hasMore(
  proved: Proved,
  { session }: Identity,
  means: Means,
  signal: AbortSignal,
): Promise<boolean> {
  const again = await findSession(session, {
    ...means,
    runs: proved.runs,
    repositoryId: means.repository.id,
    signal,
  });
  return again.kind !== "found" || again.session.last.digest !== proved.last.digest;
}

async function takeObjects(found: FoundSession, state: State, workspace: Workspace): Promise<string | null> {
  for (const pack of found.packs) await workspace.objects.unpack(pack);
  for (const tree of [state.setupTree, state.tree]) {
    if (tree !== null && !(await workspace.objects.has(tree)))
      return `the shipments do not hold the whole tree ${tree}`;
  }
  return null;
}

function pinTargetOf(identity: Identity): PinTarget {
  const { baseSha, configSha, baseRef, thread } = identity;
  if (thread === null || thread.kind === "issue")
    return { kind: "branch", branch: baseRef, baseSha, configSha };
  return { kind: "pull-request", number: thread.number, headSha: baseSha, baseRef, configSha };
}

function refOf({ id, attempt, job }: RunRef): RunRef {
  return { id, attempt, job };
}
