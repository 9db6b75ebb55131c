import { imagesHeld } from "../loop/context.ts";
import { acceptInput } from "../loop/input.ts";
import { openStory, type Story } from "../loop/story.ts";
import { stateOf } from "../session/checkpoint.ts";
import { type Claim, claimSession } from "../session/claim.ts";
import type { Identity, RunRef } from "../session/event.ts";
import { type FoundSession, findSession, unpackSession } from "../session/find.ts";
import { type OpenJournal, openJournal } from "../session/open-journal.ts";
import { abandonApprovals, callInDoubt, type Resolution, recoverCalls } from "../session/recover.ts";
import type { State } from "../session/state.ts";
import { verifyLog } from "../session/verify.ts";
import type { PinTarget, Workspace } from "../workspace/workspace.ts";
import { leftToRun } from "./left-to-run.ts";
import type { Ground, Means } from "./means.ts";
import { whyMoved } from "./moved.ts";
import { carryOn, unleasedNote } from "./open-work.ts";
import { type Outcome, outcome } from "./outcome.ts";
import { picturedFollowUp } from "./pictured.ts";
import { budgetOf, type Proved } from "./proved.ts";
import { configOf } from "./read-config.ts";
import { resumeFacts } from "./resume-facts.ts";
import { resumedNote } from "./resumed-note.ts";
import { answersTo } from "./said.ts";
import { lookUpEffects, type Settlements } from "./settle-effects.ts";

type Held = Extract<Claim, { kind: "claimed" }>;
type Refusal = { readonly kind: "refused"; readonly code: string; readonly why: string };

/**
 * Claims a session that was proved, proves what only its holder can, and goes on: checks 8 to 13 of session.md,
 * section 7. Until all of them passed nothing is written and the model is asked nothing; whatever ends it before gives
 * the claim back.
 */
export async function takeOver(
  proved: Proved,
  means: Means,
  { signal }: { readonly signal: AbortSignal },
): Promise<Outcome> {
  const { log, state, holders } = proved;
  const { session, baseSha } = log.manifest.identity;
  const known = { session, baseSha, turns: state.turn.number, costUsd: state.costUsd };
  const refused = ({ code, why }: Refusal): Outcome =>
    outcome("refused", code, why, { ...known, resumable: true });
  const taken = await means.ground(session);
  if (taken.kind === "refused") return refused(taken);
  await using ground = taken.ground;
  const claim = await claimSession(session, {
    leases: means.leases,
    holders,
    run: refOf(means.run),
    head: log.tail,
    genReached: log.manifest.gen,
    takeOver: means.orders.takeOver,
    signal,
  });
  if (claim.kind === "refused") {
    const { said } = proved;
    const left =
      claim.code === "busy" ? await leftToRun({ session, holders, said, state }, means, signal) : null;
    return left ?? refused(claim);
  }
  await using hold = untilKept(claim, proved, means);
  const ready = await prepare(proved, means, { ground, signal });
  if (ready.kind === "refused") return refused(ready);
  const opened = await append(proved, ready, { means, ground, claim });
  if (opened.kind === "refused") return refused(opened);
  hold.keep();
  const { journal, story } = opened;
  means.say(`${session}: continued from record ${log.tail.seq} as generation ${claim.gen}`);
  const model = changedModel(proved, means);
  if (model !== null)
    means.say(`${session}: goes on with the model ${model.now} in place of ${model.before}`);
  const notes = [...unleasedNote(claim.why), ...proved.found.reported.map((item) => `Passed over: ${item}.`)];
  const runs = [...new Set([...proved.runs, means.run.id])];
  const { workspace, config } = ready;
  const { identity } = log.manifest;
  const parts = { means, identity, hold: claim, ground, workspace, config, journal, story };
  return await carryOn(parts, { budget: budgetOf(state, means), last: opened.last, runs, notes, signal });
}

/** Gives the claim back when it is closed, unless it was kept; a lease that stays behind names a run that is over. */
function untilKept({ gen, leased }: Held, { log }: Proved, means: Means) {
  let kept = !leased;
  return {
    keep: () => {
      kept = true;
    },
    [Symbol.asyncDispose]: async () => {
      if (kept) return;
      const { session } = log.manifest.identity;
      await means.leases
        .release(session, { from: gen, to: gen, signal: AbortSignal.timeout(10_000) })
        .catch((error: unknown) =>
          means.say(`The lease of generation ${gen} could not be given back: ${String(error)}`),
        );
    },
  };
}

type Prepared = {
  readonly kind: "ready";
  readonly workspace: Workspace;
  readonly config: Parameters<typeof carryOn>[0]["config"];
  readonly effects: Extract<Settlements, { kind: "known" }>["events"];
  readonly resolution: Resolution | null;
};

/** The rest of check 8, then 9, 10, and 11 as far as it can be proved before setup: all objects are here. */
async function prepare(
  proved: Proved,
  means: Means,
  { ground, signal }: { readonly ground: Ground; readonly signal: AbortSignal },
): Promise<Prepared | Refusal> {
  const { found, log, state } = proved;
  const { identity } = log.manifest;
  const { session } = identity;
  if (await hasMore(proved, identity, means, signal))
    return refusal("lost-race", `the run before was still storing ${session}; resume it again`);
  const resolved = resolve(proved, means);
  if (resolved.kind === "refused") return resolved;
  const effects = await lookUpEffects(state, identity, means);
  if (effects.kind === "refused") return effects;
  const moved = await whyMoved(identity, { state, settled: effects.events }, means.host);
  if (moved !== null) return refusal("moved", moved);
  const pinned = await ground.pin(pinTargetOf(identity), { signal });
  if (pinned.kind === "refused") return pinned;
  const { workspace } = pinned;
  const missing = await takeObjects(found, state, workspace);
  if (missing !== null) return refusal("objects", missing);
  const { orders, parseYaml } = means;
  const config = await configOf(workspace, { ...orders, path: orders.configPath, parseYaml });
  if (config.kind === "refused") return config;
  const { resolution } = resolved;
  return { kind: "ready", workspace, config: config.config, effects: effects.events, resolution };
}

/** The run before may have stored more between our look and our claim; the claim ends that, so one more look suffices. */
async function hasMore(
  { runs, found, holders }: Proved,
  { session }: Identity,
  means: Means,
  signal: AbortSignal,
): Promise<boolean> {
  const again = await findSession(session, {
    ...{ ...means, runs, claims: holders, signal },
    repositoryId: means.repository.id,
  });
  return again.kind !== "found" || again.session.last.digest !== found.last.digest;
}

type Resolved = { readonly kind: "resolved"; readonly resolution: Resolution | null } | Refusal;

/** A person's word counts for the one call that is in doubt, and where none is there is nothing to say. */
function resolve({ state, since, by }: Proved, { orders }: Means): Resolved {
  const doubt = callInDoubt(state, since);
  if (doubt === null) {
    if (orders.resolve === null) return { kind: "resolved", resolution: null };
    return refusal("no-doubt", "no call of this session is in doubt; resume it without resolve");
  }
  if (orders.resolve !== null) return { kind: "resolved", resolution: { took: orders.resolve, by } };
  return refusal(
    "in-doubt",
    `call ${doubt.id} (${doubt.tool}) was begun and not settled; whether it took effect cannot be known. Look, then resume with resolve set to done or to not-done`,
  );
}

async function takeObjects(found: FoundSession, state: State, workspace: Workspace): Promise<string | null> {
  for (const pack of found.packs) await workspace.objects.unpack(pack);
  for (const tree of [state.setupTree, state.tree]) {
    if (tree !== null && !(await workspace.objects.has(tree)))
      return `the shipments do not hold the whole tree ${tree}`;
  }
  return null;
}

type Opened = {
  readonly kind: "opened";
  readonly journal: OpenJournal;
  readonly story: Story;
  readonly last: Awaited<ReturnType<typeof unpackSession>>;
};

/** Check 12, what a resume adds to the log: the claim, the settlements, the facts the model has to know. Then 13. */
async function append(
  proved: Proved,
  { workspace, effects, resolution }: Prepared,
  { means, ground, claim }: { readonly means: Means; readonly ground: Ground; readonly claim: Held },
): Promise<Opened | Refusal> {
  const { found, log, state, said, by } = proved;
  const { clock, mask, orders, run } = means;
  const { files } = ground;
  const { gen } = claim;
  const last = await unpackSession(found, log, files);
  const journal = await openJournal(log, { files, clock, mask, durability: orders.durability, gen });
  const story = await openStory(journal);
  const model = changedModel({ log, state }, means)?.now ?? null;
  const changed = model === null ? {} : { model };
  const { since } = means.earshot;
  await story.append({ type: "run.claimed", gen, run: refOf(run), head: log.tail, since, ...changed });
  const answers = answersTo(state, said, { gen, by });
  if (answers.kind === "refused") throw new Error(`check 7 let through what is refused: ${answers.why}`);
  for (const event of [...effects, ...abandonApprovals(state, gen), ...answers.events])
    await story.append(event);
  const settled = await recoverCalls({ journal, append: story.append }, resolution);
  const { load } = journal;
  const budget = budgetOf(state, means);
  const facts = await resumeFacts(proved, {
    ...{ settled, model, budget, workspace, load },
    said: answers.events,
  });
  const text = await journal.store(resumedNote(facts));
  await story.append({ type: "note.added", about: "resumed", text });
  if (answers.input !== null) {
    const held = imagesHeld(story.context);
    const told = await picturedFollowUp(answers.input, means, { held, signal: means.cancelled });
    await acceptInput(story, { ...told, id: answers.input.id, by });
  }
  const again = verifyLog(await files.read(), { witnessed: [] });
  if (again.kind === "damage") return refusal("failed", `the log that was just written: ${again.why}`);
  const folded = await stateOf(again.log, files);
  const isSame = JSON.stringify(folded) === JSON.stringify(journal.state);
  if (!isSame || again.log.tail.hash !== journal.head.hash)
    return refusal("failed", "the log that was just written does not give the state it was written from");
  return { kind: "opened", journal, story, last };
}

/** The model that a person named in place of the one before, or null. */
function changedModel({ log, state }: Pick<Proved, "log" | "state">, { orders }: Means) {
  const before = state.model ?? log.manifest.identity.model;
  return before === orders.model ? null : { before, now: orders.model };
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

function refusal(code: string, why: string): Refusal {
  return { kind: "refused", code, why };
}
