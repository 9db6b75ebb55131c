import type { Clock } from "../base/clock.ts";
import type { Mask } from "../base/masking.ts";
import type { Live, OnLive } from "../loop/live.ts";
import type { SessionEvent } from "../session/event.ts";
import { seconds, type TurnCalls, turnCalls } from "./commentary-calls.ts";
import type { Outputs } from "./commentary-output.ts";
import { openSpeech, type Speech } from "./commentary-speech.ts";
import { type Medium, type TurnGroup, turnGroup } from "./commentary-turn.ts";
import { isOfTurn, lineOf, type TurnEvent } from "./timeline.ts";

/** Tells a run while it works. No member waits for anything, or throws for what it is given. */
export type Commentary = {
  readonly onLive: OnLive;
  /** For events that are durable. */
  readonly onEvent: (event: SessionEvent) => void;
  /** Closes what is open: nothing of a turn comes after it. */
  readonly end: () => void;
};

/**
 * One group a turn, with what the model says, the calls that run and what they print. It works in bounded memory and
 * says a bounded number of lines: what passes by is left out where there is too much of it or the medium is behind, and
 * counted; what is durable is always told.
 */
export function commentary(
  medium: Medium,
  { mask, clock, outputs }: { readonly mask: Mask; readonly clock: Clock; readonly outputs: Outputs },
): Commentary {
  const turn = turnGroup(medium, mask);
  const calls = (): TurnCalls => turnCalls(turn, clock, outputs);
  const told: Told = {
    turn,
    begin: calls,
    calls: calls(),
    speech: openSpeech(turn),
    costUsd: null,
    isRed: false,
  };
  const end = (): void => {
    told.speech.end();
    turn.end();
  };
  return {
    onLive: (live) => tellLive(told, live),
    onEvent: (event) => {
      if (isOfTurn(event)) tellTurn(told, event);
      else {
        const line = lineOf(event);
        if (event.type === "run.suspended" || event.type === "session.ended") end();
        if (event.type === "gate.failed") told.isRed = true;
        if (line !== null) turn.say(line);
      }
    },
    end,
  };
}

type Told = {
  readonly turn: TurnGroup;
  readonly begin: () => TurnCalls;
  /** Of the turn and of the reply that came last. */
  calls: TurnCalls;
  speech: Speech;
  costUsd: number | null;
  /** The gate was red, and the model was not asked since. */
  isRed: boolean;
};

function tellLive({ turn, speech, calls }: Told, live: Live): void {
  switch (live.kind) {
    case "text.delta":
    case "thinking.delta":
    case "call.delta":
      speech.hear(live);
      return;
    case "output.delta":
      calls.output(live.id, live.text);
      return;
    case "retry.wait":
      turn.say(`  asks again in ${seconds(live.ms)}`);
      return;
    case "progress":
      tellProgress(turn, calls, live);
      return;
  }
}

function tellProgress(
  turn: TurnGroup,
  calls: TurnCalls,
  { turn: number, doing }: Extract<Live, { kind: "progress" }>,
): void {
  switch (doing.kind) {
    case "asking":
      return;
    case "summarising":
      turn.say("the older part of the conversation is summarised");
      return;
    case "calling":
      // Where a run goes on in the middle of a turn.
      turn.enter(`turn ${number}, gone on with`);
      calls.begin(doing);
      return;
    case "called":
      calls.over(doing.id, doing.output);
      return;
  }
}

function tellTurn(told: Told, event: TurnEvent): void {
  told.speech.end();
  switch (event.type) {
    case "reply.requested":
      ask(told, event);
      return;
    case "reply.failed":
      told.turn.say(`  no reply: ${event.reason}`);
      return;
    case "reply.received":
      told.costUsd = event.costUsd;
      if (event.masked) told.turn.say("  a call holds a secret of this run and is not run");
      return;
    case "calls.intended":
      told.calls.intend(event.calls);
      return;
    case "call.settled":
      told.calls.settle(event.id, event.status);
      return;
    case "turn.ended":
      endTurn(told, event);
      return;
  }
}

function ask(told: Told, { turn: number, attempt }: Extract<TurnEvent, { type: "reply.requested" }>): void {
  const { turn } = told;
  told.speech = openSpeech(turn);
  if (told.isRed) turn.say("the findings of the gate go back to the model");
  told.isRed = false;
  if (attempt === 1) {
    told.calls = told.begin();
    turn.begin(`turn ${number}`);
    return;
  }
  const again = `turn ${number}, attempt ${attempt}`;
  if (!turn.enter(again)) turn.say(again);
}

function endTurn(
  { turn, calls, costUsd }: Told,
  { turn: number, ms, next }: Extract<TurnEvent, { type: "turn.ended" }>,
): void {
  turn.end();
  const count = calls.settled() === 1 ? "1 call" : `${calls.settled()} calls`;
  const cost = costUsd === null ? "cost unknown" : `${costUsd.toFixed(4)} USD`;
  turn.say(`turn ${number} ended: ${count}, ${seconds(ms)}, ${cost}; next: ${next}`);
}
