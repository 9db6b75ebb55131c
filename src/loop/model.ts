import type { Block, Usage } from "../session/event.ts";
import type { OnLive } from "./live.ts";

export type Message = { readonly role: "user" | "assistant"; readonly content: readonly Block[] };

export type ToolDefinition = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
};

export type ModelRequest = {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly Message[];
  readonly maxTokens: number;
};

/** What a request came to. A failed attempt is dropped whole: none of its blocks is ever shown to the loop. */
export type Reply =
  | {
      readonly kind: "reply";
      readonly content: readonly Block[];
      /** As the provider says it; may only forbid, never cause. */
      readonly stopReason: string;
      readonly usage: Usage;
      readonly requestId: string | null;
      /** Ids of tool_use blocks whose argument JSON did not parse strictly; they are never run. */
      readonly brokenCalls: readonly string[];
    }
  | {
      readonly kind: "failed";
      /**
       * `again` may be retried; `final` may not (bad key, bad request, spend limit); `cancelled` is our own abort.
       * `too-large`: the conversation is larger than the provider takes, so only a shorter one may be sent again.
       * `unread-image`: it cannot read an image of the conversation, so only one without it may.
       * `unfit-thinking`: it does not take back what the model thought, which may be left out.
       * `long-output`: a longer reply was asked for than the model can give.
       */
      readonly verdict:
        | "again"
        | "final"
        | "too-large"
        | "unread-image"
        | "unfit-thinking"
        | "long-output"
        | "cancelled";
      readonly reason: string;
      /** With `long-output`: the most that it can give, tokens. */
      readonly outputMax?: number;
      readonly status: number | null;
      /** ms from now, where the provider says when to come back: `retry-after`, or the end of a spend limit. */
      readonly retryAfterMs: number | null;
      /** What the provider worked before it failed; left out where it had not begun. */
      readonly usage?: Usage;
    };

/**
 * Port: one streamed request, no retries of its own. Resolves in every case; throws only for a fault of ours.
 * A reply counts only when `message_stop` arrived and all blocks were closed (R23).
 */
export type Model = {
  readonly reply: (
    request: ModelRequest,
    options: { readonly signal: AbortSignal; readonly onLive: OnLive },
  ) => Promise<Reply>;
};
