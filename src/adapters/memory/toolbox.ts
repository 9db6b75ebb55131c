import type { Checked, Toolbox, ToolCall, ToolRun } from "../../loop/toolbox.ts";
import type { EffectClass } from "../../session/event.ts";

/** A tool that runs in this process. Its arguments are strings: those in `required`, and no others but `optional`. */
export type MemoryTool = {
  readonly name: string;
  readonly class: EffectClass;
  readonly required: readonly string[];
  readonly optional?: readonly string[];
  /** A string is a good result. A call cut short by the signal is `killed` by itself. */
  readonly run: (
    input: Readonly<Record<string, string>>,
    options: {
      readonly signal: AbortSignal;
      readonly call: ToolCall;
      readonly onOutput: (text: string) => void;
    },
  ) => Promise<string | ToolRun>;
};

export function memoryToolbox(tools: readonly MemoryTool[]): Toolbox {
  const named = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    specs: tools.map(specOf),
    check: (name, input) => check(named.get(name), name, input),
    run: async (call, { signal, onOutput }) => {
      const tool = named.get(call.tool);
      if (tool === undefined) throw new Error(`no tool ${call.tool} in memory`);
      const input = call.arguments as Readonly<Record<string, string>>;
      const run = tool.run(input, { signal, call, onOutput });
      const result = await Promise.race([run, aborted(signal)]);
      if (typeof result !== "string") return result;
      return { status: "ok", output: result, whole: null, plan: null };
    },
  };
}

function specOf({ name, class: effect, required, optional = [] }: MemoryTool) {
  const properties = Object.fromEntries([...required, ...optional].map((key) => [key, { type: "string" }]));
  const inputSchema = { type: "object", properties, required, additionalProperties: false };
  return { name, description: `The tool ${name}.`, inputSchema, class: effect };
}

function check(tool: MemoryTool | undefined, name: string, input: unknown): Checked {
  if (tool === undefined) return invalid(`there is no tool ${name}`);
  if (typeof input !== "object" || input === null) return invalid("the arguments must be an object");
  const known = [...tool.required, ...(tool.optional ?? [])];
  const unknown = Object.keys(input).find((key) => !known.includes(key));
  if (unknown !== undefined) return invalid(`${name} takes no argument ${unknown}`);
  const missing = tool.required.find((key) => !Object.hasOwn(input, key));
  if (missing !== undefined) return invalid(`${name} needs the argument ${missing}`);
  const wrong = Object.entries(input).find(([, value]) => typeof value !== "string");
  return wrong === undefined
    ? { kind: "valid", arguments: input }
    : invalid(`${name}: ${wrong[0]} must be a string`);
}

function invalid(why: string): Checked {
  return { kind: "invalid", why };
}

async function aborted(signal: AbortSignal): Promise<ToolRun> {
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  }
  return { status: "killed", output: "killed", whole: null, plan: null };
}
