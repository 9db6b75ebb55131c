import type { GenericSchema, InferOutput } from "valibot";
import type { EffectClass, PlanItem } from "../session/event.ts";

/** What a tool may use. It runs inside the sandbox; `root` is the workspace there, an absolute path. */
export type ToolContext = {
  readonly root: string;
  /** A private directory of this sandbox, not part of the workspace. */
  readonly tmp: string;
  /** The environment of commands; nothing of the action's own. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * What turns a program of this process into one with the rights of commands, as arguments before it. Where it is
   * given, this process itself may not look into the workspace.
   */
  readonly drop?: readonly string[];
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
