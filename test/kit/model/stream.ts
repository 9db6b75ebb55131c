import type { ReplyBlock } from "./script.ts";

export interface StreamEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A reply as it is sent: ids, signatures and usage are filled in. */
export interface SentMessage {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  readonly model: string;
  readonly content: readonly ReplyBlock[];
  readonly stop_reason: string;
  readonly stop_sequence: null;
  readonly stop_details: unknown;
  readonly usage: Readonly<Record<string, unknown>>;
}

/** The events of a streamed reply, in the API's order, with deltas of `deltaChars` characters. */
export function* eventsOf(message: SentMessage, deltaChars = 16): Generator<StreamEvent> {
  const { content, stop_reason, stop_details, usage } = message;
  const opening = { ...message, content: [], stop_reason: null, stop_details: null };
  yield { type: "message_start", message: { ...opening, usage: { ...usage, output_tokens: 1 } } };
  yield { type: "ping" };
  for (const [index, block] of content.entries()) {
    yield { type: "content_block_start", index, content_block: openingOf(block) };
    for (const delta of deltasOf(block, deltaChars)) yield { type: "content_block_delta", index, delta };
    yield { type: "content_block_stop", index };
  }
  const delta = { stop_reason, stop_sequence: null, stop_details, container: null };
  yield { type: "message_delta", delta, usage };
  yield { type: "message_stop" };
}

/** One event in the server-sent form. */
export function encodeEvent(event: StreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** The JSON of a call's input as it is streamed. */
export function jsonOf(block: { readonly input: unknown; readonly json?: string }): string {
  return block.json ?? JSON.stringify(block.input);
}

function openingOf(block: ReplyBlock): unknown {
  switch (block.type) {
    case "text":
      return { type: "text", text: "" };
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" };
    case "redacted_thinking":
      return block;
    case "tool_use":
      return { type: "tool_use", id: block.id, name: block.name, input: {} };
  }
}

function deltasOf(block: ReplyBlock, chars: number): readonly unknown[] {
  switch (block.type) {
    case "text":
      return pieces(block.text, chars).map((text) => ({ type: "text_delta", text }));
    case "thinking":
      return [
        ...pieces(block.thinking, chars).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block.signature },
      ];
    case "redacted_thinking":
      return [];
    case "tool_use":
      return ["", ...pieces(jsonOf(block), chars)].map((partial_json) => ({
        type: "input_json_delta",
        partial_json,
      }));
  }
}

/** Cut between code points, since the API never splits one over two deltas. */
function pieces(text: string, chars: number): readonly string[] {
  const points = Array.from(text);
  const count = Math.ceil(points.length / chars);
  return Array.from({ length: count }, (_, i) => points.slice(i * chars, (i + 1) * chars).join(""));
}
