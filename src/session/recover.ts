import type { Digest } from "../base/hash.ts";
import { isOfSetup } from "./approvals.ts";
import type { Identity, SessionEvent, Settlement } from "./event.ts";
import type { Journal } from "./journal.ts";
import { deathsBefore, openIntent, type State } from "./state.ts";
import type { OpenCall } from "./turn.ts";

export type ResumeRefusal = {
  readonly kind: "refused";
  readonly code:
    | "ended"
    | "crash-loop"
    | "other-provider"
    | "other-model"
    | "other-protocol"
    | "other-tools"
    | "no-task";
  readonly why: string;
};

const crashesMax = 10;
const sameIntentMax = 3;
const readsAgainMax = 2;

/** Check 6 of session.md, section 7: who resumes has to be what began it. Null when it is. */
export function refuseOther(
  { identity, inputs, model }: { readonly identity: Identity } & Pick<State, "inputs" | "model">,
  now: {
    readonly provider: string;
    readonly model: string;
    /** A person named it for this run: the session goes on with it. */
    readonly modelGiven: boolean;
    readonly protocol: number;
    readonly tools: Digest;
  },
): ResumeRefusal | null {
  if (identity.protocol !== now.protocol) {
    return refused(
      "other-protocol",
      `the session speaks protocol ${identity.protocol}, this version ${now.protocol}`,
    );
  }
  if (identity.provider !== now.provider) {
    return refused(
      "other-provider",
      `the session was begun with ${identity.provider}, this run has ${now.provider}`,
    );
  }
  const before = model ?? identity.model;
  if (before !== now.model && !now.modelGiven) {
    return refused(
      "other-model",
      `the session works with ${before}, and this run has ${now.model} because nothing says otherwise; set model: ${before}, or model: ${now.model} to go on with that one`,
    );
  }
  if (identity.tools !== now.tools) {
    return refused(
      "other-tools",
      "the session was begun by a version of Baton with other tools; resume it with that version",
    );
  }
  if (inputs.length === 0) {
    return refused(
      "no-task",
      "the run that began this session died before it had recorded the task; nothing was done, so give the command again",
    );
  }
  return null;
}

/** The first part of check 7. */
export function refuseEnded(state: State): ResumeRefusal | null {
  if (state.status !== "ended") return null;
  return refused("ended", `the session ended (${state.reason}); a new command starts a new one`);
}

/** The last part of check 7. `gen` is the generation that is to be claimed. */
export function refuseCrashLoop(state: State, gen: number): ResumeRefusal | null {
  const deaths = deathsBefore(state, gen);
  if (deaths === 0) return null;
  const intent = openIntent(state);
  const total = state.crashes.total + deaths;
  if (total >= crashesMax) return refused("crash-loop", `${total} runs of this session have died`);
  const same = deaths + (intent === state.crashes.intent ? state.crashes.same : 0);
  // A read that keeps killing its run is given up instead: the model is told so, and the session goes on.
  if (intent === null || firstOpen(state)?.class === "read" || same < sameIntentMax) return null;
  return refused("crash-loop", `${same} runs in a row have died at the same place: ${intent}`);
}

/** The same for a session that begins anew, where each run before died and stored nothing. */
export function refuseBeginning(deaths: number): ResumeRefusal | null {
  if (deaths < crashesMax) return null;
  return refused(
    "crash-loop",
    `${deaths} runs of this session have died before they stored anything; find out why before you give a new command`,
  );
}

function firstOpen({ turn }: State): OpenCall | undefined {
  return turn.calls.find((call) => !call.settled);
}

/**
 * The call that may have begun and has no result: the first open one, since those behind it wait for it. Calls only
 * run where a sandbox was started, so once a resume has settled the one that was interrupted, the next one has not
 * begun until a later sandbox is there: a recovery that dies and is taken up again settles nothing twice. `since` are
 * the events after the last checkpoint.
 */
export function interruptedCall(state: State, since: Iterable<SessionEvent>): OpenCall | null {
  const open = firstOpen(state);
  if (open === undefined || state.turn.phase !== "calling") return null;
  let running = true;
  let begun = true;
  for (const event of since) {
    if (event.type === "run.claimed") running = false;
    if (event.type === "sandbox.started" || event.type === "calls.intended") running = true;
    if (running) begun = true;
    else if (event.type === "call.settled") begun = false;
  }
  return begun ? open : null;
}

/** The call of check 9: an external one may have happened, and nobody can look it up, so a person has to say. */
export function callInDoubt(state: State, since: Iterable<SessionEvent>): OpenCall | null {
  const call = interruptedCall(state, since);
  return call?.class === "external" ? call : null;
}

/**
 * The approvals that the run after a death must not act on, as the events that say so: those that were asked for or
 * granted and not used. A run that suspended keeps its own, and what people said of setup stays. `gen` is the generation
 * that goes on.
 */
export function abandonApprovals(state: State, gen: number): readonly SessionEvent[] {
  if (deathsBefore(state, gen) === 0) return [];
  return Object.entries(state.approvals)
    .filter(([, approval]) => !isOfSetup(approval))
    .map(([id]) => ({ type: "approval.abandoned", id }));
}

function refused(code: ResumeRefusal["code"], why: string): ResumeRefusal {
  return { kind: "refused", code, why };
}

/** What a person says of the call that is in doubt. */
export type Resolution = { readonly took: "done" | "not-done"; readonly by: string };

const rolledBack =
  "This call was interrupted before its result was recorded. Its changes were discarded: the workspace is as it was before the call.";
const readGivenUp = "This call was interrupted each time it was run; it is not run again.";

function resolvedText({ took, by }: Resolution): string {
  const found = `This call was interrupted before its result was recorded. ${by} looked, and says that it`;
  return took === "done"
    ? `${found} took effect: do not repeat it. Its output is not known, and files that it changed were not kept.`
    : `${found} did not take effect. Make it again if it is still needed.`;
}

/**
 * Settles what a run that died left open, by effect class (session.md, section 4). Settled calls stand; the
 * interrupted one is rolled back when it may have changed the workspace, or settled by what a person said of it; reads are left
 * open and run again, at most twice; the rest has not begun and will run. Returns the settlement, or null.
 */
export async function recoverCalls(
  {
    journal,
    append,
  }: {
    readonly journal: Pick<Journal, "state" | "checkpoint" | "recordsFrom" | "store">;
    readonly append: (event: SessionEvent) => Promise<unknown>;
  },
  resolution: Resolution | null = null,
): Promise<Settled | null> {
  const { state, checkpoint } = journal;
  const since = await journal.recordsFrom(checkpoint.offset);
  const open = interruptedCall(
    state,
    since.map(({ record }) => record.event),
  );
  if (open === null) return null;
  const settle = async (status: Settlement, text: string): Promise<Settled> => {
    const output = await journal.store(text);
    const nothing = { whole: null, tree: null, plan: null } as const;
    const event = { type: "call.settled", id: open.id, status, output, ...nothing } as const;
    await append(event);
    return event;
  };
  switch (open.class) {
    case "workspace":
    case "repeatable":
      return settle("rolled-back", rolledBack);
    case "read":
      return state.crashes.same > readsAgainMax ? settle("killed", readGivenUp) : null;
    case "external":
      if (resolution === null)
        throw new Error(`call ${open.id} is in doubt and reached recovery: resume has to refuse it`);
      return settle(resolution.took === "done" ? "ok" : "not-run", resolvedText(resolution));
  }
}

type Settled = Extract<SessionEvent, { type: "call.settled" }>;
