import type { SessionEvent } from "../../../../src/session/event.ts";
import type { Case, Step } from "../case.ts";
import { good, told } from "../steps.ts";
import { call, streamOf, text } from "../streams.ts";
import { stepOf, tooLarge } from "./answers.ts";
import { failures } from "./storms.ts";

type Log = {
  readonly row: string;
  readonly steps: readonly Step[];
  /** How many records of each type it holds, at each of which the run dies. */
  readonly records: Readonly<Partial<Record<SessionEvent["type"], number>>>;
  /** How the provider answers the next run. */
  readonly nexts: Readonly<Record<string, readonly Step[]>>;
};

/** Runs that die between two records, and another one that goes on with what they used up. */
export function* deaths(): Generator<Case> {
  for (const [name, { row, steps, records, nexts }] of Object.entries(logs())) {
    for (const [type, count] of Object.entries(records) as [SessionEvent["type"], number][]) {
      for (let nth = 1; nth <= count; nth += 1) {
        for (const [next, answers] of Object.entries(nexts)) {
          const dies = { type, nth, answers };
          yield { name: `${name}, dies behind ${type} ${nth}, ${next}`, row, steps, dies };
        }
      }
    }
  }
}

function logs(): Readonly<Record<string, Log>> {
  const { "529": busy, "a stream cut off": cutOff, "no answer": silence } = failures();
  const [answer] = tooLarge;
  if (busy === undefined || cutOff === undefined || silence === undefined || answer === undefined)
    throw new Error("a failure is missing");
  const storm = (step: Step) => Array<Step>(6).fill(step);
  const nexts = {
    "the storm goes on": storm(busy),
    "one more failure": [busy, good.talk],
    "it is over": [good.talk],
  };
  const large: Step = { ...stepOf(answer), meaning: { kind: "too-large" } };
  const paused = some((i) => streamOf({ content: [text(`Still ${i}.`)], stopReason: "pause_turn" }));
  const cut = some((i) =>
    streamOf({ content: [call(`cut${i}`, "write", { text: "x" })], stopReason: "max_tokens" }),
  );
  return {
    "a storm at once": {
      row: "F3",
      steps: storm(busy),
      records: { "reply.requested": 6, "reply.failed": 6 },
      nexts,
    },
    "a storm of cut streams behind work": {
      row: "F8",
      steps: [good.work, ...storm(cutOff)],
      records: { "reply.requested": 7, "reply.failed": 6, "turn.ended": 1 },
      nexts,
    },
    "silences, and a reply": {
      row: "F10",
      steps: [silence, silence, silence, good.work, busy, busy, good.long, good.talk],
      records: { "reply.requested": 8, "reply.failed": 5, "turn.ended": 2 },
      nexts,
    },
    "too large": {
      row: "F5",
      steps: [good.work, large, good.long, good.talk],
      records: { "reply.failed": 1, "context.compacted": 1 },
      nexts: { "it is too large": [large, good.long, large], "it is over": [good.talk] },
    },
    pauses: {
      row: "F17",
      steps: [...paused.slice(0, 4), good.talk],
      records: { "turn.ended": 4, "reply.requested": 5 },
      nexts: { "it pauses on": paused.slice(4), "it is over": [good.talk] },
    },
    "cut replies": {
      row: "F13",
      steps: [...cut.slice(0, 2), good.talk],
      records: { "turn.ended": 2, "reply.requested": 3 },
      nexts: { "they are cut on": cut.slice(4), "it is over": [good.talk] },
    },
  };
}

function some(make: (i: number) => Parameters<typeof told>[0]): readonly Step[] {
  return Array.from({ length: 10 }, (_, i) => told(make(i)));
}
