import type { Digest } from "../base/hash.ts";
import type { SessionEvent } from "./event.ts";
import type { Journal } from "./journal.ts";
import { deathsBefore, openIntent, type State } from "./state.ts";

export type ResumeRefusal = {
  readonly kind: "refused";
  readonly code:
    | "ended"
    | "crash-loop"
    | "in-doubt"
    | "other-provider"
    | "other-model"
    | "other-protocol"
    | "other-tools";
  readonly why: string;
};

const crashesMax = 10;
const sameIntentMax = 3;
const readsAgainMax = 2;

/** Checks 6, 7 and 9 of session.md, section 7: nothing is written. Null when the session may go on. */
export function refuseResume(
  state: State,
  now: {
    readonly provider: string;
    readonly model: string;
    readonly protocol: number;
    readonly tools: Digest;
    /** The generation that is to be claimed. */
    readonly gen: number;
  },
): ResumeRefusal | null {
  const { identity } = state;
  if (identity === null) return refused("other-protocol", "the log does not open a session");
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
  if (identity.model !== now.model) {
    return refused(
      "other-model",
      `the session was begun with ${identity.model}, this run has ${now.model}; set model: ${identity.model}`,
    );
  }
  if (identity.tools !== now.tools) {
    return refused(
      "other-tools",
      "the session was begun by a version of Baton with other tools; resume it with that version",
    );
  }
  if (state.status === "ended")
    return refused("ended", `the session ended (${state.reason}); a new command starts a new one`);
  return refuseCrashLoop(state, now.gen) ?? refuseDoubt(state);
}

function refuseCrashLoop(state: State, gen: number): ResumeRefusal | null {
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

function firstOpen({ turn }: State): State["turn"]["calls"][number] | undefined {
  return turn.calls.find((call) => !call.settled);
}

/** An external call that began may have happened, and nobody can look it up: a person has to say. */
function refuseDoubt(state: State): ResumeRefusal | null {
  const open = firstOpen(state);
  if (open === undefined || open.class !== "external") return null;
  return refused(
    "in-doubt",
    `call ${open.id} (${open.tool}) was begun and not settled; whether it took effect cannot be known`,
  );
}

function refused(code: ResumeRefusal["code"], why: string): ResumeRefusal {
  return { kind: "refused", code, why };
}

const rolledBack =
  "This call was interrupted before its result was recorded. Its changes were discarded: the workspace is as it was before the call.";
const readGivenUp = "This call was interrupted each time it was run; it is not run again.";

/**
 * Settles what a run that died left open, by effect class (session.md, section 4). Settled calls stand; the first open
 * one is rolled back when it may have changed the workspace; reads are left open and run again, at most twice; the
 * rest has not begun and will run.
 */
export async function recoverCalls({
  journal,
  append,
}: {
  readonly journal: Journal;
  readonly append: (event: SessionEvent) => Promise<unknown>;
}): Promise<readonly SessionEvent[]> {
  const { state } = journal;
  const open = firstOpen(state);
  if (open === undefined || state.turn.phase !== "calling") return [];
  const settle = async (status: "rolled-back" | "killed", text: string): Promise<readonly SessionEvent[]> => {
    const output = await journal.store(text);
    const event = {
      type: "call.settled",
      id: open.id,
      status,
      output,
      whole: null,
      tree: null,
      plan: null,
    } as const;
    await append(event);
    return [event];
  };
  switch (open.class) {
    case "workspace":
    case "repeatable":
      return settle("rolled-back", rolledBack);
    case "read":
      return state.crashes.same > readsAgainMax ? settle("killed", readGivenUp) : [];
    case "external":
      throw new Error(`call ${open.id} is in doubt and reached recovery: resume has to refuse it`);
  }
}
