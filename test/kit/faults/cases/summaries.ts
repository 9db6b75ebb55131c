import type { Case, Step } from "../case.ts";
import { type Predicted, predict, quarterMs, waitMs } from "../oracle.ts";
import { good, told } from "../steps.ts";
import { call, streamOf, text, thinking } from "../streams.ts";
import { answers, stepOf, tooLarge } from "./answers.ts";
import { failures } from "./storms.ts";

const [large] = tooLarge.map((answer): Step => ({ ...stepOf(answer), meaning: { kind: "too-large" } }));
const words = told(streamOf({ content: [thinking("Hm."), text("Looked at the parser.")] }));

/** Faults of the request for a summary, in a session whose second request is too large. */
export function* summaryFaults(): Generator<Case> {
  if (large === undefined) throw new Error("an answer is missing");
  const steps = [good.work, large, good.long, good.talk];
  const well = predict(steps.map(({ meaning }) => meaning));
  const of = (name: string, summaries: readonly Step[], predicted: Partial<Predicted>): Case => {
    return { name: `summary: ${name}`, row: "F5", steps, summaries: [...summaries, words], predicted };
  };
  for (const [kind, step] of Object.entries(failures())) {
    for (let count = 1; count <= 6; count += 1)
      yield of(`${kind}, ${count} times`, Array<Step>(count).fill(step), afterFailures(step, count, well));
  }
  for (const answer of answers.filter(({ final }) => final)) {
    const comeBackMs = answer.retryAfterMs ?? null;
    yield of(answer.name, [stepOf(answer)], { ...cutShort(1), comeBackMs });
  }
  for (const [what, content, stopReason, requests] of [
    ["a refusal", [text("I will not")], "refusal", 1],
    ["nothing", [], "end_turn", 2],
    ["thinking alone", [thinking("Hm.")], "end_turn", 2],
    ["a call alone", [call("s1", "write", { text: "x" })], "tool_use", 2],
    ["words and a call", [text("So."), call("s1", "write", { text: "x" })], "tool_use", 1],
    ["words that are cut", [text("So.")], "max_tokens", 1],
    ["words, for a reason that nobody knows", [text("So.")], "moon", 1],
  ] as const) {
    const step = told(streamOf({ content, stopReason }));
    yield of(what, [step], { summaries: requests });
    if (requests === 2) yield of(`${what}, twice`, [step, step], { summaries: 2 });
  }
  for (let count = 1; count <= 6; count += 1) {
    const predicted = count < 6 ? { summaries: count + 1 } : { ...cutShort(6), comeBackMs: quarterMs };
    yield of(`too large, ${count} times`, Array<Step>(count).fill(large), predicted);
  }
}

/** The session ends with what it did before. */
function cutShort(summaries: number): Partial<Predicted> {
  return { requests: 2, summaries, end: "provider", ran: ["w1", "w2"] };
}

function afterFailures({ meaning }: Step, count: number, well: Predicted): Partial<Predicted> {
  if (meaning.kind !== "dropped") throw new Error("such an answer is not tried again");
  const { retryAfterMs, silentMs = 0 } = meaning;
  const tries = Array.from({ length: Math.min(count, 5) }, (_, i) => i + 1);
  const waits = tries.map((nth) => waitMs(nth, retryAfterMs));
  const elapsedMs = waits.reduce((sum, ms) => sum + ms, silentMs * count);
  if (count < 6) return { summaries: count + 1, waits: [...well.waits, ...waits], elapsedMs };
  const told = retryAfterMs !== null && retryAfterMs >= 1000;
  return { ...cutShort(6), waits, elapsedMs, comeBackMs: told ? retryAfterMs : quarterMs };
}
