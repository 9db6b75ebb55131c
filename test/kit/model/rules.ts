import type { IncomingHttpHeaders } from "node:http";
import { countMarks } from "./prefix.ts";
import { judgeRedacted, judgeThinking } from "./signing.ts";
import { blocksOf, type WireBlock, type WireMessage, type WireRequest } from "./wire.ts";

/** Why the API would not take a request, in its own words. */
export interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

export interface RuleOptions {
  /** True for a last assistant message that continues a reply this server ended with `pause_turn`. */
  readonly continues?: (message: WireMessage) => boolean;
}

/** Checks credentials and version. `key` is the only key taken; left out, any will do. */
export function refuseHeaders(headers: IncomingHttpHeaders, key: string | undefined): Refusal | undefined {
  const apiKey = headers["x-api-key"];
  const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
  if (!apiKey && !bearer) return { ...unauthorised, message: "x-api-key header is required" };
  if (key !== undefined && (apiKey ?? bearer) !== key) {
    return { ...unauthorised, message: apiKey ? "invalid x-api-key" : "Invalid bearer token" };
  }
  const version = headers["anthropic-version"];
  if (!version) return invalid("anthropic-version: header is required");
  if (!/^\d{4}-\d{2}-\d{2}$/.test(String(version))) {
    return invalid(`anthropic-version: "${String(version)}" is not a valid version`);
  }
  return undefined;
}

/** Checks a body against the rules that the API enforces with `invalid_request_error`. */
export function refuseBody(body: WireRequest, options: RuleOptions = {}): Refusal | undefined {
  for (const problem of problemsOf(body, options)) return invalid(problem);
  return undefined;
}

const unauthorised = { status: 401, type: "authentication_error" };

function invalid(message: string): Refusal {
  return { status: 400, type: "invalid_request_error", message };
}

// The fields of API version 2026-10-21. `temperature`, `top_p` and `top_k` are no longer among them.
const requestFields = new Set(
  `cache_control container diagnostics inference_geo max_tokens messages metadata model output_config
   service_tier speed stop_sequences stream system thinking tool_choice tools`.split(/\s+/),
);

function* problemsOf(body: WireRequest, options: RuleOptions): Generator<string> {
  yield* fieldProblems(body);
  yield* toolProblems(body);
  yield* markProblems(body);
  for (const [j, block] of blocksOf(body.system).entries())
    yield* textProblems(block, `system.${j}`, "system");
  yield* conversationProblems(body, options);
  for (const [i, message] of body.messages.entries()) yield* messageProblems(message, i);
  yield* finalThinking(body, options);
  yield* pairingProblems(body.messages);
}

function* fieldProblems(body: WireRequest): Generator<string> {
  for (const name of ["model", "max_tokens", "messages"] as const) {
    if (body[name] === undefined) yield `${name}: Field required`;
  }
  if (typeof body.model !== "string" || body.model === "") yield "model: Input should be a valid string";
  if (!Number.isInteger(body.max_tokens)) yield "max_tokens: Input should be a valid integer";
  if (body.max_tokens < 1) yield "max_tokens: Input should be greater than or equal to 1";
  if (!Array.isArray(body.messages)) yield "messages: Input should be a valid list";
  for (const name of Object.keys(body)) {
    if (!requestFields.has(name)) yield `${name}: Extra inputs are not permitted`;
  }
}

function* toolProblems(body: WireRequest): Generator<string> {
  const names = new Set<string>();
  for (const [i, tool] of (body.tools ?? []).entries()) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(tool.name ?? "")) {
      yield `tools.${i}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
    }
    const custom = tool.type === undefined || tool.type === "custom";
    if (custom && tool.input_schema?.type !== "object") {
      yield `tools.${i}.custom.input_schema.type: Input should be 'object'`;
    }
    if (names.has(tool.name)) yield "tools: Tool names must be unique.";
    names.add(tool.name);
  }
}

function* markProblems(body: WireRequest): Generator<string> {
  const blocks = [...blocksOf(body.system), ...(body.messages ?? []).flatMap((m) => blocksOf(m.content))];
  const marks = [...(body.tools ?? []), ...blocks].reduce((sum, block) => sum + countMarks(block), 0);
  const total = marks + (body.cache_control ? 1 : 0);
  if (total > 4) yield `A maximum of 4 blocks with cache_control may be provided. Found ${total}.`;
}

function* conversationProblems(body: WireRequest, { continues }: RuleOptions): Generator<string> {
  const { messages } = body;
  const last = messages.at(-1);
  if (!last) yield "messages: at least one message is required";
  if (messages[0]?.role !== "user") yield "messages: first message must use the user role";
  if (last?.role === "assistant" && !continues?.(last)) {
    yield "This model does not support assistant message prefill. The conversation must end with a user message.";
  }
  const usesTools = messages.some((m) => blocksOf(m.content).some((b) => /^tool_(use|result)$/.test(b.type)));
  if (usesTools && !body.tools?.length) {
    yield "Requests which include `tool_use` or `tool_result` blocks must define tools";
  }
}

function* messageProblems(message: WireMessage, i: number): Generator<string> {
  if (!["user", "assistant", "system"].includes(message.role)) {
    yield `messages.${i}.role: Input should be 'user', 'assistant' or 'system'`;
  }
  for (const name of Object.keys(message)) {
    if (name !== "role" && name !== "content") yield `messages.${i}.${name}: Extra inputs are not permitted`;
  }
  if (typeof message.content !== "string" && !Array.isArray(message.content)) {
    yield `messages.${i}.content: Input should be a valid list`;
  }
  if (message.content.length === 0) {
    yield `messages.${i}: all messages must have non-empty content except for the optional final assistant message`;
  }
  for (const [j, block] of blocksOf(message.content).entries()) {
    yield* blockProblems(block, message.role, `messages.${i}.content.${j}`);
  }
}

function* blockProblems(block: WireBlock, role: string, at: string): Generator<string> {
  yield* textProblems(block, at, "messages");
  if (block.type === "tool_use") yield* callProblems(block, role, at);
  if (block.type === "image") yield* imageProblems(block, role, at);
  if (block.type === "tool_result") yield* resultProblems(block, role, at);
  if (block.type === "thinking" || block.type === "redacted_thinking") yield* thinkingProblems(block, at);
}

function* textProblems(block: WireBlock, at: string, where: string): Generator<string> {
  if (block.type !== "text") return;
  if (typeof block.text !== "string") yield `${at}.text.text: Field required`;
  if (block.text === "") {
    yield `${where}: text content blocks must be non-empty`;
    if (block.cache_control) yield `${at}.text: cache_control cannot be set for empty text blocks`;
  }
  if (block.text?.trim() === "") yield `${where}: text content blocks must contain non-whitespace text`;
}

function* callProblems(block: WireBlock, role: string, at: string): Generator<string> {
  if (role !== "assistant") yield `${at}: \`tool_use\` blocks can only be in \`assistant\` messages`;
  if (!/^[a-zA-Z0-9_-]+$/.test(block.id ?? "")) {
    yield `${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
  }
  if (!block.name) yield `${at}.tool_use.name: Field required`;
  if (typeof block.input !== "object" || block.input === null || Array.isArray(block.input)) {
    yield `${at}.tool_use.input: Input should be a valid dictionary`;
  }
}

const mediaTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"];
// Of the base64 text, not of the bytes that it stands for.
const imageBytesMax = 5 * 1024 * 1024;

function* imageProblems({ source }: WireBlock, role: string, at: string): Generator<string> {
  if (role !== "user") yield `${at}: \`image\` blocks can only be in \`user\` messages`;
  if (source?.type !== "base64") yield `${at}.image.source.type: Input should be 'base64'`;
  if (!mediaTypes.includes(source?.media_type ?? "")) {
    yield `${at}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`;
  }
  const data = source?.data ?? "";
  const bytes = Buffer.from(data, "base64");
  if (bytes.length === 0 || bytes.toString("base64") !== data) {
    yield `${at}.image.source.base64: invalid base64 data`;
  }
  if (!looksLike(bytes, source?.media_type ?? "")) {
    yield `${at}.image.source.base64.data: Image does not match the provided media type ${source?.media_type}`;
  }
  if (data.length > imageBytesMax) {
    yield `${at}.image.source.base64: image exceeds 5 MB maximum: ${data.length} bytes > ${imageBytesMax} bytes`;
  }
}

function looksLike(bytes: Buffer, mediaType: string): boolean {
  const start = bytes.toString("latin1", 0, 12);
  if (mediaType === "image/png") return start.startsWith("\x89PNG\r\n\x1a\n");
  if (mediaType === "image/jpeg") return start.startsWith("\xff\xd8\xff");
  if (mediaType === "image/gif") return start.startsWith("GIF8");
  return /^RIFF.{4}WEBP/s.test(start);
}

function* resultProblems(block: WireBlock, role: string, at: string): Generator<string> {
  if (role !== "user") yield `${at}: \`tool_result\` blocks can only be in \`user\` messages`;
  if (!block.tool_use_id) yield `${at}.tool_result.tool_use_id: Field required`;
  const parts = blocksOf(block.content);
  if (block.is_error && (parts.length === 0 || block.content === "")) {
    yield `${at}.tool_result: content cannot be empty if \`is_error\` is true`;
  }
  // A string may be empty here; a text block may not.
  if (typeof block.content === "string") return;
  for (const [k, part] of parts.entries()) yield* textProblems(part, `${at}.content.${k}`, "messages");
}

function* thinkingProblems(block: WireBlock, at: string): Generator<string> {
  const redacted = block.type === "redacted_thinking";
  const judgement = redacted ? judgeRedacted(block.data) : judgeThinking(block.thinking, block.signature);
  if (judgement === "changed") {
    yield `${at}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`;
  }
  if (judgement === "foreign") {
    yield `${at}: Invalid \`${redacted ? "data" : "signature"}\` in \`${block.type}\` block`;
  }
}

function* finalThinking({ messages }: WireRequest, { continues }: RuleOptions): Generator<string> {
  for (const [i, message] of messages.entries()) {
    const final = blocksOf(message.content).at(-1)?.type ?? "";
    if (
      message.role === "assistant" &&
      /thinking$/.test(final) &&
      !(message === messages.at(-1) && continues?.(message))
    )
      yield `messages.${i}: The final block in an assistant message cannot be \`thinking\`.`;
  }
}

function* pairingProblems(messages: readonly WireMessage[]): Generator<string> {
  const ids = new Set<string>();
  for (const [i, message] of messages.entries()) {
    yield* repeatedIds(message, i, ids);
    const asked = idsOf(message, "tool_use");
    const answered = new Set(leadingResults(messages[i + 1]));
    const missing = asked.filter((id) => !answered.has(id));
    if (missing.length > 0) {
      yield `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    }
    yield* strayResults(message, messages[i - 1], i);
  }
}

function* repeatedIds(message: WireMessage, i: number, seen: Set<string>): Generator<string> {
  for (const [j, block] of blocksOf(message.content).entries()) {
    if (block.type !== "tool_use" || block.id === undefined) continue;
    if (seen.has(block.id)) yield `messages.${i}.content.${j}: \`tool_use\` ids must be unique`;
    seen.add(block.id);
  }
}

function* strayResults(
  message: WireMessage,
  previous: WireMessage | undefined,
  i: number,
): Generator<string> {
  const asked = new Set(previous ? idsOf(previous, "tool_use") : []);
  const seen = new Set<string>();
  for (const [j, block] of blocksOf(message.content).entries()) {
    if (block.type !== "tool_result") continue;
    const id = block.tool_use_id ?? "";
    if (!asked.has(id)) {
      yield `messages.${i}.content.${j}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    }
    if (seen.has(id)) {
      yield `messages.${i}.content.${j}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
    }
    seen.add(id);
  }
}

/** Results after any other block do not count: the API wants them first. */
function leadingResults(message: WireMessage | undefined): readonly string[] {
  if (message?.role !== "user") return [];
  const blocks = blocksOf(message.content);
  const end = blocks.findIndex((block) => block.type !== "tool_result");
  return blocks.slice(0, end === -1 ? blocks.length : end).map((block) => block.tool_use_id ?? "");
}

function idsOf(message: WireMessage, type: string): readonly string[] {
  return blocksOf(message.content).flatMap((block) => (block.type === type ? [block.id ?? ""] : []));
}
