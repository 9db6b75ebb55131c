import type { Message, ModelRequest } from "../../loop/model.ts";
import type { Block } from "../../session/event.ts";

/** The body of a Messages request, as far as it is ours. */
export type Body = {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream: true;
  readonly system?: readonly Block[];
  readonly tools?: readonly object[];
  readonly messages: readonly Message[];
};

const mark = { cache_control: { type: "ephemeral" } } as const;

/**
 * The request with its cache marks: on the last tool, on the system prompt, and on the last two messages of the
 * user, four in all, which is what the API takes. Marks change nothing that the model reads, so each request still
 * begins with the bytes of the one before. The second-last message is where the request before had its last mark.
 *
 * `thinking` is never sent: each model has its own default (adaptive on the current ones), some refuse to be told
 * otherwise, and other endpoints that speak this API may not know the field. Thinking blocks go back as they came.
 */
export function bodyOf({ model, system, tools, messages, maxTokens }: ModelRequest): Body {
  const users = messages.flatMap(({ role }, i) => (role === "user" ? [i] : [])).slice(-2);
  return {
    model,
    max_tokens: maxTokens,
    stream: true,
    ...(system === "" ? {} : { system: [{ type: "text", text: system, ...mark }] }),
    ...(tools.length === 0 ? {} : { tools: tools.map((tool, i) => toolOf(tool, i === tools.length - 1)) }),
    messages: messages.map((message, i) => (users.includes(i) ? marked(message) : message)),
  };
}

function toolOf({ name, description, inputSchema }: ModelRequest["tools"][number], last: boolean): object {
  return { name, description, input_schema: inputSchema, ...(last ? mark : {}) };
}

function marked({ role, content }: Message): Message {
  return {
    role,
    content: content.map((block, i) => (i === content.length - 1 ? { ...block, ...mark } : block)),
  };
}
