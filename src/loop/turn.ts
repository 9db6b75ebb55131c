import type { GoOn, NoteAbout } from "../session/event.ts";
import { windowFull } from "./blocks.ts";
import { type Decision, texts } from "./decide.ts";
import type { End } from "./end.ts";
import { stuckIn } from "./facts.ts";
import { acceptInput } from "./input.ts";
import { askedEnd } from "./question.ts";
import { unavailable } from "./retry.ts";
import type { Run } from "./run.ts";

const cutInARowMax = 3;
const pausesInARowMax = 5;

/**
 * Ends the open turn, whose calls all have their results: takes in what people said, says why another turn
 * follows, and returns the end where none does.
 */
export async function endTurn(run: Run, decision: Decision): Promise<End | null> {
  if (run.signal.aborted) {
    await record(run, nextOf(decision));
    return { kind: "cancelled" };
  }
  const { state, facts } = run.journal;
  const past = { cut: state.truncated, pauses: facts.pauses, nowMs: run.clock.now() };
  const end = endOf(decision, past) ?? (await askedEnd(run.journal));
  const stuck = end?.kind === "asked" ? null : await sayWhy(run, decision);
  const waits = end?.kind === "finished" || end?.kind === "asked";
  // Nothing may stand behind a paused reply, and nobody's comment belongs to a conversation that ends otherwise.
  if (waits || (end === null && nextOf(decision) !== "paused")) await takeIn(run, waits ? "end" : "turn");
  const goesOn = waits && run.journal.facts.inputSinceReply;
  await record(run, goesOn ? "input" : end?.kind === "asked" ? "asked" : nextOf(decision));
  await run.turnEnded();
  return goesOn ? null : (end ?? stuck);
}

/** What a turn's decision means after those before it: how many replies in a row were cut, and were paused. */
type Past = { readonly cut: number; readonly pauses: number; readonly nowMs: number };

/** The end that this turn leads to by itself, null when another one follows. */
export function endOf({ after }: Pick<Decision, "after">, past: Past): End | null {
  const cut = past.cut + 1;
  const pauses = past.pauses + 1;
  switch (after.kind) {
    case "end":
      return after.end;
    case "truncated":
      return cut < cutInARowMax
        ? null
        : { kind: "stuck", why: `${cut} replies in a row were cut at a limit of the model` };
    case "go-on":
      return after.next !== "paused" || pauses < pausesInARowMax
        ? null
        : unavailable(`the provider paused ${pauses} times in a row`, {
            nowMs: past.nowMs,
            retryAfterMs: null,
          });
    case "nudge":
      return null;
  }
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

/** Tells the model what it has to know before it is asked again; returns the end when it was told before. */
async function sayWhy(run: Run, { calls, after }: Decision): Promise<End | null> {
  if (after.kind === "nudge") await note(run, "nudge", texts.nudge);
  if (after.kind === "truncated" && calls.length === 0) {
    const overflowed = run.journal.state.turn.stopReason === windowFull;
    await note(run, "truncated", overflowed ? texts.overflowedText : texts.truncated);
  }
  if (after.kind !== "go-on" || after.next !== "calls") return null;
  const stuck = stuckIn(run.journal.facts);
  if (stuck === null) return null;
  if (run.journal.facts.stuckTold) {
    const why =
      stuck === "repeated" ? "the same call kept giving the same result" : "turns brought nothing new";
    return { kind: "stuck", why };
  }
  await note(run, "stuck", texts[stuck]);
  return null;
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
