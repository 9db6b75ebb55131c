import type { Digest, Tree } from "../base/hash.ts";
import { type Approvals, foldApprovals, withoutApprovals } from "./approvals.ts";
import type { Budget, EventRecord, Identity, Payload, PlanItem, SessionEvent, Usage } from "./event.ts";
import { noTurn, type Turn, turnAfter } from "./turn.ts";
import { addCost, addUsage, noUsage } from "./usage.ts";

export type EffectState = {
  readonly status: "intended" | "done" | "absent" | "refused";
  readonly detail: string;
  readonly url: string | null;
};

export type BaseCheck = { readonly exitCode: number | null; readonly timedOut: boolean; readonly ms: number };

/**
 * What the log says, without the model's messages. The only place where state lives is this fold; a checkpoint is
 * this value as JSON. `evolve` is total: it takes any event in any state and never throws.
 */
export type State = {
  readonly identity: Identity | null;
  readonly budget: Budget | null;
  readonly system: Payload | null;
  readonly model: string | null;
  readonly gen: number;
  /** Ids of the runs that claimed it, each once. */
  readonly runs: readonly string[];
  readonly turn: Turn;
  /** Truncated replies in a row. */
  readonly truncated: number;
  readonly usage: Usage;
  /** Null once a reply came whose price is unknown. */
  readonly costUsd: number | null;
  readonly activeMs: number;
  readonly setup: "none" | "running" | "done" | "failed";
  /** Sealed after setup on base. */
  readonly setupTree: Tree | null;
  /** Sealed last: what the workspace is. */
  readonly tree: Tree | null;
  readonly plan: readonly PlanItem[];
  readonly inputs: readonly string[];
  readonly effects: Readonly<Record<string, EffectState>>;
  readonly gate: {
    readonly rounds: number;
    readonly running: boolean;
    readonly verified: { readonly tree: Tree; readonly definitions: Digest } | null;
    readonly base: Readonly<Record<string, BaseCheck>>;
  };
  readonly shipped: { readonly number: number; readonly to: number; readonly digest: Digest } | null;
  /** Runs that began where one had died, in all and in a row at the same open intent. */
  readonly crashes: { readonly total: number; readonly same: number; readonly intent: string | null };
  readonly status: "open" | "suspended" | "ended";
  readonly reason: string | null;
  /** Wall time in ms from which people are listened to; null where no run has said it. */
  readonly since: number | null;
  readonly approvals: Approvals;
  /** The byte of the log where the model's context begins, and what it is told in place of what stands before. */
  readonly context: { readonly from: number; readonly summary: Payload | null };
};

export const initialState: State = {
  identity: null,
  budget: null,
  system: null,
  model: null,
  gen: 0,
  runs: [],
  turn: noTurn,
  truncated: 0,
  usage: noUsage,
  costUsd: 0,
  activeMs: 0,
  setup: "none",
  setupTree: null,
  tree: null,
  plan: [],
  inputs: [],
  effects: {},
  gate: { rounds: 0, running: false, verified: null, base: {} },
  shipped: null,
  crashes: { total: 0, same: 0, intent: null },
  status: "open",
  reason: null,
  since: null,
  approvals: {},
  context: { from: 0, summary: null },
};

export function foldFrom(state: State, records: readonly EventRecord[]): State {
  return records.reduce((folded, record) => evolve(folded, record.event), state);
}

/**
 * What a person, or a resumed run, has to settle before anything new may begin. Null when nothing is open. Effects
 * come last: the status comment is made in the background of everything else, and says little of where a run died.
 */
export function openIntent(state: State): string | null {
  const call = state.turn.calls.find((one) => !one.settled);
  if (call !== undefined) return `call ${call.id}`;
  if (state.gate.running) return `gate round ${state.gate.rounds + 1}`;
  if (state.setup === "running") return "setup";
  if (state.turn.phase !== "idle") return `turn ${state.turn.number}`;
  const effect = Object.entries(state.effects).find(([, one]) => one.status === "intended");
  return effect === undefined ? null : `effect ${effect[0]}`;
}

export function evolve(state: State, event: SessionEvent): State {
  switch (event.type) {
    case "session.opened":
      return { ...state, identity: event.identity, budget: event.budget, system: event.system };
    case "run.claimed":
      return claimed(state, event);
    case "setup.started":
      return { ...state, setup: "running" };
    case "setup.settled":
      return setupSettled(state, event);
    case "input.accepted":
      return takenIn(state, event.id);
    case "reply.requested":
      return { ...state, turn: turnAfter(state.turn, event) };
    case "reply.received":
      return { ...paid(state, event), turn: turnAfter(state.turn, event) };
    case "approval.granted":
    case "approval.denied":
      return { ...takenIn(state, event.input), approvals: foldApprovals(state.approvals, event) };
    case "approval.requested":
    case "approval.abandoned":
      return { ...state, approvals: foldApprovals(state.approvals, event) };
    case "context.compacted":
      return { ...paid(state, event), context: { from: event.from, summary: event.summary } };
    case "calls.intended":
      return intended(state, event);
    case "call.settled":
      return settled(state, event);
    case "turn.ended":
      return ended(state, event);
    case "check.started":
      return event.beside ? state : { ...state, gate: { ...state.gate, running: true } };
    case "check.settled":
      return checked(state, event);
    case "gate.passed":
    case "gate.failed":
      return judged(state, event);
    case "effect.intended":
      return withEffect(state, event.key, { status: "intended", detail: event.detail, url: null });
    case "effect.settled":
      return withEffect(state, event.key, { status: event.status, detail: event.detail, url: event.url });
    case "shipment.sent":
      return { ...state, shipped: { number: event.number, to: event.to, digest: event.digest } };
    case "run.suspended":
      // Who lets it go on wants it to have its tries again.
      return { ...takenIn(state, event.input), status: "suspended", reason: event.reason, truncated: 0 };
    case "session.ended":
      return { ...state, status: "ended", reason: event.reason };
    case "reply.failed":
      return event.usage === undefined
        ? state
        : paid(state, { usage: event.usage, costUsd: event.costUsd ?? null });
    case "images.left-out":
    case "thinking.left-out":
    case "note.added":
    case "sandbox.started":
    case "log.repaired":
      return state;
  }
}

type Of<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>;

/**
 * How many runs have died when generation `gen` takes over: the last one, when it neither suspended nor ended, and
 * those that claimed a generation in between and stored nothing.
 */
export function deathsBefore(state: State, gen: number): number {
  if (state.gen === 0) return 0;
  const unstored = Math.max(0, gen - state.gen - 1);
  return unstored + (state.status === "open" ? 1 : 0);
}

/** Deaths count as crashes, and at what: all since the last record happened where that record stands. */
function claimed(state: State, { gen, run, model, since }: Of<"run.claimed">): State {
  const deaths = deathsBefore(state, gen);
  const died = deaths > 0;
  const intent = openIntent(state);
  const before = intent === state.crashes.intent ? state.crashes.same : 0;
  const same = died && intent !== null ? before + deaths : 0;
  return {
    ...state,
    gen,
    model: model ?? state.model,
    truncated: model === undefined ? state.truncated : 0,
    runs: state.runs.includes(run.id) ? state.runs : [...state.runs, run.id],
    status: "open",
    reason: null,
    since: died ? (state.since ?? since ?? null) : (since ?? null),
    setup: "none",
    gate: { ...state.gate, running: false },
    crashes: died
      ? { total: state.crashes.total + deaths, same, intent }
      : { ...state.crashes, same: 0, intent: null },
  };
}

function setupSettled(state: State, event: Of<"setup.settled">): State {
  return {
    ...state,
    setup: event.ok ? "done" : "failed",
    // The first one stays: what a later machine's setup leaves behind must not become part of the change.
    setupTree: state.setupTree ?? event.tree,
    // A resumed run has a later tree of its own; setup only rebuilds what is ignored.
    tree: state.tree ?? event.tree,
    activeMs: state.activeMs + event.ms,
  };
}

function paid(
  state: State,
  { usage, costUsd }: Pick<Of<"reply.received"> | Of<"context.compacted">, "usage" | "costUsd">,
): State {
  return { ...state, usage: addUsage(state.usage, usage), costUsd: addCost(state.costUsd, costUsd) };
}

function takenIn(state: State, input: string | undefined): State {
  return input === undefined || state.inputs.includes(input)
    ? state
    : { ...state, inputs: [...state.inputs, input] };
}

function intended(state: State, event: Of<"calls.intended">): State {
  const used = event.calls.map(({ id }) => id);
  return {
    ...state,
    turn: turnAfter(state.turn, event),
    approvals: withoutApprovals(state.approvals, used),
  };
}

function settled(state: State, event: Of<"call.settled">): State {
  return {
    ...state,
    turn: turnAfter(state.turn, event),
    tree: event.tree ?? state.tree,
    plan: event.plan ?? state.plan,
  };
}

function ended(state: State, event: Of<"turn.ended">): State {
  return {
    ...state,
    turn: turnAfter(state.turn, event),
    truncated: event.next === "truncated" ? state.truncated + 1 : 0,
    activeMs: state.activeMs + event.ms,
  };
}

function checked(state: State, event: Of<"check.settled">): State {
  const { exitCode, timedOut, ms } = event;
  const base =
    event.on === "base" ? { ...state.gate.base, [event.check]: { exitCode, timedOut, ms } } : state.gate.base;
  return { ...state, gate: { ...state.gate, base }, activeMs: state.activeMs + (event.beside ? 0 : ms) };
}

function judged(state: State, event: Of<"gate.passed"> | Of<"gate.failed">): State {
  const verified = event.type === "gate.passed" ? { tree: event.tree, definitions: event.definitions } : null;
  return {
    ...state,
    gate: { ...state.gate, rounds: Math.max(state.gate.rounds, event.round), running: false, verified },
  };
}

function withEffect(state: State, key: string, effect: EffectState): State {
  return { ...state, effects: { ...state.effects, [key]: effect } };
}
