import type { Tree } from "../base/hash.ts";
import type { GoOn, IntendedCall, NoteAbout, SessionEvent } from "../session/event.ts";
import { digestIn } from "../session/payload.ts";
import { useOf } from "./blocks.ts";
import { parseContent } from "./context.ts";
import type { Received } from "./decide.ts";
import { type Asking, askTool } from "./question.ts";
import { type Fill, fillAfter, noFill } from "./window.ts";

/** By call id: what people said against calls of the open turn, or that nobody can say anything any more. */
export type Refusals = Readonly<
  Record<string, { readonly kind: "denied"; readonly by: string } | { readonly kind: "abandoned" }>
>;

/**
 * What the loop has to know of its own past beside the session's state: a second fold over the same events, so a
 * resumed run counts on where the last one stopped. All of it but the reply is kept in a checkpoint.
 */
export type Facts = {
  /** The reply that this turn is about; null before the first. */
  readonly reply: Received | null;
  readonly calls: readonly IntendedCall[];
  /** Requests made for the open turn; a clean suspend starts anew, a crash does not. */
  readonly tries: number;
  /** `pause_turn` replies in a row. */
  readonly pauses: number;
  readonly nudged: boolean;
  /** Notes since the last reply: a note is not told twice when a run dies between it and the end of the turn. */
  readonly noted: readonly NoteAbout[];
  readonly inputSinceReply: boolean;
  /** The last turn was the end of the work, and nothing that asks for more came since. */
  readonly done: boolean;
  /** Notes on the budget since a run last suspended: then it may be raised, and runs short anew. */
  readonly budgetTold: number;
  readonly stuckTold: boolean;
  /** The last turn was one too many of its kind after the model had been told so, and nothing lets it go on yet. */
  readonly stuck: Stuck | null;
  readonly tree: Tree | null;
  /** Whether the open turn changed a file or showed something not seen before. */
  readonly progress: boolean;
  /** Turns in a row without progress, ended ones only. */
  readonly idleTurns: number;
  /** Why another turn follows. */
  readonly because: GoOn;
  /** Questions that nobody has answered yet. */
  readonly asking: readonly Asking[];
  readonly refusals: Refusals;
  /** The last batch, if it was one call: what it was, what came of it, and how often in a row. */
  readonly repeat: { readonly call: string | null; readonly result: string | null; readonly count: number };
  /** How full the model's window is. */
  readonly fill: Fill;
};

/** What an event comes with beside itself. */
export type Told = {
  /** As for `extend`: only that of `reply.received` is looked into. */
  readonly text: string;
  /** Whether a settlement shows something that the model has not seen. */
  readonly news: boolean;
};

/** Facts as a checkpoint keeps them: the reply stands in the log, and is found there. */
export type KeptFacts = Omit<Facts, "reply" | "calls"> & { readonly nudgedBefore: boolean };

const fresh = { call: null, result: null, count: 0 } as const;

export const noFacts: Facts = {
  reply: null,
  calls: [],
  tries: 0,
  pauses: 0,
  nudged: false,
  noted: [],
  inputSinceReply: false,
  done: false,
  budgetTold: 0,
  stuckTold: false,
  stuck: null,
  tree: null,
  progress: false,
  idleTurns: 0,
  because: "input",
  asking: [],
  refusals: {},
  repeat: fresh,
  fill: noFill,
};

export function learn(facts: Facts, event: SessionEvent, told: Told): Facts {
  const learned = learnt(facts, event, told);
  const content = learned.reply?.content ?? [];
  return { ...learned, fill: fillAfter(facts.fill, event, { text: told.text, content }) };
}

function learnt(facts: Facts, event: SessionEvent, { text, news }: Told): Facts {
  switch (event.type) {
    case "setup.settled":
      return { ...facts, tree: facts.tree ?? event.tree };
    case "input.accepted":
      return {
        ...unstuck(facts),
        inputSinceReply: true,
        nudged: false,
        done: false,
        because: "input",
        asking: [],
      };
    case "run.claimed":
      if (event.gen === 1) return facts;
      // Another model is to have its tries, wherever the one before had come to.
      return { ...(event.model === undefined ? facts : letOn(facts)), because: "resumed" };
    case "context.compacted":
      return { ...facts, because: "compacted" };
    case "approval.denied":
      return refusedBy(facts, event.id, { kind: "denied", by: event.by });
    case "approval.abandoned":
      // What a person said stays said.
      return Object.hasOwn(facts.refusals, event.id)
        ? facts
        : refusedBy(facts, event.id, { kind: "abandoned" });
    case "note.added":
      return noted(facts, event.about);
    case "reply.requested":
      return { ...facts, tries: facts.tries + 1, done: false };
    case "reply.received": {
      const { stopReason, masked = [] } = event;
      const reply = { content: parseContent(text), stopReason, masked, nudgedBefore: facts.nudged };
      return { ...facts, reply, calls: [], noted: [], inputSinceReply: false };
    }
    case "calls.intended":
      return intended(facts, event.calls);
    case "call.settled":
      return settled(facts, event, news);
    case "turn.ended":
      return {
        ...facts,
        calls: [],
        tries: 0,
        pauses: event.next === "paused" ? facts.pauses + 1 : 0,
        idleTurns: facts.progress ? 0 : facts.idleTurns + 1,
        progress: false,
        done: event.next === "done",
        because: event.next,
        stuck: event.next === "calls" && facts.stuckTold ? stuckIn(facts) : null,
        refusals: {},
      };
    case "gate.failed":
      return { ...unstuck(facts), done: false, because: "gate" };
    case "gate.passed":
      return unstuck(facts);
    case "run.suspended":
      return { ...letOn(facts), tries: 0, budgetTold: 0 };
    default:
      return facts;
  }
}

export function keptOf({ reply, calls: _, ...kept }: Facts): KeptFacts {
  return { ...kept, nudgedBefore: reply?.nudgedBefore ?? false };
}

/** `reply` is the last one that the log holds before the checkpoint, with the text of its blocks. */
export function factsFrom(
  { nudgedBefore, ...kept }: KeptFacts,
  reply: (Pick<Received, "stopReason" | "masked"> & { readonly text: string }) | null,
): Facts {
  const received = reply && {
    content: parseContent(reply.text),
    ...{ stopReason: reply.stopReason, masked: reply.masked, nudgedBefore },
  };
  // What was added since the program that wrote it begins as it does in a new session.
  return { ...noFacts, ...kept, reply: received, calls: [] };
}

export type Stuck = "repeated" | "idle";

/** Whether the open turn, once ended, is one too many of its kind. */
export function stuckIn(facts: Facts): Stuck | null {
  if (facts.repeat.call !== null && facts.repeat.count >= 3) return "repeated";
  return !facts.progress && facts.idleTurns + 1 >= 4 ? "idle" : null;
}

function refusedBy(facts: Facts, id: string, refusal: Refusals[string]): Facts {
  return { ...facts, refusals: { ...facts.refusals, [id]: refusal } };
}

function unstuck(facts: Facts): Facts {
  return { ...facts, idleTurns: 0, stuckTold: false, stuck: null, repeat: fresh };
}

/**
 * Who lets it go on wants the provider to have its tries again. A refused reply, or one that is not understood, is no
 * end to come back to then: it is asked for again.
 */
function letOn(facts: Facts): Facts {
  const { done, reply, pauses } = facts;
  const isDone = done && reply !== null && isAnswer(reply);
  return { ...unstuck(facts), done: isDone, pauses: Math.min(pauses, 1) };
}

function isAnswer({ content, stopReason }: Received): boolean {
  const { kind } = useOf(content, stopReason);
  return kind === "usable" || kind === "empty";
}

function noted(facts: Facts, about: NoteAbout): Facts {
  const told = { ...facts, noted: [...facts.noted, about] };
  switch (about) {
    case "nudge":
      return { ...told, nudged: true };
    case "budget":
      return { ...told, budgetTold: facts.budgetTold + 1 };
    case "stuck":
      // Told once; from here it gets the same number of turns again.
      return { ...told, stuckTold: true, progress: true, repeat: fresh };
    case "resumed":
      // Facts for the next request, if there is one; no reason to make one.
      return told;
    case "gate":
    case "truncated":
      return { ...told, done: false };
  }
}

function intended(facts: Facts, calls: readonly IntendedCall[]): Facts {
  const [only, second] = calls;
  const call = only === undefined || second !== undefined ? null : `${only.tool} ${digestIn(only.arguments)}`;
  const repeat = call !== null && call === facts.repeat.call ? facts.repeat : { ...fresh, call };
  return { ...facts, calls, repeat };
}

function settled(facts: Facts, event: Extract<SessionEvent, { type: "call.settled" }>, news: boolean): Facts {
  const changed = event.tree !== null && event.tree !== facts.tree;
  const result = `${event.status} ${digestIn(event.output)}`;
  // An interruption is nobody's going round in circles.
  const interrupted = event.status === "rolled-back" || event.status === "killed";
  const again = result === facts.repeat.result && !changed;
  const call = facts.calls.find(({ id }) => id === event.id);
  const asks = call?.tool === askTool && event.status === "ok";
  return {
    ...facts,
    asking: asks ? [...facts.asking, { id: call.id, arguments: call.arguments }] : facts.asking,
    tree: event.tree ?? facts.tree,
    progress: facts.progress || changed || news || interrupted,
    stuckTold: facts.stuckTold && !changed,
    repeat: { ...facts.repeat, result, count: again ? facts.repeat.count + 1 : 1 },
  };
}
