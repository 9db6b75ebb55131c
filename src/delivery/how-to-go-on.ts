import type { SessionId } from "../session/id.ts";
import { codeSpan } from "./neutral.ts";

/** A sentence with the exact command. Words stand before it, so the line can never be a command itself (R2). */
export function howToGoOn(triggerPhrase: string, session: SessionId): string {
  return `To go on, comment ${codeSpan(`${triggerPhrase} resume ${session}`)} here, or dispatch the workflow with the session ${codeSpan(session)}.`;
}

export const sandboxOffSentence =
  "**The sandbox was switched off** (`dangerously-disable-sandbox`): what the model ran had this job's network, files and rights.";
