import { unlessAborted } from "./abort.ts";
import { askApproval, withRefusals } from "./approval.ts";
import { textOf } from "./blocks.ts";
import { budgetNote, exhausted, spentOf } from "./budget.ts";
import { refuseCalls, runCalls } from "./calls.ts";
import { makeRoom } from "./compact.ts";
import { messagesOf } from "./context.ts";
import { type Decision, decide, texts } from "./decide.ts";
import type { End } from "./end.ts";
import type { OnLive } from "./live.ts";
import { askedEnd } from "./question.ts";
import { request } from "./request.ts";
import { restingEnd } from "./resting.ts";
import type { LoopParts, Run } from "./run.ts";
import { endTurn, note } from "./turn.ts";

/**
 * Works until the model is done or something ends it, recording each step before it acts. Where the log stopped
 * decides what comes next, so a resumed run takes the same path as one that never stopped.
 * Throws when a port does; what was open then stays open in the log.
 */
export async function runLoop(
  parts: LoopParts,
  { signal, onLive }: { readonly signal: AbortSignal; readonly onLive: OnLive },
): Promise<End> {
  const run: Run = { ...parts, signal, onLive, turnStartedAt: null, shippedOnce: false };
  // Bounded by the budget of turns, and within a turn by the tries and the calls of one batch.
  for (;;) {
    const end = await advance(run);
    if (end !== null) return end;
  }
}

async function advance(run: Run): Promise<End | null> {
  const { phase } = run.journal.state.turn;
  if (run.signal.aborted && phase !== "calling") return { kind: "cancelled" };
  switch (phase) {
    case "idle":
      return begin(run);
    case "requested":
      return inRoom(run, () => request(run));
    case "received":
      return receive(run);
    case "calling":
      return call(run);
  }
}

async function begin(run: Run): Promise<End | null> {
  const { journal, budget, toolbox, clock } = run;
  const messages = messagesOf(journal.context);
  const last = messages.at(-1);
  if (last === undefined) throw new Error("the loop was started before the session had any input");
  const resting = restingEnd(journal, { toolbox, nowMs: clock.now() });
  if (resting !== null) return resting;
  const { reply, pauses } = journal.facts;
  const paused = pauses > 0;
  // Nothing to ask with: a request ends with what the model has not answered.
  if (reply !== null && !paused && last.role === "assistant")
    return { kind: "finished", text: textOf(reply.content) };
  const asked = await askedEnd(journal);
  if (asked !== null) return asked;
  const spent = spentOf(journal.state, 0);
  const over = exhausted(budget, spent);
  if (over !== null) return { kind: "exhausted", budget: over };
  return inRoom(run, async () => {
    const told = budgetNote(budget, spent, journal.facts.budgetTold);
    if (told !== null && !paused) await note(run, "budget", told);
    return request(run);
  });
}

/** Asks once there is room in the model's window; where that had to be made, what was spent is looked at again first. */
async function inRoom(run: Run, ask: () => Promise<End | null>): Promise<End | null> {
  const room = await makeRoom(run);
  if (room === "enough") return ask();
  return room === "shortened" ? null : room;
}

async function receive(run: Run): Promise<End | null> {
  const { journal } = run;
  startClock(run);
  const decision = decideAgain(run);
  if (decision.calls.length === 0) return endTurn(run, decision);
  const waits = await askApproval(decision.calls, run);
  if (waits !== null) return waits;
  const calls = await Promise.all(
    decision.calls.map(async ({ id, tool, input, class: effect }) => {
      return {
        id,
        tool,
        arguments: await journal.store(JSON.stringify(input), { json: true }),
        class: effect,
      };
    }),
  );
  await journal.append({ type: "calls.intended", turn: journal.state.turn.number, calls });
  return null;
}

async function call(run: Run): Promise<End | null> {
  const { journal, signal } = run;
  startClock(run);
  const decision = decideAgain(run);
  const refusals = new Map(decision.calls.map(({ id, refusal }) => [id, refusal]));
  if (decision.calls.some(({ refusal }) => refusal !== null)) {
    await refuseCalls(journal, (id) => refusals.get(id) ?? texts.otherInvalid);
  } else {
    if (!run.shippedOnce) await unlessAborted(run.shipped(), signal);
    run.shippedOnce = true;
    if ((await runCalls(run, { signal })) === "open") return { kind: "cancelled" };
  }
  return endTurn(run, decision);
}

/** The same reply leads to the same decision, so it is not stored: it is made again, on resume as well. */
function decideAgain({ toolbox, journal, policy }: Run): Decision {
  const { reply, refusals } = journal.facts;
  if (reply === null) throw new Error(`turn ${journal.state.turn.number} has calls but no reply in the log`);
  return withRefusals(decide(reply, toolbox), policy, refusals);
}

function startClock(run: Run): void {
  run.turnStartedAt ??= run.clock.elapsed();
}
