import { isObject } from "../../base/json.ts";

/** One reply of a script, in the order its blocks are given. */
export type ScriptedReply = {
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly {
    readonly name: string;
    readonly input: Readonly<Record<string, unknown>>;
    /** Null when the reader makes one. */
    readonly id: string | null;
  }[];
  /** Null: `tool_use` when there are calls, else `end_turn`. */
  readonly stopReason: string | null;
};

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a script: a JSON array of replies, one for each request, each an object of `text`, `calls` (`name`, `input`,
 * optional `id`), `thinking`, `stop_reason` and `note` (for the reader of the file), and nothing else.
 * `name` is what errors call it. Throws an error that names the reply, counted from 1, and what is wrong with it.
 */
export function parseScript(text: string, name: string): readonly ScriptedReply[] {
  const value = parseJson(text, name);
  if (!Array.isArray(value)) throw new Error(`script ${name}: must be an array of replies`);
  return value.map((entry: unknown, i) => replyOf(entry, `script ${name}, reply ${i + 1}`));
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`script ${name}: is not JSON`, { cause });
  }
}

function replyOf(entry: unknown, where: string): ScriptedReply {
  const fields = objectOf(entry, ["text", "calls", "thinking", "stop_reason", "note"], where);
  const calls = fields["calls"] ?? [];
  if (fields["text"] === undefined && fields["calls"] === undefined) {
    throw new Error(`${where}: needs "text" or "calls"`);
  }
  if (!Array.isArray(calls)) throw new Error(`${where}: "calls" must be an array`);
  textIn(fields, "note", where);
  return {
    thinking: textIn(fields, "thinking", where) ?? "",
    text: textIn(fields, "text", where) ?? "",
    calls: calls.map((call: unknown, i) => callOf(call, `${where}, call ${i + 1}`)),
    stopReason: textIn(fields, "stop_reason", where),
  };
}

function callOf(entry: unknown, where: string): ScriptedReply["calls"][number] {
  const fields = objectOf(entry, ["name", "input", "id"], where);
  const name = textIn(fields, "name", where);
  if (name === null || name === "") throw new Error(`${where}: needs a "name"`);
  if (!isObject(fields["input"])) throw new Error(`${where}: "input" must be an object`);
  return { name, input: fields["input"], id: textIn(fields, "id", where) };
}

function objectOf(value: unknown, known: readonly string[], where: string): Fields {
  if (!isObject(value)) throw new Error(`${where}: must be an object`);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return value;
  throw new Error(`${where}: does not know "${unknown}"; known are ${known.join(", ")}`);
}

function textIn(fields: Fields, name: string, where: string): string | null {
  const value = fields[name];
  if (value === undefined) return null;
  if (typeof value !== "string") throw new Error(`${where}: "${name}" must be a string`);
  return value;
}
