import type { Outcome } from "../app/outcome.ts";
import { exactJson, takenOutNote } from "../delivery/exact-json.ts";
import type { WaitingCall, Waits } from "../delivery/waiting.ts";
import { askedSetup, setupLines } from "../delivery/waiting-setup.ts";

/** What a session waits for, and the command lines that answer it. `again` begins each: the resume of this session. */
function waitLines({ waiting }: Waits, again: string): readonly string[] {
  if (waiting.kind === "question") return [`answer with: ${again} --answer '<your answer>'`];
  return waiting.calls.flatMap((call) => [
    ...callLines(call),
    `allow it with: ${again} --answer 'approve ${call.id}'`,
    `refuse it with: ${again} --answer 'deny ${call.id} <why>'`,
  ]);
}

function callLines(call: WaitingCall): readonly string[] {
  const { id, tool, why } = call;
  const setup = askedSetup(call);
  if (setup === null)
    return [`${tool} (${id}) waits because ${why}; its arguments, exactly:`, ...argumentLines(call)];
  return [`setup (${id}) waits because ${why}; it would run, with network:`, ...setupLines(setup)];
}

function argumentLines({ arguments: given }: WaitingCall): readonly string[] {
  const { text, takenOut } = exactJson(given);
  return takenOut === 0 ? [text] : [text, takenOutNote(takenOut)];
}

/** How a session is gone on with; `again` is the command that resumes it. */
export function onLines({ kind, waits }: Pick<Outcome, "kind" | "waits">, again: string): readonly string[] {
  if (waits !== null) return waitLines(waits, again);
  // Without words the gate would come to the same end.
  return [`go on with: ${again}${kind === "gate-failed" ? " --answer '<what to do differently>'" : ""}`];
}
