import type { Block, SessionEvent } from "../session/event.ts";
import { useOf, windowFull } from "./blocks.ts";
import { type Context, imageTokensMax, messagesOf } from "./context.ts";
import type { ToolDefinition } from "./model.ts";

/**
 * Tokens that a conversation and the reply to it may have together. Every model of the price list takes these, and some
 * take a million; more is not used even so, since every turn sends, and pays for, the whole conversation again.
 */
const windowTokens = 200_000;

/** The share of the window at which the conversation is shortened. */
const shareFull = 0.75;

/** A reply with less room than this is not worth asking for, tokens. */
const replyTokensMin = 4_096;

/** A window that turned out to be smaller is believed down to this share of what was expected: bytes have limits too. */
const shareBelieved = 1 / 8;

/** Text has more than this for a token, but for the densest; what was counted by the provider is never estimated. */
export const bytesPerToken = 2.5;

/**
 * How full the window is, as a fold over the session's events that a checkpoint keeps: nothing of it is known again
 * without asking.
 */
export type Fill = {
  /** Tokens up to and including the last reply, as the provider counted them; null where it has not counted this conversation. */
  readonly counted: number | null;
  /** What was added since, estimated in tokens. */
  readonly added: number;
  /** The last reply was cut because the window was full, and the conversation was not shortened since. */
  readonly cut: boolean;
  /** It was shortened since the last reply and the last input. */
  readonly shortened: boolean;
  /** How often it was shortened because the provider found it too long, since the last input. */
  readonly overflows: number;
  /** The size at which the provider last found it too long; null where it never did. */
  readonly fullAt: number | null;
  /** A request of a turn is open: a failure that comes without one is a summary's. */
  readonly requested: boolean;
  /** Failed tries of the summary that is being asked for. */
  readonly tries: number;
  /** The longest reply that the model can give, tokens; null where the provider has not said it. */
  readonly outputMax: number | null;
};

export const noFill: Fill = {
  counted: null,
  added: 0,
  cut: false,
  shortened: false,
  overflows: 0,
  fullAt: null,
  requested: false,
  tries: 0,
  outputMax: null,
};

/** What every request has beside the messages. */
type Frame = {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  /** Tokens, where they are not those that most models take. */
  readonly window?: number;
};

/** `text` is what the event tells the model, and `content` the blocks of a reply. */
export function fillAfter(
  fill: Fill,
  event: SessionEvent,
  { text, content }: { readonly text: string; readonly content: readonly Block[] },
): Fill {
  switch (event.type) {
    case "input.accepted": {
      const images = (event.images ?? []).length * imageTokensMax;
      return { ...grown(fill, tokensIn(text) + images), overflows: 0, shortened: false };
    }
    case "note.added":
    case "gate.failed":
    case "call.settled":
      return grown(fill, tokensIn(text));
    case "images.left-out":
      // What the provider counted before holds the others, as it will once more.
      return event.all ? fill : grown(fill, -Math.min(fill.added, event.count * imageTokensMax));
    case "run.claimed":
      // Another model counts otherwise, and may have another window. What the run before had asked for died with it.
      return event.model === undefined ? { ...fill, requested: false } : noFill;
    case "reply.requested":
      return { ...fill, requested: true };
    case "reply.failed": {
      const known = { ...fill, outputMax: event.outputMax ?? fill.outputMax };
      return fill.requested ? { ...known, requested: false } : { ...known, tries: fill.tries + 1 };
    }
    case "reply.received":
      return counted(fill, event, content);
    case "context.compacted":
      return compacted(fill, event.why);
    case "run.suspended":
      return { ...fill, tries: 0 };
    default:
      return fill;
  }
}

/** Tokens that the next request would have, without its reply. */
export function sizeOf(
  { facts, context }: { readonly facts: { readonly fill: Fill }; readonly context: Context },
  { system, tools }: Pick<Frame, "system" | "tools">,
): number {
  const { counted: known, added } = facts.fill;
  return known === null ? tokensIn([system, tools, messagesOf(context)]) : known + added;
}

/** Tokens that there is room for, with the reply. */
export function windowOf(fill: Fill, { window = windowTokens }: Pick<Frame, "window">): number {
  const seen = fill.fullAt ?? window;
  return Math.min(window, Math.max(Math.floor(window * shareBelieved), seen));
}

export type Room =
  | { readonly kind: "enough" }
  | { readonly kind: "short"; readonly why: "near-full" | "overflow" }
  | { readonly kind: "none"; readonly why: string };

/**
 * Whether the next request may be sent as it is, only once the conversation was shortened, or not at all. `refused`: the
 * provider did not take this one. A paused reply wants to be continued exactly as it is.
 */
export function roomFor(
  fill: Fill,
  {
    size,
    window,
    maxTokens,
    begun,
    paused,
    refused,
  }: {
    readonly size: number;
    readonly window: number;
    readonly maxTokens: number;
    /** Whether there is more than what it began with, which nothing can be summarised of. */
    readonly begun: boolean;
    readonly paused: boolean;
    readonly refused: boolean;
  },
): Room {
  if (refused || fill.cut) {
    if (fill.overflows === 0) return { kind: "short", why: "overflow" };
    return {
      kind: "none",
      why: `the provider found the conversation too long again after its older part had been summarised; ${wayOut}`,
    };
  }
  const fits = size < window * shareFull && window - size >= Math.min(replyTokensMin, maxTokens);
  if (paused || fits) return { kind: "enough" };
  if (!fill.shortened) return begun ? { kind: "short", why: "near-full" } : { kind: "enough" };
  return {
    kind: "none",
    why: `the conversation has about ${size} tokens with its older part summarised, too many for a window of ${window}; ${wayOut}`,
  };
}

const wayOut = "name a model with a larger window, or begin anew with a smaller task";

/** As much of an output limit as the model can give. */
export function outputFor({ outputMax }: Fill, maxTokens: number): number {
  return Math.min(maxTokens, outputMax ?? maxTokens);
}

/** The output limit that fits beside what is sent. Small as it may be, there is always one to ask with. */
export function outputWithin(maxTokens: number, { size, window }: { size: number; window: number }): number {
  return Math.min(maxTokens, Math.max(replyTokensMin, window - size));
}

/** A pessimistic estimate for anything that a request is made of. A picture costs the same whatever its bytes. */
export function tokensIn(value: unknown): number {
  let images = 0;
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (!isImage(part)) return part;
    images += 1;
    return "image";
  });
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken) + images * imageTokensMax;
}

function isImage(value: unknown): boolean {
  return typeof value === "object" && value !== null && "type" in value && value.type === "image";
}

function grown(fill: Fill, tokens: number): Fill {
  return { ...fill, added: fill.added + tokens };
}

function counted(
  fill: Fill,
  { usage, stopReason }: Extract<SessionEvent, { type: "reply.received" }>,
  content: readonly Block[],
): Fill {
  const after: Fill = {
    ...fill,
    cut: stopReason === windowFull,
    shortened: false,
    requested: false,
    tries: 0,
  };
  // What cannot be sent back is no part of the conversation, which then has the size that it had.
  if (useOf(content, stopReason).kind !== "usable") return after;
  return { ...after, counted: usage.input + usage.cacheRead + usage.cacheWrite + usage.output, added: 0 };
}

function compacted(fill: Fill, why: "near-full" | "overflow"): Fill {
  const size = fill.counted === null ? null : fill.counted + fill.added;
  const over = why === "overflow";
  return {
    ...fill,
    counted: null,
    added: 0,
    cut: false,
    shortened: true,
    overflows: over ? fill.overflows + 1 : fill.overflows,
    fullAt: over ? (size ?? fill.fullAt) : fill.fullAt,
    tries: 0,
  };
}
