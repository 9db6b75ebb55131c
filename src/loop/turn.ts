import type { GoOn, NoteAbout } from "../session/event.ts";
import { windowFull } from "./blocks.ts";
import { type Decision, texts } from "./decide.ts";
import type { End } from "./end.ts";
import { stuckIn } from "./facts.ts";
import { acceptInput } from "./input.ts";
import { isFollowed } from "./resting.ts";
import type { Run } from "./run.ts";

/**
 * Ends the open turn, whose calls all have their results: tells the model what it has to know, takes in what people
 * said, and records why another turn follows. Whether one does is found in the log afterwards (resting.ts).
 */
export async function endTurn(run: Run, decision: Decision): Promise<End | null> {
  const { journal, signal } = run;
  const asks = journal.facts.asking.length > 0;
  const waits = asks || isFinished(decision);
  if (!asks) await sayWhy(run, decision);
  // Nothing may stand behind a paused reply, and nobody's comment belongs to a conversation that ends otherwise.
  const isOpen = waits || (nextOf(decision) !== "paused" && isFollowed(decision, journal));
  if (isOpen && !signal.aborted) await takeIn(run, waits ? "end" : "turn");
  const goesOn = waits && journal.facts.inputSinceReply;
  await record(run, goesOn ? "input" : asks ? "asked" : nextOf(decision));
  if (signal.aborted) return { kind: "cancelled" };
  await run.turnEnded();
  return null;
}

function isFinished({ after }: Decision): boolean {
  return after.kind === "end" && after.end.kind === "finished";
}

/** Why another turn follows, as far as the decision says it. */
export function nextOf({ after }: Pick<Decision, "after">): GoOn {
  switch (after.kind) {
    case "end":
      return "done";
    case "go-on":
      return after.next;
    case "truncated":
    case "nudge":
      return after.kind;
  }
}

/** Tells the model what it has to know before it is asked again. */
async function sayWhy(run: Run, { calls, after }: Decision): Promise<void> {
  const { facts, state } = run.journal;
  if (after.kind === "nudge") await note(run, "nudge", texts.nudge);
  if (after.kind === "truncated" && calls.length === 0) {
    const overflowed = state.turn.stopReason === windowFull;
    await note(run, "truncated", overflowed ? texts.overflowedText : texts.truncated);
  }
  if (after.kind !== "go-on" || after.next !== "calls" || facts.stuckTold) return;
  const stuck = stuckIn(facts);
  if (stuck !== null) await note(run, "stuck", texts[stuck]);
}

/** Tells the model something before it is asked again, unless it was told since its last reply. */
export async function note({ journal }: Run, about: NoteAbout, text: string): Promise<void> {
  if (journal.facts.noted.includes(about)) return;
  await journal.append({ type: "note.added", about, text: await journal.store(text) });
}

async function takeIn({ journal, heard }: Run, at: "turn" | "end"): Promise<void> {
  for (const input of await heard(at)) {
    if (!journal.state.inputs.includes(input.id)) await acceptInput(journal, input);
  }
}

async function record(run: Run, next: GoOn): Promise<void> {
  const { journal, clock } = run;
  const ms = Math.round(clock.elapsed() - (run.turnStartedAt ?? clock.elapsed()));
  run.turnStartedAt = null;
  await journal.endTurn({ turn: journal.state.turn.number, next, ms });
}
