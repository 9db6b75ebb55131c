import Anthropic from "@anthropic-ai/sdk";
import type { ScriptedModel } from "../kit/model/server.ts";

export type Messages = Anthropic.MessageParam[];
export type Params = Partial<Anthropic.MessageCreateParamsNonStreaming> & Record<string, unknown>;

export const tools: Anthropic.Tool[] = [{ name: "read", input_schema: { type: "object" } }];
export const hello: Messages = [{ role: "user", content: "hello" }];

export function clientOf(model: ScriptedModel): Anthropic {
  return new Anthropic({ apiKey: "sk-test", baseURL: model.url, maxRetries: 0 });
}

/** Asks with `messages.stream()` as the product does. */
export function ask(
  model: ScriptedModel,
  messages: Messages,
  params: Params = {},
): Promise<Anthropic.Message> {
  const stream = clientOf(model).messages.stream({ model: "m", max_tokens: 100, tools, ...params, messages });
  return stream.finalMessage();
}

export function result(id: string): Anthropic.ToolResultBlockParam {
  return { type: "tool_result", tool_use_id: id, content: "ok" };
}
