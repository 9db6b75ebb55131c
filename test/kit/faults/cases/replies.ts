import type { ReplyBlock } from "../../model/script.ts";
import type { Case, Step } from "../case.ts";
import { as, good, lost, told } from "../steps.ts";
import { call, type Events, encode, streamOf, type Told, talk, text, thinking, work } from "../streams.ts";
import { rest } from "./shapes.ts";

const valid = call("v1", "write", { text: "valid" });

/** Every reason to stop, known or not, with all that a reply can hold. */
export function* stopReasons(): Generator<Case> {
  const reasons = [
    ...["end_turn", "stop_sequence", "tool_use", "max_tokens", "pause_turn", "refusal"],
    ...["model_context_window_exceeded", "moon", "compaction", "", "long ".repeat(20_000)],
  ];
  const contents: Readonly<Record<string, readonly ReplyBlock[]>> = {
    words: [text("I am done.")],
    "a call": [valid],
    "thinking, words and calls": [thinking("Hm."), text("So."), call("r1", "read", { path: "a" }), valid],
    nothing: [],
    "blank words": [text(" \n")],
    "blank words, thinking and a call": [text(" "), thinking("Hm."), valid],
    "blank words before words": [text("\n"), text("I am done.")],
    "thinking alone": [thinking("Hm.")],
    "words before thinking": [text("So."), thinking("Hm.")],
    "a call that is cut": [call("c1", "write", {}, '{"text":"half a sen')],
    "a call, and one that is cut": [valid, call("c1", "write", {}, '{"text":"half')],
    "a call before words": [valid, text("I called.")],
  };
  for (const stopReason of reasons) {
    for (const [what, content] of Object.entries(contents)) {
      const row = rowOf(stopReason, content);
      const step = told(streamOf({ content, stopReason }));
      yield {
        name: `${what}, stopped by "${stopReason.slice(0, 40)}"`,
        row,
        steps: [step, ...rest("talk", step.meaning)],
      };
    }
  }
}

function rowOf(stopReason: string, content: readonly ReplyBlock[]): string {
  switch (stopReason) {
    case "max_tokens":
      return "F13";
    case "pause_turn":
      return "F17";
    case "refusal":
      return "F18";
    case "model_context_window_exceeded":
      return "F19";
    case "end_turn":
    case "stop_sequence":
    case "tool_use":
      return content.length === 0 ? "F16" : "F14";
    default:
      return "F20";
  }
}

/** Calls that may not run, alone and beside one that could. */
export function* badCalls(): Generator<Case> {
  const json = (words: string) => call("b1", "write", {}, words);
  const bad: Readonly<Record<string, ReplyBlock>> = {
    "JSON that is cut": json('{"text":"x'),
    "a list": json("[1]"),
    "a string": json('"x"'),
    null: json("null"),
    "two objects": json('{"text":"x"}{"text":"y"}'),
    "single quotes": json("{'text':'x'}"),
    NaN: json('{"text":NaN}'),
    "a comma too many": json('{"text":"x",}'),
    "a comment": json('{"text":"x"/* so */}'),
    "no arguments": json(""),
    "blank arguments": json(" "),
    "arguments too deep": json(`{"text":${"[".repeat(9000)}${"]".repeat(9000)}}`),
    "a wrong type": call("b1", "write", { text: 7 }),
    "a missing key": call("b1", "write", {}),
    "a key too many": call("b1", "write", { text: "x", more: 1 }),
    "another case": call("b1", "write", { Text: "x" }),
    "an unknown tool": call("b1", "fly", { text: "x" }),
    "a tool of the prototype": call("b1", "constructor", {}),
    "an argument of a megabyte": call("b1", "write", { text: "x".repeat(1_000_001) }),
  };
  const good: Readonly<Record<string, ReplyBlock>> = {
    "white space around JSON": json(' \n{"text":"x"}\t'),
    escapes: json('{"te\\u0078t":"\\ud83d\\ude00 \\ud800"}'),
    "the longest argument": call("b1", "write", { text: "x".repeat(1_000_000) }),
  };
  for (const [what, block] of Object.entries({ ...bad, ...good })) {
    const places = { alone: [block], first: [block, valid], last: [valid, block] };
    for (const [where, content] of Object.entries(places)) {
      // A long stream in few pieces.
      const step = told(streamOf({ content, deltaChars: 100_000 }));
      const steps = [step, ...rest("talk", step.meaning)];
      // Its result repeats it, and fills the window.
      const predicted = what === "the longest argument" ? { predicted: { summaries: 1 } } : {};
      yield { name: `${what}, ${where}`, row: "F14", steps, ...predicted };
    }
  }
  yield* unusableCalls();
}

/** Calls that could neither run nor be sent back: the reply is dropped whole. */
function* unusableCalls(): Generator<Case> {
  const [first, ...others] = streamOf({ content: [valid] });
  const start = others.find(({ type }) => type === "content_block_start");
  if (first === undefined || start === undefined) throw new Error("a stream has a beginning");
  const block = start["content_block"] as Readonly<Record<string, unknown>>;
  const ids = { "an id with a space": "a b", "no id": undefined, "an empty id": "", "a number for an id": 7 };
  const over: Readonly<Record<string, object>> = {
    ...Object.fromEntries(Object.entries(ids).map(([what, id]) => [what, { id }])),
    "an id that is too long": { id: "x".repeat(129) },
    "no name": { name: undefined },
    "an empty name": { name: "" },
    "a name with a space": { name: "wri te" },
  };
  const swap = (with_: object): Events =>
    [first, ...others].map((event) =>
      event === start ? { ...start, content_block: { ...block, ...with_ } } : event,
    );
  for (const [what, fields] of Object.entries(over)) {
    yield { name: `a call with ${what}`, row: "F14", steps: [dropped(swap(fields)), good.talk] };
  }
  const same = streamOf({ content: [valid, call("v1", "read", { path: "a" })] });
  yield { name: "two calls with one id", row: "F14", steps: [told(same), good.talk] };
  const used = streamOf({
    content: [call("x1", "read", { path: "a" }), call("w2", "write", { text: "again" })],
  });
  yield {
    name: "a call with an id that was used before",
    row: "F14",
    steps: [good.work, dropped(used), good.long, good.talk],
  };
}

function dropped(events: Events): Step {
  return as(told(events), { kind: "dropped", retryAfterMs: null });
}

/** Replies that lead to another request, one after another. */
export function* chains(): Generator<Case> {
  const cut = (i: number): Told => ({
    content: [call(`c${i}`, "write", { text: "x" })],
    stopReason: "max_tokens",
  });
  const full = (i: number): Told => ({
    content: [thinking(`${i}`), call(`f${i}`, "write", {}, '{"te')],
    stopReason: "model_context_window_exceeded",
  });
  const half = (i: number): Told => ({ content: [text(`half ${i}`)], stopReason: "max_tokens" });
  const paused = (i: number): Told => ({
    content: [thinking("Hm."), text(`${i}`)],
    stopReason: "pause_turn",
  });
  const empty = (): Told => ({ content: [] });
  const refused = (): Told => ({ content: [text("I would"), valid], stopReason: "refusal" });
  const kinds = { cut, full, half, paused, empty } as const;
  const rows = { cut: "F13", full: "F19", half: "F13", paused: "F17", empty: "F16" } as const;
  for (const [kind, make] of Object.entries(kinds) as [keyof typeof kinds, (i: number) => Told][]) {
    for (let length = 1; length <= 6; length += 1) {
      const steps = Array.from({ length }, (_, i) => told(streamOf(make(i))));
      yield { name: `${kind}, ${length} in a row`, row: rows[kind], steps: [...steps, good.talk] };
      yield {
        name: `work, then ${kind}, ${length} in a row`,
        row: rows[kind],
        steps: [good.work, ...steps, good.talk],
      };
    }
    yield {
      name: `${kind}, then a refusal`,
      row: "F18",
      steps: [told(streamOf(make(0))), told(streamOf(refused()))],
    };
    for (const [other, next] of Object.entries(kinds) as [string, (i: number) => Told][]) {
      const steps = [make(0), next(1), make(2), next(3)].map((one) => told(streamOf(one)));
      yield { name: `${kind} and ${other} in turn`, row: rows[kind], steps: [...steps, good.talk] };
    }
  }
}

/** Counts that are missing or are none, and budgets crossed in the middle of a turn. */
export function* usages(): Generator<Case> {
  const full = { input_tokens: 12, output_tokens: 25 };
  const odd: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    "no counts": {},
    "no count of output": { input_tokens: 12 },
    "no count of input": { output_tokens: 25 },
    "counts that are null": { input_tokens: null, output_tokens: null },
    "counts that are words": { input_tokens: "12", output_tokens: "25" },
    "counts below zero": { input_tokens: -1_000_000, output_tokens: -5 },
    "parts of tokens": { input_tokens: 0.5, output_tokens: 1e300 },
    "more counts": { ...full, cache_creation: { ephemeral_5m_input_tokens: 1 }, server_tool_use: null },
  };
  const content = [text("So."), call("u1", "write", { text: "x" })];
  for (const [what, usage] of Object.entries(odd)) {
    const step = told(streamOf({ content, usage }));
    yield { name: what, row: "F25", steps: [step, good.talk] };
    if ("input_tokens" in usage && Number(usage["input_tokens"]) === 12) continue;
    // The first turn ends and its call runs; of what is unknown so much is taken that no other begins.
    const stops = { requests: 1, end: "exhausted" };
    yield {
      name: `${what}, few tokens left`,
      row: "F25",
      steps: [step, good.talk],
      budget: { tokens: 200 },
      predicted: stops,
    };
  }
  // The count at the beginning is one token, whatever the output becomes.
  const long = streamOf({ content: [text("So. ".repeat(200)), call("u2", "write", { text: "x" })] });
  const begun = told(
    long.map((event) => (event.type === "message_delta" ? { ...event, usage: { input_tokens: 12 } } : event)),
  );
  yield {
    name: "no count of output at the end, few tokens left",
    row: "F25",
    steps: [begun, good.talk],
    budget: { tokens: 300 },
    predicted: { requests: 1, end: "exhausted" },
  };
  yield* failedTries();
  const none = streamOf({ content }).map((event) => {
    if (event.type === "message_delta") return { ...event, usage: undefined };
    return event.type === "message_start" ? { ...event, message: {} } : event;
  });
  yield { name: "no usage at all", row: "F25", steps: [told(none), good.talk] };
  for (const [what, budget] of Object.entries({
    tokens: { tokens: 1000 },
    cost: { costUsd: 0.01 },
  })) {
    const dear = { input_tokens: 900_000, output_tokens: 30_000 };
    const crossing = told(streamOf({ content, usage: dear }));
    const predicted = { requests: 1, end: "exhausted" };
    yield {
      name: `the budget of ${what} crossed by calls`,
      row: "F25",
      steps: [crossing, good.talk],
      budget,
      predicted,
    };
    const last = told(streamOf({ content: [text("Done.")], usage: dear }));
    yield { name: `the budget of ${what} crossed by the last message`, row: "F25", steps: [last], budget };
  }
}

/** What a failed try has used counts like a reply: the turn ends, and no other begins. */
function* failedTries(): Generator<Case> {
  const bytes = encode(work);
  const same = streamOf({ content: [valid, call("v1", "read", { path: "a" })] });
  const tries: Readonly<Record<string, Step>> = {
    "streams cut at the end": lost({ bytes: bytes.subarray(0, -5), ends: { kind: "reset" } }),
    "streams cut at the beginning": lost({ bytes: bytes.subarray(0, 600), ends: { kind: "end" } }),
    "replies that cannot be taken": told(same),
    "errors in the middle": lost({
      bytes: encode([...work.slice(0, 8), { type: "error", error: { type: "overloaded_error" } }]),
      ends: { kind: "end" },
    }),
  };
  const budget = { tokens: 400 };
  for (const [what, step] of Object.entries(tries)) {
    const steps = [...Array<Step>(4).fill(step), good.work, good.talk];
    yield {
      name: `${what}, few tokens left`,
      row: "F25",
      steps,
      budget,
      predicted: { requests: 5, end: "exhausted" },
    };
  }
  yield { name: "no failures, few tokens left", row: "F25", steps: [good.work, good.talk], budget };
}

/** An event of ten megabytes, and bytes that are no text. */
export function* extremes(): Generator<Case> {
  const huge = streamOf({ content: [text("ß".repeat(5_000_000))], deltaChars: 10_000_000 });
  yield { name: "an event of ten megabytes", row: "F22", steps: [told(huge)] };
  const whole = encode(talk);
  const flood = { kind: "drip", bytes: Buffer.alloc(8 << 20, 0x20), everyMs: 1000 } as const;
  const begun = { bytes: whole.subarray(0, 400), ends: flood };
  yield {
    name: "an answer without end",
    row: "F22",
    steps: [lost(begun, 8000), good.talk],
  };
  for (let at = 0; at < whole.length; at += 5) {
    const bytes = Buffer.from(whole);
    bytes[at] = 0xff;
    const broken = lost({ bytes, ends: { kind: "end" } });
    yield { name: `talk: a byte that is no text at ${at}`, row: "F22", steps: [broken, good.talk] };
  }
}
