import type { Payload } from "../session/event.ts";
import type { Placed } from "../session/reader.ts";
import { callsIn, useOf } from "./blocks.ts";
import { parseContent, toldBy } from "./context.ts";
import type { Message } from "./model.ts";
import { tokensIn } from "./window.ts";

/** A turn whose reply was received. */
export type KnownTurn = {
  /** The byte of the log where its first request stands. */
  readonly offset: number;
  /** Whether its reply is part of the conversation. */
  readonly told: boolean;
  /** Tokens that the request had which its reply answered. */
  readonly prompt: number;
};

/** What stays of a conversation word for word. */
export type Tail = {
  /** The byte of the log where it begins. */
  readonly from: number;
  /** How many messages stand before it. */
  readonly messages: number;
};

// Shares of the window: of all that is kept, and of the last turn where that alone has more. What it asked for was just
// found, and the model has not said anything about it yet.
const shareKept = 0.25;
const shareLast = 0.4;

/** The turns that these records hold, oldest first; what continued a paused reply is of the turn that began it. */
export async function turnsIn(
  placed: readonly Placed[],
  load: (payload: Payload) => Promise<string>,
): Promise<readonly KnownTurn[]> {
  const turns: KnownTurn[] = [];
  // No turn has number 0.
  let begun = { turn: 0, offset: 0 };
  let paused = false;
  for (const { record, offset } of placed) {
    const { event } = record;
    // What is told to the model in between ends the reply before it (context.ts).
    if (event.type !== "reply.received" && toldBy(event) !== null) paused = false;
    if (event.type === "reply.requested" && begun.turn !== event.turn) begun = { turn: event.turn, offset };
    if (event.type !== "reply.received" || begun.turn !== event.turn) continue;
    const { usage, stopReason } = event;
    const content = parseContent(await load(event.content));
    const told = useOf(content, stopReason).kind === "usable";
    const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
    if (!told || !paused) turns.push({ offset: begun.offset, told, prompt });
    if (told) paused = callsIn(content).length === 0;
  }
  return turns;
}

/**
 * The last turns that fit, beginning where one begins, or null where the last one alone is too long. The first turn is
 * not among them unless it is the only one: something has to be left to be summarised.
 */
export function tailOf(
  turns: readonly KnownTurn[],
  {
    messages,
    size,
    window,
  }: { readonly messages: readonly Message[]; readonly size: number; readonly window: number },
): Tail | null {
  const replies = messages.flatMap(({ role }, at) => (role === "assistant" ? [at] : []));
  const told = turns.filter((turn) => turn.told).slice(-replies.length);
  let tail: Tail | null = null;
  for (let back = 1; back <= told.length; back += 1) {
    const turn = told.at(-back);
    const at = replies.at(-back);
    if (turn === undefined || at === undefined || (back > 1 && at <= 1)) break;
    // Whichever says more: what the provider counted since, or what the bytes say.
    const tokens = Math.max(size - turn.prompt, tokensIn(messages.slice(at)));
    if (tokens > window * (back === 1 ? shareLast : shareKept)) break;
    tail = { from: turn.offset, messages: at };
  }
  return tail;
}

/** Where the log is read on from when no turn is kept: behind the last one, so that what was said since is told whole. */
export function afterTurns(placed: readonly Placed[]): number {
  const ended = placed.findLast(({ record }) => record.event.type === "turn.ended");
  const begun = placed.find(({ record }) => record.event.type === "reply.requested");
  const at = ended ?? begun;
  if (at === undefined) throw new Error("the conversation was to be shortened before its first request");
  return at.offset;
}
