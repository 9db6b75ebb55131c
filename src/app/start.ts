import type { Authorised } from "../command/authorise.ts";
import { picturedRequest, picturedThread, taskText } from "../command/task.ts";
import { branchName } from "../delivery/branch.ts";
import { markerOf } from "../delivery/marker.ts";
import type { Config } from "../gate/config.ts";
import { budgetFor } from "../loop/budget.ts";
import { acceptInput } from "../loop/input.ts";
import { systemPrompt } from "../loop/prompt.ts";
import { openStory } from "../loop/story.ts";
import { claimSession } from "../session/claim.ts";
import type { Budget, Identity } from "../session/event.ts";
import { findSession } from "../session/find.ts";
import type { SessionId } from "../session/id.ts";
import type { Lease } from "../session/leases.ts";
import { createJournal } from "../session/open-journal.ts";
import { refuseBeginning } from "../session/recover.ts";
import type { PinTarget, Workspace } from "../workspace/workspace.ts";
import { sessionsOf } from "./answer.ts";
import type { Ground, Means } from "./means.ts";
import { carryOn, unleasedNote } from "./open-work.ts";
import { type Outcome, outcome } from "./outcome.ts";
import { noneHeld, picturesFor, removedNote } from "./pictured.ts";
import { protocol, toolsDigest } from "./protocol.ts";
import { drawBoundary } from "./quote.ts";
import { configOf, instructionsOf } from "./read-config.ts";
import { resume } from "./resume.ts";
import { inputIdOf } from "./said.ts";

/** A command starts a session; one that the same trigger started before is resumed instead. */
export async function start(
  asked: Authorised,
  means: Means,
  { signal }: { readonly signal: AbortSignal },
): Promise<Outcome> {
  const { session } = asked.trigger;
  if (means.orders.modelMissing !== null)
    return outcome("refused", "not-configured", means.orders.modelMissing);
  // Looking back and fetching know nothing of each other, and nearly always both are needed.
  const looking = lookBack(asked, means, signal);
  looking.catch(() => undefined);
  const ended = await prepare(asked, means, { signal, looking });
  if (ended !== null) return ended;
  // Of a run that died while it gave back the leases, the oldest first, they name no longer all that stored something.
  const runs = await runsToldOf(asked, means);
  return resume({ session, runs }, asked.by, means, { signal });
}

/** The runs that the session's comment names as having stored it. */
async function runsToldOf({ thread, trigger }: Authorised, means: Means): Promise<readonly string[]> {
  const here = thread === null ? [] : await sessionsOf(thread.number, means);
  return here.find((one) => one.session === trigger.session)?.runs ?? [];
}

/** Null where the session is to be resumed; its place on this machine is free again by then. */
async function prepare(
  asked: Authorised,
  means: Means,
  { signal, looking }: { readonly signal: AbortSignal; readonly looking: Promise<Past> },
): Promise<Outcome | null> {
  const { session } = asked.trigger;
  const taken = await means.ground(session);
  await using ground = taken.kind === "taken" ? taken.ground : null;
  const pinned = (await ground?.pin(pinTargetOf(asked, means), { signal })) ?? null;
  const past = await looking;
  if (past.kind === "held") return null;
  if (past.kind === "ended") return past.outcome;
  if (means.orders.resolve !== null) return outcome("refused", "no-doubt", nothingInDoubt, { session });
  if (taken.kind === "refused") return outcome("refused", taken.code, taken.why, { session });
  if (pinned?.kind === "refused") return outcome("refused", pinned.code, pinned.why, { session });
  if (ground === null || pinned === null) throw new Error(`nothing was pinned for ${session}`);
  const { holders } = past;
  const loop = refuseBeginning(holders.length);
  if (loop !== null) return outcome("refused", loop.code, loop.why, { session });
  return await begin(asked, { means, ground, workspace: pinned.workspace, holders }, { signal });
}

const nothingInDoubt =
  "resolve says what became of a call of a session that is resumed, and this command begins one. Leave it empty.";

/** What other runs did of the same session: nothing, something that can be resumed, or all of it. */
type Past =
  | { readonly kind: "nothing"; readonly holders: readonly Lease[] }
  | { readonly kind: "held" }
  | { readonly kind: "ended"; readonly outcome: Outcome };

async function lookBack(asked: Authorised, means: Means, signal: AbortSignal): Promise<Past> {
  const { session } = asked.trigger;
  const [holders, ended] = await Promise.all([
    means.leases.holders(session, { signal }),
    endedBefore(asked, means),
  ]);
  if (holders.length > 0) {
    if (!(await keptNothing(session, holders, means, signal))) return { kind: "held" };
    // Only a lease that goes on from a record is left, and not the one of who wrote it: the session ended in between.
    const wentOn = holders.some(({ head }) => head !== null);
    if (!wentOn && (ended === null || !(await keptElsewhere(asked, means, signal))))
      return { kind: "nothing", holders };
    return ended === null ? { kind: "held" } : { kind: "ended", outcome: ended };
  }
  return ended === null ? { kind: "nothing", holders } : { kind: "ended", outcome: ended };
}

/**
 * Whether the runs that held the session stored nothing: no call is executed before the first shipment, so nothing
 * was done, and the session begins anew under the next generation. Where nothing can be stored at all, calls did run,
 * on a machine that is gone; effects are looked up before they are made, so beginning anew repeats none of them.
 */
async function keptNothing(
  session: SessionId,
  holders: readonly Lease[],
  means: Means,
  signal: AbortSignal,
): Promise<boolean> {
  const runs = [...new Set(holders.map(({ run }) => run.id))];
  return storedNothing(session, { runs, claims: holders }, means, signal);
}

/** Whether runs stored it that no lease names any more, but the session's comment does: it was carried to its end. */
async function keptElsewhere(asked: Authorised, means: Means, signal: AbortSignal): Promise<boolean> {
  const { session } = asked.trigger;
  const runs = await runsToldOf(asked, means);
  return runs.length > 0 && !(await storedNothing(session, { runs, claims: [] }, means, signal));
}

async function storedNothing(
  session: SessionId,
  by: { readonly runs: readonly string[]; readonly claims: readonly Lease[] },
  means: Means,
  signal: AbortSignal,
): Promise<boolean> {
  const found = await findSession(session, {
    ...{ ...means, ...by, signal },
    repositoryId: means.repository.id,
  });
  return found.kind === "refused" && found.code === "not-found";
}

/**
 * What a session made outlives its lease: its comment, which could not be made everywhere, and its branch. A command
 * that is delivered again must not do the work again.
 */
async function endedBefore(asked: Authorised, means: Means): Promise<Outcome | null> {
  const { session } = asked.trigger;
  const { thread } = asked;
  const { host, key } = means;
  const [branch, comments] = await Promise.all([
    host.branch.find(branchName(thread, session)),
    thread === null ? [] : host.comment.find(thread.number, markerOf(key, session, "comment")),
  ]);
  if (branch === null && comments.length === 0) return null;
  return outcome("ignored", "done-before", `This command was carried out before, as session ${session}.`, {
    session,
  });
}

function pinTargetOf(asked: Authorised, means: Means): PinTarget {
  const { thread, headSha } = asked;
  if (thread?.kind === "pull-request" && thread.base !== null && headSha !== null) {
    const { number, base } = thread;
    return { kind: "pull-request", number, headSha, baseRef: base.ref, configSha: null };
  }
  return { kind: "branch", branch: means.repository.defaultBranch, baseSha: null, configSha: null };
}

async function begin(
  asked: Authorised,
  parts: {
    readonly means: Means;
    readonly ground: Ground;
    readonly workspace: Workspace;
    /** Of runs that are over and did nothing, mostly none. */
    readonly holders: readonly Lease[];
  },
  { signal }: { readonly signal: AbortSignal },
): Promise<Outcome> {
  const { means, ground, workspace, holders } = parts;
  const { orders, run, clock, mask, leases } = means;
  const { session } = asked.trigger;
  const known = { session, baseSha: workspace.baseSha };
  const read = await configOf(workspace, { ...orders, path: orders.configPath, parseYaml: means.parseYaml });
  if (read.kind === "refused")
    return outcome("refused", read.code, withGuess(read.why, orders.configPath, read.guess), known);
  const { config } = read;
  const repository = `${means.repository.owner}/${means.repository.name}`;
  const texts = [picturedRequest(asked), picturedThread(asked)];
  const taken = await picturesFor(texts, means, { held: noneHeld, signal });
  const task = taskText(asked, { repository, boundary: () => drawBoundary(means), taken });
  if (task.kind === "refused") return outcome("refused", task.code, task.why, known);
  const claim = await claimSession(session, {
    ...{ leases, holders, run, head: null, genReached: 0, signal },
    takeOver: orders.takeOver,
  });
  if (claim.kind === "refused") return outcome("refused", claim.code, claim.why, known);
  const { gen } = claim;
  let mayBegin = false;
  try {
    const late = await cameLate(asked, means, { holders, signal });
    if (late !== null) return late;
    mayBegin = true;
  } finally {
    // Also where the look got no answer: a lease that is left behind alone would hide that the session has ended.
    if (!mayBegin && claim.leased) await leases.release(session, { from: gen, to: gen, signal });
  }
  const identity = identityOf(asked, means, workspace);
  const budget = budgetOf(means, config);
  const { durability } = orders;
  const journal = createJournal(identity, { files: ground.files, clock, mask, durability, gen });
  const system = await systemFor(identity, config, workspace);
  const story = await openStory(journal);
  await story.append({
    type: "session.opened",
    identity,
    budget,
    system: await journal.store(system, { apart: true }),
  });
  const { id, attempt, job } = run;
  const { since } = means.earshot;
  await story.append({ type: "run.claimed", gen, run: { id, attempt, job }, head: null, since });
  const input = { id: inputIdOf(asked, run.id), by: asked.by.login, text: task.text };
  await acceptInput(story, { ...input, images: taken.pictures });
  const allowable = means.pictures === null && asked.thread !== null;
  const notes = [...asked.notices, ...removedNote(task.removed, { allowable }), ...unleasedNote(claim.why)];
  const options = { budget, last: null, runs: [run.id], notes, signal };
  return carryOn({ means, identity, hold: claim, ground, workspace, config, journal, story }, options);
}

/** What other runs did between our look and our claim, where it leaves nothing to begin; else null. */
async function cameLate(
  asked: Authorised,
  means: Means,
  { holders, signal }: { readonly holders: readonly Lease[]; readonly signal: AbortSignal },
): Promise<Outcome | null> {
  const { session } = asked.trigger;
  // One may have had the session from beginning to end, or the one before may have stored something.
  if (holders.length === 0) return endedBefore(asked, means);
  if (await keptNothing(session, holders, means, signal)) return null;
  return outcome("refused", "lost-race", `The run before was still storing ${session}; resume it.`, {
    session,
  });
}

function identityOf(asked: Authorised, means: Means, workspace: Workspace): Identity {
  const { id, owner, name, defaultBranch } = means.repository;
  const { thread } = asked;
  const fork = thread?.head != null && thread.head.repositoryId !== id;
  const kind = fork ? "fork" : (thread?.kind ?? "issue");
  const branch = fork ? thread.base?.ref : thread?.head?.ref;
  return {
    session: asked.trigger.session,
    repository: { id, owner, name },
    thread: thread === null ? null : { kind, number: thread.number },
    actor: asked.trigger.kind === "schedule" ? null : asked.by,
    baseSha: workspace.baseSha,
    configSha: workspace.configSha,
    baseRef: branch ?? defaultBranch,
    provider: means.orders.provider,
    model: means.orders.model,
    protocol,
    tools: toolsDigest(means),
  };
}

const defaultBudget: Budget = { turns: 60, minutes: 50, tokens: null, costUsd: 5 };

/** An input wins over the file, the file over the default; without a known price the default cost limit means nothing. */
function budgetOf({ orders, prices }: Means, { budget }: Config): Budget {
  const merged: Budget = {
    turns: orders.budget.turns ?? budget.turns ?? defaultBudget.turns,
    minutes: orders.budget.minutes ?? budget.minutes ?? defaultBudget.minutes,
    tokens: orders.budget.tokens ?? budget.tokens ?? defaultBudget.tokens,
    costUsd: orders.budget.costUsd ?? budget.costUsd ?? defaultBudget.costUsd,
  };
  const costExplicit = (orders.budget.costUsd ?? budget.costUsd ?? null) !== null;
  return budgetFor(merged, { model: orders.model, prices, costExplicit });
}

async function systemFor(identity: Identity, config: Config, workspace: Workspace): Promise<string> {
  const { owner, name } = identity.repository;
  return systemPrompt({
    repository: `${owner}/${name}`,
    baseSha: identity.baseSha,
    baseRef: identity.baseRef,
    setup: config.setup,
    checks: config.checks,
    instructions: await instructionsOf(workspace, config),
  });
}

function withGuess(why: string, path: string, guess: string | null): string {
  if (guess === null) return `${why}.`;
  return `${why}. A complete file to start from, guessed from the manifests; read it before you commit it as \`${path}\`:\n\n\`\`\`yaml\n${guess.trimEnd()}\n\`\`\``;
}
