import type { Block } from "../session/event.ts";
import { callsIn } from "./blocks.ts";
import type { Message } from "./model.ts";

/**
 * Proves, before a request is sent, what the API would refuse it for: each call has exactly one result, first
 * thing in the next message; no result without a call; ids unique; no empty message; a user message at both ends,
 * or at the end a paused reply. Throws, since a history that fails it is a fault of ours.
 */
export function provePairing(messages: readonly Message[], { paused }: { readonly paused: boolean }): void {
  const why = flawOf(messages, paused);
  if (why !== null) throw new Error(`request not sent: ${why}`);
}

function flawOf(messages: readonly Message[], paused: boolean): string | null {
  const last = messages.at(-1);
  if (last === undefined) return "it has no message";
  if (messages[0]?.role !== "user") return "message 0 is not the user's";
  if (last.role === "assistant" && !paused) return "it ends with the model's own message";
  const ids = new Set<string>();
  for (const [i, message] of messages.entries()) {
    if (message.content.length === 0) return `message ${i} is empty`;
    const flaw = repeated(message, ids) ?? unpaired(message, messages[i - 1]);
    if (flaw !== null) return `message ${i}: ${flaw}`;
  }
  const open = callsIn(last.content);
  return last.role === "assistant" && open.length > 0 ? `call ${open[0]?.id} has no result` : null;
}

function repeated(message: Message, ids: Set<string>): string | null {
  for (const { id } of callsIn(message.content)) {
    if (message.role !== "assistant") return `call ${id} is not in a message of the model`;
    if (ids.has(id)) return `call id ${id} is used twice`;
    ids.add(id);
  }
  return null;
}

function unpaired(message: Message, before: Message | undefined): string | null {
  const asked = before === undefined ? [] : callsIn(before.content).map(({ id }) => id);
  const results = message.content.filter((block) => block.type === "tool_result").map(resultId);
  const leading = message.content.slice(0, results.length).every((block) => block.type === "tool_result");
  if (!leading) return "a result stands behind other content";
  const missing = asked.find((id) => !results.includes(id));
  if (missing !== undefined) return `call ${missing} has no result here`;
  const stray = results.find((id) => !asked.includes(id));
  if (stray !== undefined) return `result ${stray} answers no call`;
  return results.length === new Set(results).size ? null : "a call has two results";
}

function resultId(block: Block): string {
  return String(block["tool_use_id"]);
}
