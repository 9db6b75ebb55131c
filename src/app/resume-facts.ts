import { objectIn } from "../base/json.ts";
import { type Spent, spentOf } from "../loop/budget.ts";
import { isOfSetup } from "../session/approvals.ts";
import type { Budget, IntendedCall, Payload, SessionEvent, Settlement } from "../session/event.ts";
import { recordsBack } from "../session/reader.ts";
import { interruptedCall } from "../session/recover.ts";
import type { State } from "../session/state.ts";
import type { OpenCall } from "../session/turn.ts";
import type { VerifiedLog } from "../session/verify.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Proved } from "./proved.ts";
import type { CallFacts, GateFacts, Place, ResumeFacts } from "./resumed-note.ts";

type Settled = { readonly id: string; readonly status: Settlement };

/**
 * What a resumed session's model has to know, from the log as the run before left it. `settled` is what this resume
 * has settled by itself; what resumes before it settled, and died before they began anything, is in the log.
 */
export async function resumeFacts(
  { log, state, since, by }: Pick<Proved, "log" | "state" | "since" | "by">,
  now: {
    readonly settled: Settled | null;
    readonly model: string | null;
    readonly budget: Budget;
    readonly workspace: Workspace;
    readonly load: (payload: Payload) => Promise<string>;
    /** What this resume recorded of what a person said. */
    readonly said: readonly SessionEvent[];
  },
): Promise<ResumeFacts> {
  const { workspace, load, budget, model } = now;
  const { settled, idled } = recoveredIn(since);
  const spent: Spent = spentOf(state, 0);
  return {
    by,
    place: await placeOf(state, { since, settled: now.settled ?? settled, load }),
    suspended: state.status === "suspended" ? suspendedBy(state, now.said) : null,
    idled,
    changes: await changesIn(state, workspace),
    gate: state.gate.rounds === 0 ? null : await lastGate(log, state, workspace),
    budget,
    spent,
    model,
  };
}

/** Setup waits for a person as a call does, and is something else to the model. */
function suspendedBy({ reason, approvals }: State, said: readonly SessionEvent[]): string {
  const setup = Object.entries(approvals).find(
    ([, approval]) => isOfSetup(approval) && approval.status === "requested",
  );
  if (reason !== "approval" || setup === undefined) return reason ?? "";
  const [id] = setup;
  const isDenied = said.some((event) => event.type === "approval.denied" && event.id === id);
  return isDenied ? "setup-denied" : "approval-of-setup";
}

/** What resumes settled that died before their sandbox was there, and whether the last run was one of those. */
function recoveredIn(since: readonly SessionEvent[]): {
  readonly settled: Settled | null;
  readonly idled: boolean;
} {
  let settled: Settled | null = null;
  let idled = false;
  for (const event of since) {
    if (event.type === "run.claimed") idled = event.gen > 1;
    if (event.type === "call.settled" && idled) settled = event;
    if (event.type !== "sandbox.started" && event.type !== "run.suspended") continue;
    idled = false;
    if (event.type === "sandbox.started") settled = null;
  }
  return { settled, idled };
}

async function placeOf(
  state: State,
  {
    since,
    settled,
    load,
  }: {
    readonly since: readonly SessionEvent[];
    readonly settled: Settled | null;
    readonly load: (payload: Payload) => Promise<string>;
  },
): Promise<Place> {
  const { turn, gate } = state;
  const at =
    settled === null ? interruptedCall(state, since) : turn.calls.find(({ id }) => id === settled.id);
  if (turn.phase === "calling" && at !== null && at !== undefined) {
    const open = turn.calls.filter((call) => !call.settled && call.id !== at.id);
    return {
      ...{ kind: "call", turn: turn.number, call: await callFacts(at, since, load) },
      ...{ nth: turn.calls.findIndex(({ id }) => id === at.id) + 1, of: turn.calls.length },
      ...{ settled: settled?.status ?? null, waiting: open.length },
    };
  }
  if (isJudging(since)) return { kind: "gate", round: gate.rounds + 1 };
  if (turn.phase === "requested") return { kind: "awaiting-reply", turn: turn.number };
  if (turn.phase === "received") return { kind: "before-calls", turn: turn.number };
  return turn.number === 0 ? { kind: "beginning" } : { kind: "between-turns", turn: turn.number };
}

/** A run that claims the session begins the round anew, so the state after it does not say so any more. */
function isJudging(since: readonly SessionEvent[]): boolean {
  return since.findLast(isOfRound)?.type.startsWith("check.") ?? false;
}

function isOfRound(event: SessionEvent): boolean {
  if (event.type === "check.started" || event.type === "check.settled") return event.beside !== true;
  return event.type === "gate.passed" || event.type === "gate.failed";
}

async function callFacts(
  { id, tool }: OpenCall,
  since: readonly SessionEvent[],
  load: (payload: Payload) => Promise<string>,
): Promise<CallFacts> {
  const calls = since.flatMap((event) => (event.type === "calls.intended" ? event.calls : []));
  const call = calls.findLast((one) => one.id === id);
  return { tool, subject: call === undefined ? null : subjectIn(await argumentsOf(call, load)) };
}

async function argumentsOf(
  call: IntendedCall,
  load: (payload: Payload) => Promise<string>,
): Promise<Readonly<Record<string, unknown>>> {
  return objectIn(JSON.parse(await load(call.arguments)));
}

/** The first line of the argument that says most. */
function subjectIn(input: Readonly<Record<string, unknown>>): string | null {
  const value = [input["command"], input["path"], input["pattern"]].find((one) => typeof one === "string");
  const [line = ""] = String(value ?? "")
    .trim()
    .split("\n", 1);
  return line === "" ? null : line;
}

async function changesIn({ setupTree, tree }: State, workspace: Workspace): Promise<ResumeFacts["changes"]> {
  if (setupTree === null || tree === null || setupTree === tree) return [];
  return workspace.diff(setupTree, tree);
}

/** Found from the end of the log: checks stand right before their verdict, and turns before them. */
async function lastGate(log: VerifiedLog, state: State, workspace: Workspace): Promise<GateFacts | null> {
  let verdict: Extract<SessionEvent, { type: "gate.passed" | "gate.failed" }> | null = null;
  const checks: GateFacts["checks"][number][] = [];
  for (const { record } of recordsBack(log.bytes)) {
    const { event } = record;
    if (verdict === null) {
      if (event.type === "gate.passed" || event.type === "gate.failed") verdict = event;
      continue;
    }
    if (event.type === "turn.ended") break;
    if (event.type === "check.settled" && event.on === "change" && event.round === verdict.round)
      checks.unshift({ name: event.check, passed: event.exitCode === 0 && !event.timedOut });
  }
  if (verdict === null) return null;
  const { round, type, tree } = verdict;
  return { round, passed: type === "gate.passed", checks, current: await isCurrent(tree, state, workspace) };
}

/** A verdict is on the change laid onto the base, without what setup leaves behind. */
async function isCurrent(
  judged: string,
  { setupTree, tree }: State,
  { baseTree, objects }: Workspace,
): Promise<boolean> {
  if (setupTree === null || tree === null) return false;
  return (await objects.transplant({ from: setupTree, to: tree, onto: baseTree })) === judged;
}
