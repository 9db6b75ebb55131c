import { exactJson } from "../delivery/exact-json.ts";
import type { Waits } from "../delivery/waiting.ts";

/** What a session waits for, and the command lines that answer it. `again` begins each: the resume of this session. */
export function waitLines({ waiting }: Waits, again: string): readonly string[] {
  if (waiting.kind === "question") return [`answer with: ${again} --answer '<your answer>'`];
  return waiting.calls.flatMap(({ id, tool, arguments: given, why }) => [
    `${tool} (${id}) waits because ${why}; its arguments, exactly:`,
    exactJson(given),
    `allow it with: ${again} --answer 'approve ${id}'`,
    `refuse it with: ${again} --answer 'deny ${id} <why>'`,
  ]);
}
