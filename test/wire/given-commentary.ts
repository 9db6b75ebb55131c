import { maskOf } from "../../src/base/masking.ts";
import type { Live } from "../../src/loop/live.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { commentary } from "../../src/wire/commentary.ts";
import type { Outputs } from "../../src/wire/commentary-output.ts";
import { handClock, inline } from "../kit/given.ts";

export const secret = "sk-ant-0123456789abcdef";
export const mask = maskOf([secret]);

/** A medium that keeps what it is told; `+` and `-` stand where a group begins and ends. */
export function given(outputs: Outputs = "shown") {
  const lines: string[] = [];
  const clock = handClock();
  const medium = {
    behind: false,
    say: (line: string) => void lines.push(line),
    group: (title: string) => {
      lines.push(`+ ${title}`);
      return { [Symbol.dispose]: () => void lines.push("-") };
    },
    isBehind: () => medium.behind,
  };
  const told = commentary(medium, { mask, clock, outputs });
  const events = (...all: readonly SessionEvent[]) => {
    for (const event of all) told.onEvent(event);
  };
  const lives = (...all: readonly Live[]) => {
    for (const live of all) told.onLive(live);
  };
  return { lines, clock, medium, told, events, lives };
}

export const requested = (turn: number, attempt = 1): SessionEvent => {
  return { type: "reply.requested", turn, attempt, maxTokens: 1000 };
};
export const received = (turn: number, costUsd: number | null = 0.0123): SessionEvent => ({
  ...{
    type: "reply.received",
    turn,
    content: inline("[]"),
    stopReason: "tool_use",
    requestId: null,
    costUsd,
  },
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
});
export const intended = (
  ...calls: readonly (readonly [id: string, tool: string, input: object])[]
): SessionEvent => ({
  type: "calls.intended",
  turn: 1,
  calls: calls.map(([id, tool, input]) => {
    return { id, tool, arguments: inline(JSON.stringify(input)), class: "workspace" } as const;
  }),
});
export const settled = (id: string, status: "ok" | "error" | "not-run" = "ok"): SessionEvent => {
  return { type: "call.settled", id, status, output: inline(""), whole: null, tree: null, plan: null };
};
export const ended = (turn: number): SessionEvent => {
  return { type: "turn.ended", turn, next: "calls", ms: 2500, checkpoint: null };
};
export const text = (words: string): Live => ({ kind: "text.delta", text: words });
export const output = (id: string, words: string): Live => ({ kind: "output.delta", id, text: words });
export const calling = (id: string, tool: string, subject: string): Live => {
  return { kind: "progress", turn: 1, doing: { kind: "calling", id, tool, subject } };
};
export const called = (id: string, words: string): Live => {
  return { kind: "progress", turn: 1, doing: { kind: "called", id, output: words } };
};
