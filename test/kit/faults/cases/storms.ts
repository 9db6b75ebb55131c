import type { Case, Step } from "../case.ts";
import { good, lost } from "../steps.ts";
import { encode, work } from "../streams.ts";
import { answers, stepOf } from "./answers.ts";
import { patience } from "./cuts.ts";

/** One failure of each kind that is tried again. */
export function failures(): Readonly<Record<string, Step>> {
  const answer = (name: string): Step => {
    const found = answers.find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no answer ${name}`);
    return stepOf(found);
  };
  const bytes = encode(work);
  const none = Buffer.alloc(0);
  const error = encode([...work.slice(0, -3), { type: "error", error: { type: "overloaded_error" } }]);
  return {
    "429, told when": answer("429, retry-after 30"),
    "429, told 0": answer("429, retry-after 0"),
    "529": answer("529"),
    "503, a page": answer("503, a page"),
    "no answer": lost({ bytes: none, silent: true, ends: { kind: "stall" } }, patience.firstByte),
    "a connection reset": lost({ bytes: none, silent: true, ends: { kind: "reset" } }),
    "an error in a stream": lost({ bytes: error, ends: { kind: "end" } }),
    "a stream that ends early": lost({ bytes: bytes.subarray(0, -20), ends: { kind: "end" } }),
    "a stream that stands still": lost(
      { bytes: bytes.subarray(0, -20), ends: { kind: "stall" } },
      patience.idle,
    ),
    "a stream cut off": lost({ bytes: bytes.subarray(0, 900), ends: { kind: "reset" } }),
    "a page with 200": lost({
      headers: { "content-type": "text/html" },
      bytes: Buffer.from("<p>"),
      ends: { kind: "end" },
    }),
  };
}

/** The same failure, or every kind in turn, more often than the tries last; at each request of a session. */
export function* storms(): Generator<Case> {
  const kinds = Object.entries(failures());
  const session = [good.work, good.long, good.talk];
  for (let turn = 0; turn < session.length; turn += 1) {
    const [before, behind] = [session.slice(0, turn), session.slice(turn)];
    for (const [kind, step] of kinds) {
      for (let count = 2; count <= 7; count += 1) {
        const steps = [...before, ...Array<Step>(count).fill(step), ...behind];
        yield { name: `${kind}, ${count} times, in turn ${turn + 1}`, row: rowOf(kind), steps };
      }
    }
  }
  const everywhere = session.flatMap((step, i) => [
    ...kinds.slice(i * 3, i * 3 + 5).map(([, one]) => one),
    step,
  ]);
  yield { name: "five failures of all kinds in each turn", row: "F3", steps: everywhere };
  yield* shortOfTime();
}

/** Waits that no longer fit the time that is left. */
function* shortOfTime(): Generator<Case> {
  const { "529": busy, "429, told when": told } = failures();
  if (busy === undefined || told === undefined) throw new Error("a failure is missing");
  const steps = [...Array<Step>(6).fill(busy), good.talk];
  // The waits are 1.5, 2.5, 4.5 and 8.5 s; another 16.5 s are more than is left.
  yield { name: "busy until the time is up", row: "F3", steps, budget: { minutes: 0.5 } };
  const late = [told, good.talk];
  yield { name: "told a time after the budget", row: "F1", steps: late, budget: { minutes: 0.4 } };
}

/** Failures of every kind at every request, by a sequence of numbers that is always the same. */
export function* walks(): Generator<Case> {
  const kinds = Object.entries(failures());
  let seed = 7;
  const below = (n: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * n);
  };
  for (let walk = 0; walk < 300; walk += 1) {
    const picked = (["work", "long", "talk"] as const).map((name) => {
      const some = Array.from(
        { length: below(7) },
        () => kinds[below(kinds.length)] ?? (["", good.talk] as const),
      );
      return { some, name };
    });
    const steps = picked.flatMap(({ some, name }) => [...some.map(([, step]) => step), good[name]]);
    const what = picked.map(({ some }) => some.map(([kind]) => kind).join(" + ") || "none").join(" | ");
    yield { name: `walk ${walk}: ${what}`, row: "F3", steps };
  }
}

function rowOf(kind: string): string {
  if (kind.startsWith("429")) return "F1";
  if (kind.startsWith("a page")) return "F21";
  if (kind === "no answer") return "F10";
  if (kind === "a stream that stands still") return "F11";
  if (kind === "a stream that ends early") return "F9";
  if (kind === "an error in a stream") return "F7";
  return kind.startsWith("5") ? "F3" : "F8";
}
