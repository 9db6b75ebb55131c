import type { Outcome } from "../app/outcome.ts";
import { exactJson } from "../delivery/exact-json.ts";
import type { Waits } from "../delivery/waiting.ts";

/** What a session waits for, and the command lines that answer it. `again` begins each: the resume of this session. */
function waitLines({ waiting }: Waits, again: string): readonly string[] {
  if (waiting.kind === "question") return [`answer with: ${again} --answer '<your answer>'`];
  return waiting.calls.flatMap(({ id, tool, arguments: given, why }) => [
    `${tool} (${id}) waits because ${why}; its arguments, exactly:`,
    exactJson(given),
    `allow it with: ${again} --answer 'approve ${id}'`,
    `refuse it with: ${again} --answer 'deny ${id} <why>'`,
  ]);
}

/** How a session is gone on with; `again` is the command that resumes it. */
export function onLines({ kind, waits }: Pick<Outcome, "kind" | "waits">, again: string): readonly string[] {
  if (waits !== null) return waitLines(waits, again);
  // Without words the gate would come to the same end.
  return [`go on with: ${again}${kind === "gate-failed" ? " --answer '<what to do differently>'" : ""}`];
}
