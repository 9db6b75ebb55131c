import type { ReplyBlock } from "../model/script.ts";
import { redact, signThinking } from "../model/signing.ts";
import { eventsOf, type StreamEvent } from "../model/stream.ts";

export type Events = readonly StreamEvent[];

export type Told = {
  readonly content: readonly ReplyBlock[];
  readonly stopReason?: string;
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly deltaChars?: number;
};

const usage = {
  input_tokens: 12,
  cache_creation_input_tokens: 3,
  cache_read_input_tokens: 90,
  output_tokens: 25,
};

/** The events of a reply, as the API streams it. */
export function streamOf({ content, stopReason, usage: counts = usage, deltaChars = 24 }: Told): Events {
  const calls = content.some(({ type }) => type === "tool_use");
  const signed = content.map((block) =>
    block.type === "thinking"
      ? { ...block, signature: block.signature ?? signThinking(block.thinking) }
      : block,
  );
  const message = {
    id: "msg_01",
    type: "message",
    role: "assistant",
    model: "claude-test",
    content: signed,
    stop_reason: stopReason ?? (calls ? "tool_use" : "end_turn"),
    stop_sequence: null,
    stop_details: null,
    usage: counts,
  } as const;
  return [...eventsOf(message, deltaChars)];
}

export const text = (words: string): ReplyBlock => ({ type: "text", text: words });
export const thinking = (words: string): ReplyBlock => ({ type: "thinking", thinking: words });
export const call = (id: string, name: string, input: unknown, json?: string): ReplyBlock => ({
  type: "tool_use",
  id,
  name,
  input,
  ...(json === undefined ? {} : { json }),
});

/** Thinking, words and two calls, the second of which changes the workspace. */
export const work = streamOf({
  content: [
    thinking("The parser drops “ß”. I look, then fix it. 😀"),
    text("I look at it — and fix it."),
    call("w1", "read", { path: "src/größe.ts" }),
    call("w2", "write", { text: "fixed 😀" }),
  ],
});

/** One call with a long argument, after thinking that nobody may read. */
export const long = streamOf({
  content: [
    { type: "redacted_thinking", data: redact("hidden") },
    call("l1", "write", { text: "line one\nline two with “quotes” and \\ and \u0007 ✓\n".repeat(6) }),
  ],
  deltaChars: 40,
});

/** A last message. */
export const talk = streamOf({ content: [text("Fixed it.\n\nIt was the “ß” — 😀.")] });

export const streams = { work, long, talk } as const;
export type StreamName = keyof typeof streams;

/** How the lines of a stream are written. */
export type Form = {
  readonly eol?: "\n" | "\r\n" | "\r";
  /** Each event's data over several lines, as the format allows between tokens. */
  readonly manyLines?: boolean;
  readonly noSpace?: boolean;
  /** Comments, ids and retry times between events. */
  readonly extras?: boolean;
  readonly bom?: boolean;
};

export function encode(events: Events, form: Form = {}): Buffer {
  const { eol = "\n", manyLines = false, noSpace = false, extras = false, bom = false } = form;
  const field = (name: string, value: string) => `${name}:${noSpace ? "" : " "}${value}`;
  const lines = events.flatMap((event) => {
    const json = manyLines ? JSON.stringify(event, null, 1) : JSON.stringify(event);
    return [
      ...(extras ? [": a comment", field("id", "7"), field("retry", "9"), "nameless"] : []),
      field("event", event.type),
      ...json.split("\n").map((line) => field("data", line)),
      "",
    ];
  });
  return Buffer.from(`${bom ? "\ufeff" : ""}${lines.map((line) => `${line}${eol}`).join("")}`);
}

/** Byte offsets behind each event, the beginning included. */
export function boundariesOf(events: Events): readonly number[] {
  const ends = [0];
  for (const event of events) ends.push((ends.at(-1) ?? 0) + encode([event]).length);
  return ends;
}
