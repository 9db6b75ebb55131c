import type { EffectClass, PlanItem } from "../session/event.ts";
import type { ToolDefinition } from "./model.ts";

export type ToolSpec = ToolDefinition & { readonly class: EffectClass };

export type ToolCall = {
  readonly id: string;
  readonly tool: string;
  /** Parsed JSON, already checked against the tool's schema. */
  readonly arguments: unknown;
  /** The whole earlier output where the arguments name one (`output:<call id>`), else null. */
  readonly attachment: string | null;
};

export type ToolRun = {
  readonly status: "ok" | "error" | "killed";
  /** For the model: at most `modelOutputBytesMax`, head and tail, exact counts of what was cut. */
  readonly output: string;
  /** The whole output (up to `storedOutputBytesMax`) where `output` is cut, else null. */
  readonly whole: string | null;
  readonly plan: readonly PlanItem[] | null;
};

export type Checked =
  | { readonly kind: "valid"; readonly arguments: unknown }
  | { readonly kind: "invalid"; readonly why: string };

/**
 * Port: the tools, run out of this process. `run` resolves in every case, also on abort (then `killed`), and only
 * once no process of the call can write any more. Throws when the sandbox itself is lost.
 */
export type Toolbox = {
  readonly specs: readonly ToolSpec[];
  /** Strict: unknown keys, wrong types and unknown tools are `invalid` with a text the model can act on. */
  readonly check: (tool: string, input: unknown) => Checked;
  readonly run: (
    call: ToolCall,
    options: { readonly signal: AbortSignal; readonly onOutput: (text: string) => void },
  ) => Promise<ToolRun>;
};
