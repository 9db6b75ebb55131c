import { isObject } from "../base/json.ts";
import type { Block } from "../session/event.ts";

/** A use of a tool as the model asked for it. */
export type CallBlock = {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
};

/** What a recorded reply can be used for. Only a `usable` one is ever sent back to the model. */
export type Use =
  | { readonly kind: "usable" }
  /** Neither text nor a call. The API takes no empty assistant message. */
  | { readonly kind: "empty" }
  /** The provider asks that what was refused is taken out before the conversation goes on. */
  | { readonly kind: "refused" }
  | { readonly kind: "unknown"; readonly why: string };

/** The reason of a reply that was cut because the model's window was full. */
export const windowFull = "model_context_window_exceeded";

const knownBlocks = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);
const knownStops = new Set([
  "end_turn",
  "max_tokens",
  "stop_sequence",
  "tool_use",
  "pause_turn",
  "refusal",
  windowFull,
]);

// Arguments that were not JSON cannot be sent back as they came, and `{}` might pass a schema. This fails every
// strict schema, so a reply read back from the log is as safe as it was when it arrived.
const brokenInput = { arguments_were_not_json: true } as const;

export function useOf(content: readonly Block[], stopReason: string): Use {
  const strange = content.find((block) => !knownBlocks.has(block.type));
  if (strange !== undefined)
    return { kind: "unknown", why: `a reply holds a block of type ${nameIn(strange.type)}` };
  if (!knownStops.has(stopReason))
    return { kind: "unknown", why: `a reply stopped because of ${nameIn(stopReason)}` };
  if (stopReason === "refusal") return { kind: "refused" };
  return callsIn(content).length > 0 || textOf(content) !== "" ? { kind: "usable" } : { kind: "empty" };
}

/** What a provider calls something, for people to read: a name, or nothing of it. */
function nameIn(text: string): string {
  return /^[\w. -]{1,80}$/.test(text) ? text : "something without a usable name";
}

/** Well-formed calls in order. `malformed` finds what this would leave out. */
export function callsIn(content: readonly Block[]): readonly CallBlock[] {
  return content.filter(isCall);
}

/** All visible text, trimmed; "" when there is none. */
export function textOf(content: readonly Block[]): string {
  return content
    .map(visibleText)
    .filter((text) => text !== "")
    .join("\n\n");
}

/**
 * The content without what the API takes from nobody: blank text, and thinking that nothing follows. What follows the
 * thinking of a paused reply is still to come.
 */
export function sendable(content: readonly Block[], stopReason: string): readonly Block[] {
  const kept = content.filter((block) => block.type !== "text" || visibleText(block) !== "");
  if (stopReason === "pause_turn" && callsIn(content).length === 0) return kept;
  const last = kept.findLastIndex((block) => !/^(redacted_)?thinking$/.test(block.type));
  return kept.slice(0, last + 1);
}

/** Gives the calls named in `broken` arguments that no tool takes. */
export function markBroken(content: readonly Block[], broken: readonly string[]): readonly Block[] {
  return content.map((block) =>
    isCall(block) && broken.includes(block.id) ? { ...block, input: brokenInput } : block,
  );
}

export function isBroken(input: unknown): boolean {
  return JSON.stringify(input) === JSON.stringify(brokenInput);
}

/**
 * Why a reply cannot be taken at all, or null. Such a reply is dropped whole and asked for again: it could be
 * neither run nor sent back, since the API refuses a history with repeated or ill-formed ids.
 */
export function malformed(content: readonly Block[], used: ReadonlySet<string>): string | null {
  const seen = new Set(used);
  for (const block of content) {
    if (block.type !== "tool_use") continue;
    if (!isCall(block)) return "a call has no usable id, name or arguments";
    if (seen.has(block.id)) return `the call id ${block.id} was used before`;
    seen.add(block.id);
  }
  return null;
}

function isCall(block: Block): block is CallBlock {
  if (block.type !== "tool_use") return false;
  const { id, name, input } = block as Readonly<Record<string, unknown>>;
  const named = typeof name === "string" && /^[\w-]{1,128}$/.test(name);
  return named && isObject(input) && typeof id === "string" && /^[\w-]{1,128}$/.test(id);
}

function visibleText(block: Block): string {
  const text = block.type === "text" ? block["text"] : "";
  return typeof text === "string" ? text.trim() : "";
}
