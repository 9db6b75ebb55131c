import { beforeAll, describe, expect, it } from "vitest";
import { memoryToolbox } from "../../src/adapters/memory/toolbox.ts";
import { messagesOf } from "../../src/loop/context.ts";
import type { ModelRequest } from "../../src/loop/model.ts";
import type { LoopParts } from "../../src/loop/run.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { given, opening, type Setup } from "./given-loop.ts";
import { isSummary, type Working, workingModel, workingTools } from "./given-window.ts";

const tools = memoryToolbox(workingTools()).specs;

function frame(window: number): LoopParts["request"] {
  const maxTokens = Math.floor(window * 0.16);
  return {
    model: "scripted",
    system: "You are an agent.",
    tools,
    maxTokens,
    maxTokensRaised: 2 * maxTokens,
    window,
  };
}

function session(model: Working, window: number, setup: Setup = {}) {
  const parts = { request: frame(window), ...setup.parts };
  return given({ model, tools: workingTools, budget: { turns: 400 }, ...setup, parts });
}

type Session = Awaited<ReturnType<typeof session>>;

const isCompaction = ({ type }: SessionEvent) => type === "context.compacted";

function sent(requests: readonly ModelRequest[]): readonly string[] {
  return requests.map(({ messages }) => JSON.stringify(messages));
}

/** Whether a request begins with all that the one before it said. */
function goesOn(before: ModelRequest, after: ModelRequest): boolean {
  return before.messages.every((message, i) => JSON.stringify(message) === JSON.stringify(after.messages[i]));
}

describe("a session of 300 turns", { timeout: 60_000 }, () => {
  const window = 200_000;
  let model: Working;
  let long: Session;
  let end: unknown;

  beforeAll(async () => {
    model = workingModel({ window, calls: 300 });
    long = await session(model, window);
    end = await long.run();
  }, 60_000);

  it("stays inside the window, and no request is one that the API refuses", () => {
    expect(end).toEqual({ kind: "finished", text: "Done\n\nAll of it." });
    expect(model.rejected()).toEqual([]);
    expect(long.events.filter(isCompaction).length).toBeGreaterThan(4);
  });

  it("uses the window before it is shortened", () => {
    const before = model.asked.filter((_, i) => isSummary(model.asked[i + 1]?.request ?? frameless));
    for (const { tokens } of before) expect(tokens).toBeGreaterThan(window / 2);
  });

  it("only adds to what was sent before, but where it was shortened", () => {
    const turns = model.asked.filter(({ request }) => !isSummary(request));
    const broken = turns.filter(
      ({ request }, i) => i > 0 && !goesOn(turns[i - 1]?.request ?? frameless, request),
    );
    expect(broken.length).toBe(long.events.filter(isCompaction).length);
  });

  it("keeps the task, and what the summary before said, through every summary", () => {
    const last = long.requests.at(-1)?.messages[0]?.content[0]?.["text"];
    expect(last).toContain("Fix the bug.");
    const summaries = model.summaries().map(({ messages }) => JSON.stringify(messages));
    expect(summaries.slice(1).every((text) => text.includes("Looked at the parts up to call_"))).toBe(true);
  });

  it("sends the same requests when it is resumed, just before it is shortened too", async () => {
    const events = [...opening, ...long.events];
    const shortened = events.flatMap((event, at) => (isCompaction(event) ? [at] : []));
    const inTurn = events.findIndex(
      (event, at) => event.type === "calls.intended" && at > (shortened[5] ?? 0) + 40,
    );
    const cuts = [shortened[3] ?? 0, inTurn + 1];
    for (const cut of cuts) {
      const again = workingModel({ window, calls: 300 });
      const resumed = await session(again, window, { resumed: events.slice(0, cut), files: long.files });
      expect(await resumed.run(), `cut at ${cut}`).toEqual(end);
      expect(sent(resumed.requests), `cut at ${cut}`).toEqual(
        sent(long.requests).slice(-resumed.requests.length),
      );
      expect(again.rejected(), `cut at ${cut}`).toEqual([]);
    }
  });
});

describe("a run that died at any record around a summary", () => {
  const window = 24_000;

  it("is continued to the same end, state and conversation", { timeout: 30_000 }, async () => {
    const whole = await session(workingModel({ window, calls: 24 }), window);
    const end = await whole.run();
    const events = [...opening, ...whole.events];
    const [first = 0, second = 0] = events.flatMap((event, at) => (isCompaction(event) ? [at] : []));
    expect(second).toBeGreaterThan(first);
    for (let cut = first - 6; cut <= second + 8; cut += 1) {
      const model = workingModel({ window, calls: 24 });
      const resumed = await session(model, window, { resumed: events.slice(0, cut), files: whole.files });
      expect(await resumed.run(), `cut at ${cut}`).toEqual(end);
      expect(messagesOf(resumed.story.context), `cut at ${cut}`).toEqual(messagesOf(whole.story.context));
      expect(withoutPlaces(resumed), `cut at ${cut}`).toEqual(withoutPlaces(whole));
      expect(resumed.story.facts, `cut at ${cut}`).toEqual(whole.story.facts);
      expect(model.rejected(), `cut at ${cut}`).toEqual([]);
    }
  });
});

/** A request that is sent again is a record more, so what follows it stands further on in the log. */
function withoutPlaces({ story }: Session) {
  const { context, ...state } = story.state;
  return { ...state, summary: context.summary };
}

describe("an output that stands before what is kept", () => {
  it("is still read by its call", async () => {
    const window = 24_000;
    const model = workingModel({
      window,
      calls: 24,
      instead: ({ messages }) => {
        const told = JSON.stringify(messages);
        if (!told.includes("your summary") || told.includes("call_again")) return null;
        const content = [
          { type: "tool_use", id: "call_again", name: "read", input: { path: "output:call_5" } },
        ];
        const usage = { input: 5000, output: 10, cacheRead: 0, cacheWrite: 0 };
        return { kind: "reply", content, stopReason: "tool_use", usage, requestId: null, brokenCalls: [] };
      },
    });
    const made = await session(model, window);
    await made.run();
    const settled = made.events.filter((event) => event.type === "call.settled");
    const [again, first] = ["call_again", "call_5"].map((id) => settled.find((event) => event.id === id));
    expect(again).toMatchObject({ status: "ok", output: first?.whole });
    expect(JSON.stringify(made.requests.filter(isSummary)[0])).toContain("call_5");
  });
});

const frameless: ModelRequest = { model: "", system: "", tools: [], messages: [], maxTokens: 1 };
