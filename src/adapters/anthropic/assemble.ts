import type { Live } from "../../loop/live.ts";
import type { Block, Usage } from "../../session/event.ts";
import {
  BrokenStream,
  beginningOf,
  closeBlock,
  type Fields,
  fieldsOf,
  isProgress,
  isTooDeep,
  type OpenBlock,
  openBlock,
  takeDelta,
} from "./block.ts";

/** A whole reply, every block closed and `message_stop` seen. Counts the provider did not give are null. */
export type Assembled = {
  readonly content: readonly Block[];
  readonly stopReason: string;
  readonly usage: { readonly [Count in keyof Usage]: number | null };
  readonly brokenCalls: readonly string[];
};

/** `live` is what a watcher may see of an event; `progress` whether it brought the reply any further. */
export type Taken = { readonly live: Live | null; readonly progress: boolean };

export type Assembly = {
  /** Takes the next event. Throws `BrokenStream` when the events cannot be one reply. */
  readonly take: (event: unknown) => Taken;
  /** Whether `message_stop` was taken. */
  readonly complete: () => boolean;
  /** The reply; throws `BrokenStream` when it is not complete. */
  readonly result: () => Assembled;
  /** What of a reply has come, whole or not; null before it began. */
  readonly soFar: () => SoFar | null;
};

/** `chars`: how long it is, as JSON or about so. */
export type SoFar = { readonly usage: Assembled["usage"]; readonly chars: number };

/** What has been taken so far. */
type Progress = {
  phase: "before" | "streaming" | "stopped";
  readonly blocks: Block[];
  readonly broken: string[];
  open: OpenBlock | null;
  stopReason: string | null;
  usage: Fields;
};

/**
 * Puts a reply together from the events of its stream. The SDK's own helper takes a stream that just ends for a
 * finished one and repairs arguments that were cut, so both are checked here: events in order, each block opened and
 * closed once, arguments parsed as strict JSON from the raw text.
 */
export function assembly(): Assembly {
  const so: Progress = { phase: "before", blocks: [], broken: [], open: null, stopReason: null, usage: {} };
  return {
    take: (event) => take(so, fieldsOf(event)),
    complete: () => so.phase === "stopped",
    result: () => resultOf(so),
    soFar: () => (so.phase === "before" ? null : { usage: usageOf(so.usage), chars: charsIn(so) }),
  };
}

function take(so: Progress, event: Fields): Taken {
  const { type } = event as { type?: unknown };
  // Whatever name such an event came under.
  if (type === "error") throw new BrokenStream("an error inside the stream");
  // Events that we do not know may come at any place and are passed over, as the API asks of its clients.
  if (typeof type !== "string" || !known.has(type)) return { live: null, progress: false };
  if (so.phase === "stopped") throw new BrokenStream(`${type} after message_stop`);
  if ((type === "message_start") !== (so.phase === "before")) throw new BrokenStream(`${type} out of place`);
  switch (type) {
    case "message_start":
      so.phase = "streaming";
      so.usage = startCounts(fieldsOf(event["message"])["usage"]);
      return { live: null, progress: true };
    case "message_delta":
      return { live: null, progress: takeMessageDelta(so, event) };
    case "message_stop":
      stop(so);
      return { live: null, progress: true };
    default:
      return takeBlockEvent(so, type, event);
  }
}

const known = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
]);

function takeBlockEvent(so: Progress, type: string, event: Fields): Taken {
  const inOrder =
    event["index"] === so.blocks.length && (so.open === null) === (type === "content_block_start");
  if (!inOrder) throw new BrokenStream(`${type} out of order, after ${so.blocks.length} blocks`);
  if (so.stopReason !== null) throw new BrokenStream(`${type} after the stop reason`);
  if (so.open === null) {
    so.open = openBlock(fieldsOf(event["content_block"]));
    return { live: beginningOf(so.open), progress: true };
  }
  if (type === "content_block_delta") {
    const delta = fieldsOf(event["delta"]);
    return { live: takeDelta(so.open, delta), progress: isProgress(delta) };
  }
  const { block, isBroken } = closeBlock(so.open);
  if (isTooDeep(block)) throw new BrokenStream("a block that is nested too deeply");
  if (isBroken) so.broken.push(String(block["id"]));
  so.blocks.push(block);
  so.open = null;
  return { live: null, progress: true };
}

/** Whether it said anything new. */
function takeMessageDelta(so: Progress, event: Fields): boolean {
  const given = fieldsOf(event["delta"])["stop_reason"];
  // A longer one is nothing that anybody knows, and the log has no room for it.
  const reason = typeof given === "string" ? given.slice(0, 100) : null;
  const said = counts(event["usage"]);
  const isNews = Object.entries(said).some(([name, count]) => so.usage[name] !== count);
  so.usage = { ...so.usage, ...said };
  if (reason === null || reason === so.stopReason) return isNews;
  if (so.stopReason !== null) throw new BrokenStream("two stop reasons");
  so.stopReason = reason;
  return true;
}

function stop(so: Progress): void {
  if (so.open !== null) throw new BrokenStream("message_stop before the last block ended");
  if (so.stopReason === null) throw new BrokenStream("message_stop without a stop reason");
  so.phase = "stopped";
}

function resultOf({ phase, stopReason, blocks, usage, broken }: Progress): Assembled {
  if (phase === "before") throw new BrokenStream("the answer was no stream of events");
  if (phase !== "stopped" || stopReason === null)
    throw new BrokenStream("the stream ended before message_stop");
  return { content: blocks, stopReason, usage: usageOf(usage), brokenCalls: broken };
}

function charsIn({ blocks, open }: Progress): number {
  const pieces = open === null ? [] : [...open.text, ...open.json];
  return pieces.reduce((sum, piece) => sum + piece.length, JSON.stringify(blocks).length);
}

function usageOf(usage: Fields): Assembled["usage"] {
  const count = (name: string) => {
    const value = usage[name];
    return typeof value === "number" ? value : null;
  };
  return {
    input: count("input_tokens"),
    output: count("output_tokens"),
    cacheRead: count("cache_read_input_tokens"),
    cacheWrite: count("cache_creation_input_tokens"),
  };
}

/** At the start the output is only begun: its count there says nothing of how much it becomes. */
function startCounts(usage: unknown): Fields {
  const { output_tokens: _, ...rest } = counts(usage);
  return rest;
}

/** Only what is a count: a later report replaces an earlier one where it says something. */
function counts(usage: unknown): Fields {
  return Object.fromEntries(
    Object.entries(fieldsOf(usage)).filter(([, value]) => Number.isSafeInteger(value) && Number(value) >= 0),
  );
}
