import type { SessionId } from "../session/id.ts";
import { codeSpan, neutralCell } from "./neutral.ts";

/**
 * A command as it has to be written, to be copied: nothing stands in it that is not shown. GitHub mentions nobody in
 * code. What stands before it on its line keeps it from being a command itself (R2).
 */
export function commandSpan(triggerPhrase: string, rest = ""): string {
  const phrase = neutralCell(triggerPhrase, 40).replaceAll("&#8203;", "");
  return `<code>${phrase}${rest === "" ? "" : ` ${neutralCell(rest, 160)}`}</code>`;
}

/** A sentence with the exact command. Words stand before it, so the line can never be a command itself (R2). */
export function howToGoOn(triggerPhrase: string, session: SessionId): string {
  return `To go on, comment ${commandSpan(triggerPhrase, `resume ${session}`)} here, or dispatch the workflow with the session ${codeSpan(session)}.`;
}

/** The same for a session that goes on with words only: without them the same would be tried once more. */
export function howToGoOnInWords(triggerPhrase: string, session: SessionId): string {
  return `To go on, comment ${commandSpan(triggerPhrase)} and what to do differently here, or dispatch the workflow with the session ${codeSpan(session)} and your words as ${codeSpan("answer")}.`;
}

export const sandboxOffSentence =
  "**The sandbox was switched off** (`dangerously-disable-sandbox`): what the model ran had this job's network, files and rights.";
