import type { ChildProcess } from "node:child_process";
import type { GenericSchema, InferOutput } from "valibot";
import type { EffectClass, PlanItem } from "../session/event.ts";

/** A real pipe: what is written to `fd` comes out of `reader`, which ends once nobody holds `fd`. */
export type OutputPipe = { readonly fd: number; readonly reader: NonNullable<ChildProcess["stdout"]> };

/** What a tool may use. It runs inside the sandbox; `root` is the workspace there, an absolute path. */
export type ToolContext = {
  readonly root: string;
  /** A private directory of this sandbox, not part of the workspace. */
  readonly tmp: string;
  /** The environment of commands; nothing of the action's own. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * How a command is started where this process has other rights than commands, and may not look into the workspace:
   * the arguments that give a program those rights, and a pipe for its output.
   */
  readonly apart?: { readonly drop: readonly string[]; readonly pipe: () => OutputPipe };
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
  /** The whole earlier output that the arguments name (`output:<call id>`), else null. */
  readonly attachment: string | null;
  /** The call's own id where it is known: what is cut from an output names it, to be read as `output:<id>`. */
  readonly callId?: string;
};

export type ToolOutcome = {
  readonly status: "ok" | "error" | "killed";
  readonly output: string;
  readonly whole: string | null;
  readonly plan: readonly PlanItem[] | null;
};

/** One tool: a schema, a class, and what it does. A failure the model can act on is an `error` outcome, not a throw. */
export type Tool<Schema extends GenericSchema = GenericSchema> = {
  readonly name: string;
  /** Written as for a colleague who has never used it. */
  readonly description: string;
  readonly class: EffectClass;
  readonly schema: Schema;
  readonly run: (input: InferOutput<Schema>, context: ToolContext) => Promise<ToolOutcome>;
};
