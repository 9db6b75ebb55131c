import type { Clock } from "../base/clock.ts";
import { type Doing, subjectOf } from "../loop/live.ts";
import type { IntendedCall, Settlement } from "../session/event.ts";
import { type CallOutput, callOutput, type Outputs } from "./commentary-output.ts";
import type { TurnGroup } from "./commentary-turn.ts";

/** The calls of the open turn: which one runs, what it prints, how it was settled. */
export type TurnCalls = {
  readonly intend: (calls: readonly IntendedCall[]) => void;
  readonly begin: (call: Extract<Doing, { kind: "calling" }>) => void;
  readonly output: (id: string, text: string) => void;
  /** It is over; the rest is said when it is settled, which is when it is durable. */
  readonly over: (id: string, output: string) => void;
  readonly settle: (id: string, status: Settlement) => void;
  /** How many were settled. */
  readonly settled: () => number;
};

type Running = { readonly label: string; readonly beganMs: number; readonly output: CallOutput };

export function turnCalls(turn: TurnGroup, clock: Clock, shown: Outputs): TurnCalls {
  const intended = new Map<string, string>();
  const running = new Map<string, Running>();
  const outputs = new Map<string, string>();
  const printed = new Set<string>();
  let together = false;
  let settled = 0;
  return {
    intend: (calls) => {
      for (const call of calls) intended.set(call.id, labelOf(call));
    },
    begin: ({ id, tool, subject }) => {
      const label = named(tool, subject);
      turn.say(`  ${label}`);
      running.set(id, { label, beganMs: clock.elapsed(), output: callOutput(id, turn, shown) });
      together ||= running.size > 1;
    },
    output: (id, text) => {
      running.get(id)?.output.push(text);
      printed.add(id);
    },
    over: (id, output) => void outputs.set(id, output),
    settle: (id, status) => {
      const call = running.get(id);
      settled += 1;
      // What was only looked up is in the repository already; what went wrong is not.
      if (printed.has(id) || status !== "ok") call?.output.end(outputs.get(id) ?? null);
      const took = call === undefined ? "" : `, ${seconds(clock.elapsed() - call.beganMs)}`;
      const which = together || call === undefined ? `: ${call?.label ?? intended.get(id) ?? id}` : "";
      turn.say(`  ${status}${took}${which}`);
      running.delete(id);
      if (running.size === 0) together = false;
    },
    settled: () => settled,
  };
}

function labelOf({ tool, arguments: given }: IntendedCall): string {
  return named(tool, given.type === "blob" ? "" : subjectOf(JSON.parse(given.text)));
}

function named(tool: string, subject: string): string {
  return subject === "" ? tool : `${tool} ${subject}`;
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
