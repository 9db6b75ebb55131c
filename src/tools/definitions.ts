import { toJsonSchema } from "@valibot/to-json-schema";
import { safeParse } from "valibot";
import type { Checked, ToolSpec } from "../loop/toolbox.ts";
import { explain } from "./arguments.ts";
import type { Tool } from "./tool.ts";

/** What the model and the loop are told of the tools, in their order; the same bytes every time. */
export function definitions(tools: readonly Tool[]): readonly ToolSpec[] {
  return tools.map((tool) => {
    const { $schema, ...inputSchema } = toJsonSchema(tool.schema, { typeMode: "input" });
    return { name: tool.name, description: tool.description, inputSchema, class: tool.class };
  });
}

/** Strict: unknown keys, missing keys and wrong types are refused, each named. */
export function checkArguments(tool: Tool, input: unknown): Checked {
  const result = safeParse(tool.schema, input);
  if (result.success) return { kind: "valid", arguments: result.output };
  return { kind: "invalid", why: explain(tool.schema, result.issues) };
}
