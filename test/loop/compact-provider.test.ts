import { describe, expect, it } from "vitest";
import type { ModelRequest, Reply } from "../../src/loop/model.ts";
import { worthOf } from "../../src/loop/summarise.ts";
import { summaryPrompt } from "../../src/loop/summary-prompt.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { inline } from "../kit/given.ts";
import { failure, given, modelOf, opening, outline, reply, type Setup, text, use } from "./given-loop.ts";

const usage = (input: number) => ({ usage: { input, output: 10, cacheRead: 0, cacheWrite: 0 } });

/** Two turns, of which the second fills three quarters of a window of 200,000 tokens. */
const first = reply([use("call_1", "read", { path: "a" })], usage(1_000));
const full = reply([use("call_2", "read", { path: "b" })], usage(151_000));
const summary = reply([text("Found it in a, line 3.")], usage(20_000));
const done = reply([text("Done")], usage(5_000));
const tooLarge = failure({ verdict: "too-large", status: 413, reason: "request too large" });

type Replies = Parameters<typeof modelOf>[0];

async function play(replies: Replies, setup: Setup = {}) {
  const made = await given({ model: modelOf(replies), ...setup });
  const end = await made.run();
  const types = outline(made.events).filter((type) => !/^(calls\.intended|settled)/.test(type));
  return { ...made, end, types, told: JSON.stringify(made.requests.at(-1)?.messages) };
}

function compacted(events: readonly SessionEvent[]) {
  return events.flatMap((event) => (event.type === "context.compacted" ? [event] : []));
}

const isSummary = ({ system }: ModelRequest) => system === summaryPrompt;

describe("a conversation that fills three quarters of the window", () => {
  it("is shortened before the next turn, which says so", async () => {
    const { end, events, types, requests, told } = await play([first, full, summary, done]);
    expect(end).toEqual({ kind: "finished", text: "Done" });
    expect(types).toEqual([
      ...["reply.requested", "reply.received", "ended calls"],
      ...["reply.requested", "reply.received", "ended calls"],
      ...["context.compacted", "reply.requested", "reply.received", "ended done"],
    ]);
    const asked = events.filter((event) => event.type === "reply.requested");
    expect(asked.map(({ because }) => because)).toEqual(["input", "calls", "compacted"]);
    expect(requests[2]).toMatchObject({ system: summaryPrompt, tools: [] });
    expect(told).toContain("Found it in a, line 3.");
    expect(told).toContain("Fix the bug.");
  });

  it("keeps the last turn word for word, and the summary is of what stands before it", async () => {
    const { requests } = await play([first, full, summary, done]);
    const [, , asked, last] = requests;
    expect(JSON.stringify(asked)).toContain("content of a");
    expect(JSON.stringify(asked)).not.toContain("content of b");
    expect(last?.messages.map(({ content }) => content.map(({ type }) => type))).toEqual([
      ["text"],
      ["tool_use"],
      ["tool_result"],
    ]);
  });

  it("counts what the summary cost, and asks for the next turn only where that leaves something", async () => {
    const { end, story, events, requests } = await play([first, full, summary], {
      budget: { tokens: 172_000 },
    });
    expect(end).toEqual({ kind: "exhausted", budget: "tokens" });
    expect(story.state.usage.input).toBe(172_000);
    expect(compacted(events)[0]).toMatchObject({ usage: { input: 20_000, output: 10 }, why: "near-full" });
    expect(requests.length).toBe(3);
  });

  it("is not shortened where the budget is used up", async () => {
    const { end, requests } = await play([first, full], { budget: { tokens: 150_000 } });
    expect(end).toEqual({ kind: "exhausted", budget: "tokens" });
    expect(requests.some(isSummary)).toBe(false);
  });

  it("is told to who watches when a summary is begun", async () => {
    const { lives } = await play([first, full, summary, done]);
    expect(lives).toContainEqual({ kind: "progress", turn: 3, doing: { kind: "summarising" } });
    expect(lives.some((live) => live.kind === "text.delta" && live.text.includes("Found"))).toBe(false);
  });

  it("ends the run where it is no shorter afterwards, without a second summary", async () => {
    const request = {
      ...(await given()).parts.request,
      window: 6_000,
      system: "You are an agent. ".repeat(1_000),
    };
    const { end, types } = await play(
      [reply([use("call_1", "read", { path: "a" })], usage(5_000)), summary],
      {
        parts: { request },
      },
    );
    expect(end).toMatchObject({ kind: "provider", retryAtMs: null });
    expect(end).toHaveProperty("reason", expect.stringContaining("too many for a window of 6000"));
    expect(types.filter((type) => type === "context.compacted").length).toBe(1);
  });

  it("may see a call id again that stands before what is kept: no request holds both", async () => {
    const again = reply([use("call_1", "read", { path: "c" })], usage(5_000));
    const { end, events, files } = await play([first, full, summary, again, done]);
    expect(end).toEqual({ kind: "finished", text: "Done" });
    const resumed = await given({ model: modelOf([]), resumed: [...opening, ...events], files });
    expect(await resumed.run()).toEqual(end);
  });
});

describe("a turn that fills the window by itself", () => {
  it("is summarised too, and the model is told to ask for less", async () => {
    const tools = () => [
      {
        name: "read",
        class: "read" as const,
        required: ["path"],
        run: async () => "a line of it\n".repeat(2_300),
      },
    ];
    const many = Array.from({ length: 20 }, (_, i) => use(`call_1_${i}`, "read", { path: `${i}` }));
    const { end, told, requests } = await play([reply(many, usage(1_000)), summary, done], { tools });
    expect(end).toEqual({ kind: "finished", text: "Done" });
    expect(told).toContain("ask for less at once");
    expect(requests.at(-1)?.messages.length).toBe(1);
    for (const request of requests) expect(JSON.stringify(request.messages).length).toBeLessThan(260_000);
  });
});

describe("a summary that does not come at once", () => {
  const lost = failure({ reason: "overloaded" });

  it("is asked for again, and each failed try is recorded", async () => {
    const { end, types } = await play([first, full, lost, lost, summary, done]);
    expect(end).toEqual({ kind: "finished", text: "Done" });
    expect(types.slice(6, 9)).toEqual(["reply.failed", "reply.failed", "context.compacted"]);
  });

  it("ends the run resumable after six tries, in whatever number of runs", async () => {
    const { end, events, files, story } = await play([first, full, ...Array.from({ length: 6 }, () => lost)]);
    expect(end).toMatchObject({ kind: "provider", retryAtMs: expect.any(Number) });
    expect(story.state.context).toEqual({ from: 0, summary: null });
    const four = [...opening, ...events].slice(0, -2);
    const resumed = await given({ model: modelOf([lost, lost]), resumed: four, files });
    expect(await resumed.run()).toMatchObject({ kind: "provider" });
    expect(resumed.requests.length).toBe(2);
    const suspended: SessionEvent = { type: "run.suspended", reason: "provider", detail: "" };
    const later = await given({ model: modelOf([summary, done]), resumed: [...four, suspended], files });
    expect(await later.run()).toEqual({ kind: "finished", text: "Done" });
  });

  it("is asked for with half of the transcript where that was too large", async () => {
    const many = Array.from({ length: 20 }, (_, i) =>
      use(`call_1_${i}`, "read", { path: "x".repeat(3_000) }),
    );
    const { end, requests } = await play([
      reply(many, usage(1_000)),
      full,
      tooLarge,
      tooLarge,
      summary,
      done,
    ]);
    expect(end).toEqual({ kind: "finished", text: "Done" });
    const lengths = requests.filter(isSummary).map((request) => JSON.stringify(request.messages).length);
    const [one = 0, two = 0, three = 0] = lengths;
    expect(two).toBeLessThan(one * 0.6);
    expect(three).toBeLessThan(two * 0.6);
  });

  it.each<[string, Partial<Extract<Reply, { kind: "failed" }>>, string]>([
    ["a bad key", { verdict: "final", status: 401, reason: "invalid key" }, "provider"],
    ["an abort", { verdict: "cancelled", reason: "cancelled" }, "cancelled"],
  ])("ends the run at once on %s, with the conversation as it was", async (_title, over, kind) => {
    const { end, story, requests } = await play([first, full, failure(over)]);
    expect(end).toMatchObject({ kind });
    expect(story.state.context.summary).toBe(null);
    expect(requests.length).toBe(3);
  });

  it("is done without where the model declines to write one, and what that cost counts", async () => {
    const declined = reply([], { stopReason: "refusal", ...usage(20_000) });
    const { end, told, story } = await play([first, full, declined, done]);
    expect(end).toEqual({ kind: "finished", text: "Done" });
    expect(told).toContain("No summary could be had");
    expect(story.state.usage.input).toBe(177_000);
  });

  it("is asked for once more where it was empty, and then done without", async () => {
    const empty = reply([], usage(20_000));
    const better = await play([first, full, empty, summary, done]);
    expect(better.told).toContain("Found it");
    expect(better.story.state.usage.input).toBe(197_000);
    const without = await play([first, full, empty, empty, done]);
    expect(without.end).toEqual({ kind: "finished", text: "Done" });
    expect(without.told).toContain("No summary could be had");
  });

  it.each<[string, readonly unknown[], string, object]>([
    ["whole text is one", [text("a")], "end_turn", { kind: "words", text: "a", cut: false }],
    ["a cut one says so", [text("a")], "max_tokens", { kind: "words", text: "a", cut: true }],
    [
      "a full window cuts it",
      [text("a")],
      "model_context_window_exceeded",
      { kind: "words", text: "a", cut: true },
    ],
    ["an unknown reason may have cut it", [text("a")], "moon", { kind: "words", text: "a", cut: true }],
    [
      "a call beside it is nothing",
      [text("a"), use("c", "read", {})],
      "tool_use",
      { kind: "words", text: "a", cut: true },
    ],
    ["a call alone is none", [use("c", "read", {})], "tool_use", { kind: "empty" }],
    ["thinking alone is none", [{ type: "thinking", thinking: "m" }], "max_tokens", { kind: "empty" }],
    ["a refusal is none, whatever it says", [text("a")], "refusal", { kind: "declined" }],
  ])("is taken by its text: %s", (_title, content, stopReason, worth) => {
    expect(worthOf({ content: content as never, stopReason })).toEqual(worth);
  });
});

describe("a conversation that the provider finds too long", () => {
  it("is shortened once and asked again (F5)", async () => {
    const { end, types, events } = await play([first, tooLarge, summary, done]);
    expect(end).toEqual({ kind: "finished", text: "Done" });
    expect(types.slice(3)).toEqual([
      ...["reply.requested", "reply.failed", "context.compacted"],
      ...["reply.requested", "reply.received", "ended done"],
    ]);
    expect(compacted(events)[0]?.why).toBe("overflow");
  });

  it("ends the run resumable the second time, until a person says something (F5)", async () => {
    const { end, events, files } = await play([first, tooLarge, summary, tooLarge]);
    expect(end).toMatchObject({ kind: "provider", reason: expect.stringContaining("too long again") });
    const said: SessionEvent = {
      type: "input.accepted",
      id: "comment:2",
      by: "octo",
      text: inline("Go on."),
    };
    const log = [...opening, ...events];
    const resumed = await given({ model: modelOf([tooLarge]), resumed: log, files });
    expect(await resumed.run()).toMatchObject({ kind: "provider" });
    const more = await given({ model: modelOf([tooLarge, summary, done]), resumed: [...log, said], files });
    expect(await more.run()).toEqual({ kind: "finished", text: "Done" });
  });

  it("loses nothing of the task where it is short by all that can be counted (F5)", async () => {
    const task = `Fix the bug. ${"It is described at some length. ".repeat(100)}`;
    const log: SessionEvent[] = [{ type: "input.accepted", id: "comment:2", by: "octo", text: inline(task) }];
    const { told } = await play([first, tooLarge, summary, done], { log });
    expect(told).toContain(task);
  });

  it("is shortened in the last turn of a budget too, since that turn has begun", async () => {
    const { end } = await play([first, tooLarge, summary, done], { budget: { turns: 2 } });
    expect(end).toEqual({ kind: "finished", text: "Done" });
  });

  it("is shortened where even its first request is too long", async () => {
    const { end, told } = await play([tooLarge, summary, done], {
      log: [{ type: "input.accepted", id: "comment:2", by: "octo", text: inline("word ".repeat(100_000)) }],
    });
    expect(end).toEqual({ kind: "finished", text: "Done" });
    expect(told.length).toBeLessThan(200_000);
    expect(told).toContain("bytes left out here");
  });

  it("counts as longer than the window that was believed in, from then on", async () => {
    const some = reply([use("call_2", "read", { path: "b" })], usage(20_000));
    const big = reply([use("call_3", "read", { path: "c" })], usage(60_000));
    const again = reply([use("call_4", "read", { path: "d" })], usage(46_000));
    const replies = [first, some, big, tooLarge, summary, again, summary, done];
    const { end, events, requests } = await play(replies);
    expect(end).toEqual({ kind: "finished", text: "Done" });
    expect(compacted(events).map(({ why }) => why)).toEqual(["overflow", "near-full"]);
    // The second turn would have been a part of what is kept of the whole window.
    expect(requests[5]?.messages.length).toBe(3);
  });

  it("runs nothing of a reply that filled the window, is shortened, and asked again once (F19)", async () => {
    const over = { stopReason: "model_context_window_exceeded", ...usage(199_000) };
    const cut = (id: string) => reply([use(id, "write", { text: "x" })], over);
    const once = await play([first, cut("call_2"), summary, done]);
    expect(once.end).toEqual({ kind: "finished", text: "Done" });
    expect(once.disk.text).toBe("");
    expect(compacted(once.events)[0]?.why).toBe("overflow");
    const twice = await play([first, cut("call_2"), summary, cut("call_3")]);
    expect(twice.end).toMatchObject({ kind: "provider", reason: expect.stringContaining("too long again") });
    expect(twice.disk.text).toBe("");
  });
});
