import { mkdirSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import type { Tool, ToolOutcome } from "../../tools/tool.ts";
import { lineReader } from "./lines.ts";
import type { Answer, Request, WorkerPlan } from "./protocol.ts";
import { reachOut } from "./reach.ts";

type Call = Extract<Request, { type: "call" }>;

/**
 * Runs tools for the supervisor until its channel closes. Nothing needs to be stopped gracefully here: an abort
 * kills this process with all it started.
 */
export function serveTools(
  tools: readonly Tool[],
  plan: WorkerPlan,
  input: Readable,
  output: Writable,
): void {
  const send = (answer: Answer) => output.write(`${JSON.stringify(answer)}\n`);
  const signal = new AbortController().signal;
  mkdirSync(plan.tmp, { recursive: true });
  const read = lineReader({
    onLine: (line) => void take(JSON.parse(line) as Request),
    onOverflow: () => process.exit(3),
  });
  input.on("data", read);
  for (const event of ["end", "close", "error"]) input.on(event, () => process.exit(0));

  async function take(request: Request): Promise<void> {
    if (request.type === "probe") {
      send({ type: "probed", id: request.id, reached: await reachOut(request.targets) });
    }
    if (request.type === "call") {
      send({ ...(await settle(request)), type: "outcome", id: request.id });
    }
  }

  async function settle(call: Call): Promise<ToolOutcome> {
    try {
      const tool = tools.find((one) => one.name === call.tool);
      if (tool === undefined) return failed(`There is no tool named ${call.tool}.`);
      // Every tool checks its arguments once more by itself, see `defineTool`.
      return await tool.run(call.arguments, {
        root: plan.root,
        tmp: plan.tmp,
        env: plan.env,
        signal,
        onOutput: (text) => send({ type: "output", id: call.id, text }),
        attachment: call.attachment,
        callId: call.callId,
      });
    } catch (error) {
      return failed(`The tool failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

function failed(output: string): ToolOutcome {
  return { status: "error", output, whole: null, plan: null };
}
