import { readFile } from "node:fs/promises";
import type { MessageReply, ReplyBlock } from "./script.ts";

/**
 * Reads a script file: the model's words, visible in one place.
 *
 * The file is JSON, an array of replies in the order they are given, one for each request:
 *
 * ```json
 * [
 *   { "text": "I look first.", "calls": [{ "name": "read", "input": { "path": "queue.js" } }] },
 *   { "text": "Done." }
 * ]
 * ```
 *
 * A reply is an object with these members and no others:
 * - `text`: a string, what the model says, before its calls; may be left out when there are calls;
 * - `calls`: an array of calls in order, each `{ "name": string, "input": object, "id"?: string }`;
 *   an `id` left out is made by the reader, different for each call;
 * - `thinking`: a string, what the model thinks first; may be left out;
 * - `stop_reason`: a string; left out, it is `tool_use` when there are calls and `end_turn` otherwise;
 * - `note`: a string for the reader of the file, ignored by the program.
 *
 * A reply with neither text nor calls is the model's empty reply: `{ "text": "" }`.
 * Throws an error that names the file, the entry (counted from 1) and what is wrong with it.
 */
export async function loadScript(file: string): Promise<readonly MessageReply[]> {
  return parseScript(await readText(file), file);
}

/** The same for a text already read; `file` is only named in errors. */
export function parseScript(text: string, file: string): readonly MessageReply[] {
  const value = parseJson(text, file);
  if (!Array.isArray(value)) throw new Error(`script ${file}: must be an array of replies`);
  return value.map((entry: unknown, i) => replyOf(entry, `script ${file}, entry ${i + 1}`));
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new Error(`script ${file}: cannot be read`, { cause });
  }
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`script ${file}: is not JSON: ${why}`, { cause });
  }
}

function replyOf(entry: unknown, where: string): MessageReply {
  const fields = objectOf(entry, ["text", "calls", "thinking", "stop_reason", "note"], where);
  const text = stringOf(fields["text"], `${where}: "text"`);
  const thinking = stringOf(fields["thinking"], `${where}: "thinking"`);
  const stopReason = stringOf(fields["stop_reason"], `${where}: "stop_reason"`);
  stringOf(fields["note"], `${where}: "note"`);
  if (text === undefined && fields["calls"] === undefined)
    throw new Error(`${where}: needs "text" or "calls"`);
  const content: readonly ReplyBlock[] = [
    ...(thinking ? [{ type: "thinking", thinking } as const] : []),
    ...(text ? [{ type: "text", text } as const] : []),
    ...callsOf(fields["calls"], where),
  ];
  return { kind: "message", content, ...(stopReason === undefined ? {} : { stopReason }) };
}

function callsOf(value: unknown, where: string): readonly ReplyBlock[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Error(`${where}: "calls" must be an array`);
  return value.map((entry: unknown, i) => callOf(entry, `${where}, call ${i + 1}`));
}

function callOf(entry: unknown, where: string): ReplyBlock {
  const fields = objectOf(entry, ["name", "input", "id"], where);
  const name = stringOf(fields["name"], `${where}: "name"`);
  const id = stringOf(fields["id"], `${where}: "id"`);
  if (!name) throw new Error(`${where}: needs a "name"`);
  const input = fields["input"];
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new Error(`${where}: "input" must be an object`);
  }
  return { type: "tool_use", name, input, ...(id === undefined ? {} : { id }) };
}

function objectOf(
  value: unknown,
  known: readonly string[],
  where: string,
): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error(`${where}: must be an object`);
  }
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Error(`${where}: does not know "${unknown}"; known are ${known.join(", ")}`);
  return { ...value };
}

function stringOf(value: unknown, what: string): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  throw new Error(`${what} must be a string`);
}
