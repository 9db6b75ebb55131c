import type { EffectClass, SessionEvent } from "./event.ts";

export type OpenCall = {
  readonly id: string;
  readonly tool: string;
  readonly class: EffectClass;
  readonly settled: boolean;
};

/** Where the current turn stands. `number` counts from 1; 0 is before the first. */
export type Turn = {
  readonly number: number;
  readonly phase: "idle" | "requested" | "received" | "calling";
  /** Requests made for this turn, failed ones included. */
  readonly attempts: number;
  readonly stopReason: string | null;
  readonly calls: readonly OpenCall[];
};

export const noTurn: Turn = { number: 0, phase: "idle", attempts: 0, stopReason: null, calls: [] };

type TurnEvent = Extract<
  SessionEvent,
  { type: "reply.requested" | "reply.received" | "calls.intended" | "call.settled" | "turn.ended" }
>;

export function turnAfter(turn: Turn, event: TurnEvent): Turn {
  switch (event.type) {
    case "reply.requested":
      return { ...noTurn, number: event.turn, phase: "requested", attempts: event.attempt };
    case "reply.received": {
      const { turn: number, stopReason } = event;
      return { ...turn, number, phase: "received", stopReason, calls: [] };
    }
    case "calls.intended": {
      const calls = event.calls.map(({ id, tool, class: effect }) => {
        return { id, tool, class: effect, settled: false };
      });
      return { ...turn, number: event.turn, phase: "calling", calls };
    }
    case "call.settled": {
      const calls = turn.calls.map((call) => (call.id === event.id ? { ...call, settled: true } : call));
      return { ...turn, calls };
    }
    case "turn.ended":
      return { ...noTurn, number: event.turn, stopReason: turn.stopReason };
  }
}
