import type { PlanItem } from "../session/event.ts";
import type { ToolOutcome } from "./tool.ts";

export function ok(output: string, plan: readonly PlanItem[] | null = null): ToolOutcome {
  return { status: "ok", output, whole: null, plan };
}

/** A failure that the model can act on; `output` says what to do about it. */
export function failed(output: string): ToolOutcome {
  return { status: "error", output, whole: null, plan: null };
}

export function cancelled(): ToolOutcome {
  return { status: "killed", output: "The call was cancelled.", whole: null, plan: null };
}

/** `1 line`, `12,345 lines`; the plural is the noun with an s unless it is given. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(count)} ${count === 1 ? noun : plural}`;
}

/** `12,345`. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** The number that `grouped` wrote. */
export function ungrouped(text: string): number {
  return Number(text.replaceAll(",", ""));
}
