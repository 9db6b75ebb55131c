import type { WireRequest } from "./wire.ts";

/** A block of a scripted reply. `id` and `signature` are made by the server where they are left out. */
export type ReplyBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature?: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | {
      readonly type: "tool_use";
      readonly name: string;
      readonly input: unknown;
      readonly id?: string;
      /** What is streamed instead of `input` as JSON: a cut or a broken argument. */
      readonly json?: string;
    };

/**
 * What goes wrong after `at` events of the stream were sent (0: headers only).
 * `error` is an error event inside the 200 stream, `reset` a TCP reset, `eof` a clean end, and
 * `stall` sends nothing more until the client or the server closes.
 */
export type Fault =
  | { readonly kind: "error"; readonly at: number; readonly type?: string; readonly message?: string }
  | { readonly kind: "reset" | "eof" | "stall"; readonly at: number };

/** When to wait in the middle of a reply, so that a test can act at exactly this point. */
export interface Hold {
  /** The reply goes on when this settles, or ends when the client has gone. */
  readonly until: Promise<unknown>;
  /** Events sent before the wait. Left out: nothing is sent, not even headers. */
  readonly at?: number;
  /** Called when the wait begins. */
  readonly onReached?: () => void;
}

interface Delivery {
  /** Characters in one delta. Default 16. */
  readonly deltaChars?: number;
  /** Bytes in one write to the socket; splits UTF-8 sequences and lines. Default: one event a write. */
  readonly writeBytes?: number;
  readonly fault?: Fault;
  readonly hold?: Hold;
}

/** A reply of the model, streamed or whole as the request asks. */
export interface MessageReply extends Delivery {
  readonly kind: "message";
  readonly content: readonly ReplyBlock[];
  /** Default: `tool_use` when there is a call, else `end_turn`. Any string, known or not. */
  readonly stopReason?: string;
  /** Overrides of the simulated usage; a member set to undefined is left out. */
  readonly usage?: Readonly<Record<string, unknown>>;
}

/** A stream written out event by event, for streams that no reply can give. */
export interface EventsReply extends Delivery {
  readonly kind: "events";
  readonly events: readonly { readonly type: string; readonly [key: string]: unknown }[];
}

/** An HTTP answer instead of a reply: an error status, or a 200 that is not what it should be. */
export interface HttpReply {
  readonly kind: "http";
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is. Left out: an API error object of `type` and `message`. */
  readonly body?: string;
  readonly type?: string;
  readonly message?: string;
  readonly hold?: Hold;
}

export type Reply = MessageReply | EventsReply | HttpReply;

/** One entry of a script: a reply, or a function of the request (and its index) that gives one. */
export type Step = Reply | ((body: WireRequest, index: number) => Reply | Promise<Reply>);

type Extras = Omit<MessageReply, "kind" | "content">;

/** A reply of text only. */
export function say(text: string, extras: Extras = {}): MessageReply {
  return { kind: "message", content: text === "" ? [] : [{ type: "text", text }], ...extras };
}

/** A reply with one call, after the given thinking and text. `cutAt` cuts its JSON there with `max_tokens`. */
export function use(
  name: string,
  input: unknown,
  {
    id,
    text,
    thinking,
    cutAt,
    ...extras
  }: Extras & Lead & { readonly id?: string; readonly cutAt?: number } = {},
): MessageReply {
  const call = { type: "tool_use", name, input, ...(id === undefined ? {} : { id }) } as const;
  if (cutAt === undefined)
    return { kind: "message", content: [...leadOf({ text, thinking }), call], ...extras };
  const json = JSON.stringify(input).slice(0, cutAt);
  const content = [...leadOf({ text, thinking }), { ...call, json }];
  return { kind: "message", content, stopReason: "max_tokens", ...extras };
}

/** A reply with several calls, in this order. */
export function calls(
  list: readonly { readonly name: string; readonly input: unknown; readonly id?: string }[],
  { text, thinking, ...extras }: Extras & Lead = {},
): MessageReply {
  const blocks = list.map((call) => ({ type: "tool_use", ...call }) as const);
  return { kind: "message", content: [...leadOf({ text, thinking }), ...blocks], ...extras };
}

/** An error of the API: `failWith(529, "overloaded_error", "Overloaded")`. */
export function failWith(
  status: number,
  type: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpReply {
  return { kind: "http", status, type, message, headers };
}

interface Lead {
  readonly text?: string | undefined;
  readonly thinking?: string | undefined;
}

function leadOf({ text, thinking }: Lead): readonly ReplyBlock[] {
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking", thinking } as const]),
    ...(text === undefined ? [] : [{ type: "text", text } as const]),
  ];
}
