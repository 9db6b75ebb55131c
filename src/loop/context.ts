import type { Block, InputImage, Payload, SessionEvent } from "../session/event.ts";
import { callsIn, sendable, useOf } from "./blocks.ts";
import type { Message } from "./model.ts";

/**
 * What the model has been told, as a fold over the events: the only way messages come to be, so a resumed request
 * is byte for byte the one before plus what is new.
 */
export type Context = {
  /** Whole messages, up to and including the last reply. */
  readonly closed: readonly Message[];
  /** Ids of the last reply's calls, in the order they were intended. */
  readonly asked: readonly string[];
  readonly results: Readonly<Record<string, Block>>;
  /** Inputs with their pictures, notes and findings of the gate since the last reply. */
  readonly texts: readonly Block[];
};

/** A picture with its bytes as base64. */
export type Image = { readonly mediaType: string; readonly data: string };

/** At most so many tokens does one picture cost, however large it is: the provider scales it down before it counts. */
export const imageTokensMax = 4_800;

export const emptyContext: Context = { closed: [], asked: [], results: {}, texts: [] };

/** The payload that an event tells the model, or null when it tells none. */
export function toldBy(event: SessionEvent): Payload | null {
  switch (event.type) {
    case "input.accepted":
    case "note.added":
      return event.text;
    case "reply.received":
      return event.content;
    case "call.settled":
      return event.output;
    case "gate.failed":
      return event.findings;
    default:
      return null;
  }
}

/** The pictures that an event shows the model behind its text. */
export function shownBy(event: SessionEvent): readonly InputImage[] {
  return event.type === "input.accepted" ? (event.images ?? []) : [];
}

/**
 * `text` is the text of `toldBy(event)`, ignored for events that tell nothing; `images` are the loaded pictures of
 * `shownBy(event)`.
 */
export function extend(
  context: Context,
  event: SessionEvent,
  text: string,
  images: readonly Image[] = [],
): Context {
  switch (event.type) {
    case "input.accepted":
      return { ...context, texts: [...context.texts, ...textBlocks(text), ...images.map(imageBlock)] };
    case "note.added":
    case "gate.failed":
      return { ...context, texts: [...context.texts, ...textBlocks(text)] };
    case "reply.received":
      return withReply(context, parseContent(text), event.stopReason);
    case "run.claimed":
      return event.model === undefined ? context : withoutSigned(context);
    case "thinking.left-out":
      return withoutSigned(context);
    case "images.left-out":
      return withoutImages(context, event);
    case "calls.intended":
      return { ...context, asked: reordered(context.asked, event.calls) };
    case "call.settled": {
      if (!context.asked.includes(event.id)) return context;
      const block = resultBlock(event.id, text, event.status !== "ok");
      return { ...context, results: { ...context.results, [event.id]: block } };
    }
    default:
      return context;
  }
}

/** The messages as they would be sent now. */
export function messagesOf(context: Context): readonly Message[] {
  const results = context.asked.flatMap((id) => context.results[id] ?? []);
  const content = [...results, ...context.texts];
  return content.length === 0 ? context.closed : [...ended(context.closed), { role: "user", content }];
}

/** A paused reply that is not continued ends as any other does: no thinking is its last block. */
function ended(closed: readonly Message[]): readonly Message[] {
  const last = closed.at(-1);
  if (last?.role !== "assistant") return closed;
  const content = sendable(last.content, "end_turn");
  return content.length === last.content.length ? closed : [...closed.slice(0, -1), { ...last, content }];
}

/** A context that begins in the middle: `summary` stands in place of everything before it. */
export function summarised(summary: string): Context {
  return { ...emptyContext, texts: [{ type: "text", text: summary }] };
}

/** Whether they hold what the model thought. */
export function holdsThinking({ closed }: Context): boolean {
  return closed.some(({ content }) => content.some(({ type }) => isSigned(type)));
}

/** How many pictures the messages hold, and how many characters of base64 they are. */
export function imagesHeld(context: Context): { readonly count: number; readonly characters: number } {
  const blocks = messagesOf(context).flatMap(({ content }) => content);
  const data = blocks.filter(({ type }) => type === "image").map(dataOf);
  return { count: data.length, characters: data.reduce((sum, { length }) => sum + length, 0) };
}

/** Ids of all calls that were ever sent or would be sent now. */
export function usedIds(context: Context): ReadonlySet<string> {
  return new Set(context.closed.flatMap(({ content }) => callsIn(content).map(({ id }) => id)));
}

export function parseContent(text: string): readonly Block[] {
  // Only ever text that this program stored from a reply's blocks.
  return JSON.parse(text) as readonly Block[];
}

/** The API takes no blank text. */
function textBlocks(text: string): readonly Block[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function imageBlock({ mediaType, data }: Image): Block {
  return { type: "image", source: { type: "base64", media_type: mediaType, data } };
}

function dataOf(image: Block): string {
  // Only ever what `imageBlock` made.
  return (image["source"] as { readonly data: string }).data;
}

/** A reply that is not sent back leaves the last user message open: what comes next is added to its end. */
function withReply(context: Context, content: readonly Block[], stopReason: string): Context {
  if (useOf(content, stopReason).kind !== "usable") return context;
  const sent = sendable(content, stopReason);
  const before = messagesOf(context);
  const paused = before.at(-1)?.role === "assistant" ? (before.at(-1)?.content ?? []) : null;
  // What continues a paused reply is the rest of that message.
  const others = paused === null ? before : before.slice(0, -1);
  return {
    closed: [...others, { role: "assistant", content: [...(paused ?? []), ...sent] }],
    asked: callsIn(sent).map(({ id }) => id),
    results: {},
    texts: [],
  };
}

/** What stood behind an image still does: only the image itself is told otherwise. */
function withoutImages(context: Context, { all }: { readonly all: boolean }): Context {
  const words = (content: readonly Block[]) =>
    content.map((block) => (block.type === "image" ? unread : block));
  const closed = context.closed.map(({ role, content }) => ({ role, content: words(content) }));
  return { ...context, closed: all ? closed : context.closed, texts: words(context.texts) };
}

const unread: Block = {
  type: "text",
  text: "[an image is left out here (the model's provider could not read it)]",
};

/** Thinking is signed for the model that thought it; another one cannot be told it. */
function withoutSigned(context: Context): Context {
  const closed = context.closed.map(({ role, content }) => ({
    role,
    content: content.filter(({ type }) => !isSigned(type)),
  }));
  return { ...context, closed };
}

function isSigned(type: Block["type"]): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function reordered(asked: readonly string[], calls: readonly { readonly id: string }[]): readonly string[] {
  const intended = calls.map(({ id }) => id).filter((id) => asked.includes(id));
  return [...intended, ...asked.filter((id) => !intended.includes(id))];
}

function resultBlock(id: string, text: string, failed: boolean): Block {
  // The API takes an empty result, but not an empty error and no blank text block.
  const content = text.trim() === "" ? (failed ? "failed without output" : "") : text;
  return failed
    ? { type: "tool_result", tool_use_id: id, content, is_error: true }
    : { type: "tool_result", tool_use_id: id, content };
}
