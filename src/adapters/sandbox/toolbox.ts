import { limits } from "../../base/limits.ts";
import type { Toolbox, ToolRun } from "../../loop/toolbox.ts";
import { checkArguments, definitions } from "../../tools/definitions.ts";
import type { Tool } from "../../tools/tool.ts";
import { lanes } from "./lanes.ts";
import { clipText } from "./lines.ts";
import type { Sandbox } from "./open.ts";

const readMsMax = 60_000;
/** Above what `shell` lets a command take: its own time limit ends in an answer that says more. */
const changeMsMax = 65 * 60_000;

/**
 * Tools whose calls run in the sandbox. Without one (`kind: "off"`), what the tools in `commandTools` start can reach
 * anything, so their class becomes `external`.
 */
export function sandboxToolbox(
  sandbox: Sandbox,
  options: { readonly tools: readonly Tool[]; readonly commandTools: readonly string[] },
): Toolbox {
  const isOpen = (name: string) => sandbox.kind === "off" && options.commandTools.includes(name);
  const tools = options.tools.map((tool) =>
    isOpen(tool.name) ? { ...tool, class: "external" as const } : tool,
  );
  const pass = lanes(limits.readsAtOnce);
  const toolNamed = (name: string) => tools.find((tool) => tool.name === name);
  return {
    specs: definitions(tools),
    check: (name, input) => {
      const tool = toolNamed(name);
      if (tool !== undefined) return checkArguments(tool, input);
      const names = tools.map((one) => one.name).join(", ");
      return { kind: "invalid", why: `There is no tool "${name.slice(0, 100)}". The tools are: ${names}.` };
    },
    run: (call, { signal, onOutput }) => {
      const exclusive = toolNamed(call.tool)?.class !== "read";
      return pass(exclusive, async () => {
        if (signal.aborted) return killed;
        const outcome = await sandbox.ask(
          {
            type: "call",
            exclusive,
            msMax: exclusive ? changeMsMax : readMsMax,
            callId: call.id,
            tool: call.tool,
            arguments: call.arguments,
            attachment: call.attachment,
          },
          { signal, onOutput },
        );
        return bounded(outcome);
      });
    },
  };
}

const killed: ToolRun = {
  status: "killed",
  output: "Stopped before it began.",
  whole: null,
  plan: null,
};

/** Tools keep these bounds; the process they ran in may have been taken over by what it ran. */
function bounded({ status, output, whole, plan }: ToolRun): ToolRun {
  return {
    status,
    output: clipText(output, limits.modelOutputBytesMax),
    whole: whole === null ? null : clipText(whole, limits.storedOutputBytesMax),
    plan,
  };
}
