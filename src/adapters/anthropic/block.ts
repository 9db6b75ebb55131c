import { isObject } from "../../base/json.ts";
import type { Live } from "../../loop/live.ts";
import type { Block } from "../../session/event.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** The stream is not one whole reply, so nothing of it counts. */
export class BrokenStream extends Error {
  override readonly name = "BrokenStream";
}

/** A block that is still being streamed. */
export type OpenBlock = {
  readonly start: Fields;
  readonly text: string[];
  readonly json: string[];
  readonly citations: unknown[];
  signature: unknown;
  /** A kind of delta we do not know: the block is not whole for us. */
  strange: string | null;
};

export function openBlock(start: Fields): OpenBlock {
  if (typeof start["type"] !== "string") throw new BrokenStream("a block without a type");
  return { start, text: [], json: [], citations: [], signature: undefined, strange: null };
}

/** The kinds of delta that each kind of block is made of. */
const deltasOf: Readonly<Record<string, readonly string[]>> = {
  text: ["text_delta", "citations_delta"],
  thinking: ["thinking_delta", "signature_delta"],
  redacted_thinking: [],
  tool_use: ["input_json_delta"],
};
const knownDeltas = new Set(Object.values(deltasOf).flat());

/** What a watcher may see of the beginning: which call is coming, before any of its arguments. Null for other blocks. */
export function beginningOf(open: OpenBlock): Live | null {
  return open.start["type"] === "tool_use" ? { ...callOf(open), json: "" } : null;
}

function callOf({ start }: OpenBlock) {
  return { kind: "call.delta", id: String(start["id"]), tool: String(start["name"]) } as const;
}

/** What a watcher may see of the delta, or null. */
export function takeDelta(open: OpenBlock, fields: Fields): Live | null {
  const type = String(open.start["type"]);
  const kind = String(fields["type"]);
  // Of a block that we do not know we cannot say what belongs to it; the loop stops at the block itself.
  if (Object.hasOwn(deltasOf, type) && knownDeltas.has(kind) && deltasOf[type]?.includes(kind) !== true) {
    throw new BrokenStream(`a ${kind} in a block of type ${type}`);
  }
  const piece = (name: string) => {
    const text = fields[name];
    if (typeof text !== "string") throw new BrokenStream(`a delta without ${name}`);
    return text;
  };
  switch (fields["type"]) {
    case "text_delta": {
      const text = piece("text");
      open.text.push(text);
      return { kind: "text.delta", text };
    }
    case "thinking_delta": {
      const text = piece("thinking");
      open.text.push(text);
      return { kind: "thinking.delta", text };
    }
    case "input_json_delta": {
      const json = piece("partial_json");
      open.json.push(json);
      // The API begins with a piece that holds nothing; that the call comes was said before it.
      return json === "" ? null : { ...callOf(open), json };
    }
    case "signature_delta":
      open.signature = piece("signature");
      return null;
    case "citations_delta":
      open.citations.push(fields["citation"]);
      return null;
    default:
      open.strange = String(fields["type"]);
      return null;
  }
}

/** Whether the delta brings anything: the API sends pieces that hold nothing, and may send what we do not know. */
export function isProgress(delta: Fields): boolean {
  const { type, ...rest } = delta;
  return knownDeltas.has(String(type)) && Object.values(rest).some((piece) => piece !== "");
}

/** The finished block; `isBroken` when it is a call whose arguments were not one JSON object. */
export function closeBlock({ start, text, json, citations, signature, strange }: OpenBlock): {
  block: Block;
  isBroken: boolean;
} {
  const type = String(start["type"]);
  const whole = (block: Fields) => ({ block: { ...block, type }, isBroken: false });
  // Not whole and not ours to repair: a type that nobody knows makes the loop stop safely.
  if (strange !== null) return { block: { type: `${type} with ${strange}` }, isBroken: false };
  switch (type) {
    case "text": {
      const said = `${textOf(start["text"])}${text.join("")}`;
      return whole({ ...start, text: said, ...(citations.length === 0 ? {} : { citations }) });
    }
    case "thinking": {
      const thought = `${textOf(start["thinking"])}${text.join("")}`;
      return whole({ ...start, thinking: thought, ...(signature === undefined ? {} : { signature }) });
    }
    case "tool_use": {
      const raw = json.join("");
      // A tool without arguments may come without a single delta.
      const input = raw === "" ? start["input"] : parsed(raw);
      const isBroken = input === undefined;
      return { block: { ...start, type, input: isBroken ? {} : input }, isBroken };
    }
    default:
      return whole(start);
  }
}

/** Undefined unless the text is exactly one JSON object, and no deeper than any call needs. */
function parsed(raw: string): unknown {
  try {
    const value: unknown = JSON.parse(raw);
    return isObject(value) && !isTooDeep(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const depthMax = 200;

/**
 * Whether a value out of JSON is nested deeper than anything a model means. Parsing takes any depth, but writing and
 * checking what was parsed uses up the stack.
 */
export function isTooDeep(value: unknown, levels = depthMax): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isTooDeep(part, levels - 1));
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
