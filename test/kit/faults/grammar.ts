import type { SentBlock } from "./history.ts";
import type { Events } from "./streams.ts";

export type MeantCall = { readonly id: string; readonly name: string };

/** What an answer has to come to, by a judgement that shares no code with the one it judges. */
export type Meaning =
  /** Dropped whole, and asked for again. `retryAfterMs` is what the provider says, `silentMs` how long it is borne. */
  | { readonly kind: "dropped"; readonly retryAfterMs: number | null; readonly silentMs?: number }
  /** The conversation is larger than the provider takes: asked again once it is shorter. */
  | { readonly kind: "too-large" }
  /** The end, without another try. */
  | { readonly kind: "final"; readonly retryAfterMs: number | null }
  | {
      readonly kind: "taken";
      readonly content: readonly SentBlock[];
      readonly calls: readonly MeantCall[];
      /** Whether the calls run: all of them, or none. */
      readonly runs: boolean;
      readonly next: "calls" | "finished" | "empty" | "cut" | "full" | "paused" | "declined" | "unknown";
    };

export const dropped: Meaning = { kind: "dropped", retryAfterMs: null };

const letters: Readonly<Record<string, string>> = {
  message_start: "S",
  content_block_start: "B",
  content_block_delta: "D",
  content_block_stop: "E",
  message_delta: "M",
  message_stop: "Z",
};

const kinds: Readonly<Record<string, readonly string[]>> = {
  text: ["text_delta"],
  thinking: ["thinking_delta", "signature_delta"],
  redacted_thinking: [],
  tool_use: ["input_json_delta"],
};
const knownDeltas = new Set(Object.values(kinds).flat());

type Fields = Readonly<Record<string, unknown>>;

/** What the events of a stream mean, if it comes to its end after them. */
export function meaningOf(events: Events): Meaning {
  const known = events.filter(({ type }) => Object.hasOwn(letters, type));
  const stop = known.findIndex(({ type }) => type === "message_stop");
  const told = known.slice(0, stop + 1);
  const line = told.map(({ type }) => letters[type]).join("");
  // A beginning, blocks one after another, why it stops, the end.
  if (!/^S(BD*E)*M+Z$/.test(line)) return dropped;
  const blocks: { start: Fields; deltas: Fields[] }[] = [];
  for (const event of told) {
    const ofBlock = /^[BDE]$/.test(letters[event.type] ?? "");
    if (event.type === "content_block_start") {
      blocks.push({ start: event["content_block"] as Fields, deltas: [] });
    }
    if (ofBlock && event["index"] !== blocks.length - 1) return dropped;
    if (event.type === "content_block_delta") blocks.at(-1)?.deltas.push(event["delta"] as Fields);
  }
  const reasons = told.flatMap((event) => {
    const reason = (event["delta"] as Fields | undefined)?.["stop_reason"];
    return event.type === "message_delta" && typeof reason === "string" ? [reason] : [];
  });
  if (reasons.length === 0 || new Set(reasons).size > 1) return dropped;
  return meaningOfBlocks(blocks, reasons[0] ?? "");
}

function meaningOfBlocks(
  blocks: readonly { readonly start: Fields; readonly deltas: readonly Fields[] }[],
  stopReason: string,
): Meaning {
  const content: SentBlock[] = [];
  let strange = false;
  for (const { start, deltas } of blocks) {
    const type = String(start["type"]);
    const belongs = kinds[type];
    const misplaced = deltas.some(
      ({ type: kind }) => knownDeltas.has(String(kind)) && belongs?.includes(String(kind)) === false,
    );
    if (misplaced) return dropped;
    strange ||= belongs === undefined || deltas.some(({ type: kind }) => !knownDeltas.has(String(kind)));
    content.push(blockOf(start, deltas));
  }
  const calls = content.flatMap(({ type, id, name }) =>
    type === "tool_use" ? [{ id: String(id), name: String(name) }] : [],
  );
  if (new Set(calls.map(({ id }) => id)).size < calls.length) return dropped;
  return { kind: "taken", content, calls, ...fate(content, stopReason, strange) };
}

function fate(
  content: readonly SentBlock[],
  stopReason: string,
  strange: boolean,
): Pick<Extract<Meaning, { kind: "taken" }>, "runs" | "next"> {
  const calls = content.filter(({ type }) => type === "tool_use");
  const words = content.some(({ type, text }) => type === "text" && String(text).trim() !== "");
  const cut = stopReason === "max_tokens" || stopReason === "model_context_window_exceeded";
  const known =
    cut || ["end_turn", "stop_sequence", "tool_use", "pause_turn", "refusal"].includes(stopReason);
  if (strange || !known) return { runs: false, next: "unknown" };
  if (stopReason === "refusal") return { runs: false, next: "declined" };
  if (cut) return { runs: false, next: stopReason === "max_tokens" ? "cut" : "full" };
  if (calls.length > 0) return { runs: calls.every(isRunnable), next: "calls" };
  if (!words) return { runs: false, next: "empty" };
  return { runs: false, next: stopReason === "pause_turn" ? "paused" : "finished" };
}

/** The tools of the sessions that are played: each takes one string, of at most a million characters. */
const argumentOf: Readonly<Record<string, string>> = { read: "path", write: "text", shell: "command" };

function isRunnable({ name, input }: SentBlock): boolean {
  const key = argumentOf[String(name)];
  if (key === undefined || input === null) return false;
  const value = (input as Fields)[key];
  return Object.keys(input as Fields).length === 1 && typeof value === "string" && value.length <= 1_000_000;
}

function blockOf(start: Fields, deltas: readonly Fields[]): SentBlock {
  const joined = (name: string) => deltas.map((delta) => delta[name] ?? "").join("");
  const last = (name: string) => deltas.findLast((delta) => name in delta)?.[name] ?? "";
  const type = String(start["type"]);
  switch (type) {
    case "text":
      return { ...start, type, text: joined("text") };
    case "thinking":
      return { ...start, type, thinking: joined("thinking"), signature: last("signature") };
    case "tool_use":
      return { ...start, type, input: objectIn(joined("partial_json")) };
    default:
      return { ...start, type };
  }
}

function objectIn(json: string): Fields | null {
  if (json === "") return {};
  try {
    // Deeper than any call needs, and than what was parsed could be written down again.
    if (/(\[\s*){201}/.test(json)) return null;
    const value = JSON.parse(json) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
  } catch {
    return null;
  }
}
