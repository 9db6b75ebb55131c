import { describe, expect, it } from "vitest";
import { texts } from "../../src/loop/decide.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { failure, given, modelOf, opening, outline, reply, text, toolsOn, use } from "./given-loop.ts";

const read = (path: string) => ({ name: "read", input: { path } });
const write = (words: string) => ({ name: "write", input: { text: words } });
const shell = (command: string) => ({ name: "shell", input: { command } });

function lastResults(requests: readonly { messages: readonly { content: readonly unknown[] }[] }[]) {
  return requests.at(-1)?.messages.at(-1)?.content;
}

describe("a run of the loop", () => {
  it("records each step before it acts, and ends when the model asks for nothing more", async () => {
    const session = await given({
      script: [{ text: "Look", calls: [read("a"), write("b")] }, { text: "Done" }],
    });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(outline(session.events)).toEqual([
      "reply.requested",
      "reply.received",
      "calls.intended",
      "settled call_1_1 ok",
      "settled call_1_2 ok",
      "ended calls",
      "reply.requested",
      "reply.received",
      "ended done",
    ]);
  });

  it("names the tree sealed after each call that may have changed something, and none after a read", async () => {
    const session = await given({ script: [{ calls: [read("a"), write("b")] }, { text: "Done" }] });
    await session.run();
    const trees = session.events.flatMap((event) => (event.type === "call.settled" ? [event.tree] : []));
    expect(trees).toEqual([null, session.story.state.tree]);
    expect(session.disk.sealed).toBe(1);
  });

  it("sends a request only as an extension of the one before", async () => {
    const session = await given({
      script: [{ calls: [read("a")] }, { calls: [write("b")] }, { text: "Done" }],
    });
    await session.run();
    const blocks = session.requests.map(({ messages }) =>
      messages.flatMap(({ role, content }) => content.map((block) => role + JSON.stringify(block))),
    );
    for (const [i, before] of blocks.entries()) {
      expect((blocks[i + 1] ?? before).slice(0, before.length)).toEqual(before);
    }
  });

  it("waits for the claim to be shipped before the first call runs, and only once", async () => {
    const order: string[] = [];
    const session = await given({
      script: [{ calls: [read("a")] }, { calls: [read("b")] }, { text: "Done" }],
      tools: (disk) =>
        toolsOn(disk).map((tool) => ({ ...tool, run: async () => String(order.push("call")) })),
      parts: { shipped: async () => void order.push("shipped") },
    });
    await session.run();
    expect(order).toEqual(["shipped", "call", "call"]);
  });

  it("runs reads that stand together at the same time, at most six, and everything else alone", async () => {
    let running = 0;
    const most: number[] = [];
    const session = await given({
      script: [
        { calls: [...Array(8).keys()].map((i) => read(`${i}`)).concat(write("x") as never) },
        { text: "Done" },
      ],
      tools: (disk) =>
        toolsOn(disk).map((tool) => ({
          ...tool,
          run: async (input, options) => {
            running += 1;
            most.push(running);
            await new Promise((resolve) => setImmediate(resolve));
            running -= 1;
            return tool.run(input, options);
          },
        })),
    });
    await session.run();
    expect(Math.max(...most)).toBe(6);
    expect(most.at(-1)).toBe(1);
  });

  it("gives the whole of an earlier output to a read that names its call", async () => {
    const session = await given({
      script: [
        { calls: [shell("ls")] },
        { calls: [read("output:call_1_1"), read("output:nobody")] },
        { text: "Done" },
      ],
    });
    await session.run();
    expect(lastResults(session.requests)).toMatchObject([
      { content: "all of ls" },
      { content: "There is no output of a call nobody.", is_error: true },
    ]);
  });

  it("tells the model when the workspace cannot be sealed, and names no tree", async () => {
    const session = await given({
      script: [{ calls: [write("b")] }, { text: "Done" }],
      parts: { seal: async () => ({ kind: "refused", why: "sock is a socket" }) },
    });
    await session.run();
    expect(lastResults(session.requests)).toMatchObject([
      { content: expect.stringContaining("sock is a socket"), is_error: true },
    ]);
    expect(session.story.state.tree).toBeNull();
  });

  it("goes on with what people said meanwhile, each once", async () => {
    const said = [{ id: "comment:2", by: "octo", text: "Also the docs." }];
    const session = await given({
      script: [{ text: "Done" }, { text: "Docs too" }],
      parts: { inputs: async () => said },
    });
    expect(await session.run()).toEqual({ kind: "finished", text: "Docs too" });
    expect(outline(session.events).filter((line) => /ended|input/.test(line))).toEqual([
      "input.accepted",
      "ended input",
      "ended done",
    ]);
  });

  it("can be entered again with something new to say, and says at once that it is finished with nothing new", async () => {
    const session = await given({ script: [{ text: "Done" }, { text: "Fixed" }] });
    await session.run();
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(session.requests.length).toBe(1);
    const findings = { type: "inline", text: "test is red" } as const;
    const tree = session.disk.tree();
    await session.story.append({ type: "gate.failed", round: 1, tree, findings });
    expect(await session.run()).toEqual({ kind: "finished", text: "Fixed" });
    expect(lastResults(session.requests)).toEqual([text("test is red")]);
  });

  it("refuses to start without any input", async () => {
    const session = await given({ resumed: opening.slice(0, 1) });
    await expect(session.run()).rejects.toThrow("started before the session had any input");
  });

  it("throws when the sandbox is lost, after all reads beside it have come back, and leaves the call open", async () => {
    const session = await given({
      script: [{ calls: [read("a"), read("lost"), read("c")] }],
      tools: () => [
        {
          name: "read",
          class: "read",
          required: ["path"],
          run: async ({ path }, { signal }) => {
            if (path === "lost") throw new Error("the sandbox is gone");
            await new Promise((resolve) => signal.addEventListener("abort", resolve));
            return "never";
          },
        },
      ],
    });
    await expect(session.run()).rejects.toThrow("the sandbox is gone");
    expect(session.story.state.turn.calls.filter((call) => !call.settled).map((call) => call.id)).toEqual([
      "call_1_2",
    ]);
  });
});

describe("what is never run", () => {
  const never = () => [
    {
      name: "write",
      class: "workspace" as const,
      required: ["text"],
      run: async () => {
        throw new Error("a call ran that may not");
      },
    },
  ];
  const call = use("a", "write", { text: "x" });
  const done = reply([text("Done")]);

  it("settles every call of a cut batch, raises the output limit and asks again", async () => {
    const cut = reply([call, use("b", "write", { text: "y" })], { stopReason: "max_tokens" });
    const session = await given({ tools: never, model: modelOf([cut, done]) });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(lastResults(session.requests)).toMatchObject([{ content: texts.cut }, { content: texts.cut }]);
    expect(session.requests.map(({ maxTokens }) => maxTokens)).toEqual([1000, 2000]);
    expect(outline(session.events)).toContain("ended truncated");
  });

  it("ends after three cut replies in a row", async () => {
    const cut = (id: string) => reply([use(id, "write", { text: "x" })], { stopReason: "max_tokens" });
    const session = await given({ tools: never, model: modelOf([cut("a"), cut("b"), cut("c")]) });
    expect(await session.run()).toEqual({
      kind: "stuck",
      why: "3 replies in a row were cut at a limit of the model",
    });
  });

  it("asks for the rest of a text that was cut", async () => {
    const session = await given({
      model: modelOf([reply([text("So")], { stopReason: "max_tokens" }), done]),
    });
    await session.run();
    expect(lastResults(session.requests)).toEqual([text(texts.truncated)]);
  });

  it("tells which call was invalid, and that the others were not run because of it", async () => {
    const batch = reply([use("a", "fly", {}), use("b", "write", { text: "x" })]);
    const session = await given({ tools: never, model: modelOf([batch, done]) });
    await session.run();
    expect(lastResults(session.requests)).toMatchObject([
      { content: "Not executed: there is no tool fly", is_error: true },
      { content: texts.otherInvalid, is_error: true },
    ]);
  });

  it("does not run a call whose arguments were broken, even where an empty object would do", async () => {
    const tools = () => never().map((tool) => ({ ...tool, required: [] }));
    const broken = reply([use("a", "write", {})], { brokenCalls: ["a"] });
    const session = await given({ tools, model: modelOf([broken, done]) });
    await session.run();
    expect(lastResults(session.requests)).toMatchObject([{ content: texts.notJson, is_error: true }]);
  });

  it("drops a reply with a repeated id whole and asks again", async () => {
    const session = await given({ tools: never, model: modelOf([reply([call, call]), done]) });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(outline(session.events)).toEqual([
      "reply.requested",
      "reply.failed",
      "reply.requested",
      "reply.received",
      "ended done",
    ]);
  });

  it.each([
    ["refused", reply([call], { stopReason: "refusal" }), { kind: "declined" }],
    [
      "not understood",
      reply([call], { stopReason: "moon" }),
      { kind: "unknown", why: "a reply stopped because of moon" },
    ],
  ])("ends after a reply that was %s, with a result for each of its calls", async (_, first, end) => {
    const session = await given({ tools: never, model: modelOf([first]) });
    expect(await session.run()).toEqual(end);
    expect(outline(session.events).slice(2)).toEqual(["calls.intended", "settled a not-run", "ended done"]);
  });

  it("nudges an empty reply once, then takes it for the end", async () => {
    const session = await given({ script: [{ text: "" }, { text: "" }] });
    expect(await session.run()).toEqual({ kind: "finished", text: "" });
    expect(outline(session.events)).toEqual([
      "reply.requested",
      "reply.received",
      "note nudge",
      "ended nudge",
      "reply.requested",
      "reply.received",
      "ended done",
    ]);
  });

  it("sends a paused reply back unchanged, and gives up after five in a row", async () => {
    const pause = (i: number) => reply([text(`still ${i}`)], { stopReason: "pause_turn" });
    const session = await given({ model: modelOf([1, 2, 3, 4, 5].map(pause)) });
    expect(await session.run()).toMatchObject({
      kind: "provider",
      reason: "the provider paused 5 times in a row",
    });
    expect(session.requests[1]?.messages.at(-1)).toEqual({ role: "assistant", content: [text("still 1")] });
  });
});

describe("a failed request", () => {
  const done = reply([text("Done")]);

  it("is tried again after a wait that has full jitter, and the tries are recorded", async () => {
    const session = await given({ model: modelOf([failure(), failure(), done]) });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    const waits = session.lives.flatMap((live) => (live.kind === "retry.wait" ? [live.ms] : []));
    expect(waits).toEqual([1500, 2500]);
    expect(session.events.flatMap((e) => (e.type === "reply.requested" ? [e.attempt] : []))).toEqual([
      1, 2, 3,
    ]);
  });

  it("waits as long as the provider asks", async () => {
    const session = await given({ model: modelOf([failure({ retryAfterMs: 90_000 }), done]) });
    await session.run();
    expect(session.clock.elapsed()).toBe(90_000);
  });

  it("ends with the time to come back when that is after the time budget", async () => {
    const session = await given({ model: modelOf([failure({ retryAfterMs: 3_600_000 })]) });
    const retryAtMs = session.clock.now() + 3_600_000;
    expect(await session.run()).toMatchObject({ kind: "provider", retryAtMs });
    expect(session.clock.elapsed()).toBe(0);
  });

  it("is not tried again when the provider says no", async () => {
    const session = await given({ model: modelOf([failure({ verdict: "final", reason: "bad key" })]) });
    expect(await session.run()).toEqual({ kind: "provider", reason: "bad key", retryAtMs: null });
  });

  it("is tried six times a turn, those of a run that died included, those before a clean suspend not", async () => {
    const six = Array(6).fill(failure());
    const first = await given({ model: modelOf(six) });
    expect(await first.run()).toMatchObject({ kind: "provider" });
    expect(first.requests.length).toBe(6);
    const log = [...opening, ...first.events];
    const died = await given({ resumed: log, model: modelOf([]) });
    expect(await died.run()).toMatchObject({ kind: "provider", reason: "6 requests got no reply" });
    const suspended: SessionEvent = { type: "run.suspended", reason: "provider", detail: "" };
    const resumed = await given({ resumed: [...log, suspended], model: modelOf([done]) });
    expect(await resumed.run()).toEqual({ kind: "finished", text: "Done" });
    expect(resumed.events[0]).toMatchObject({ type: "reply.requested", attempt: 7 });
  });
});

describe("budgets", () => {
  it("lets exactly the turns of the budget begin", async () => {
    const script = [1, 2, 3, 4].map((i) => ({ calls: [read(`${i}`)] }));
    const session = await given({ script, budget: { turns: 3 } });
    expect(await session.run()).toEqual({ kind: "exhausted", budget: "turns" });
    expect(session.requests.length).toBe(3);
  });

  it("lets a turn that began within the token budget end over it", async () => {
    const session = await given({
      script: [{ calls: [read("a")] }, { text: "Done" }],
      budget: { tokens: 10 },
    });
    expect(await session.run()).toEqual({ kind: "exhausted", budget: "tokens" });
    expect(outline(session.events).at(-1)).toBe("ended calls");
  });

  it("counts the time of waits", async () => {
    const wait = failure({ retryAfterMs: 119_000 });
    const model = modelOf([wait, reply([use("a", "read", { path: "x" })]), reply([text("Done")])]);
    const session = await given({ model, budget: { minutes: 2 } });
    session.clock.advance(5);
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(session.story.state.activeMs).toBe(119_000);
  });

  it("keeps a limit in dollars for a model of unknown price, by the dearest price known", async () => {
    const dear = reply([use("a", "read", { path: "x" })], {
      usage: { input: 500_000, output: 0, cacheRead: 0, cacheWrite: 0 },
    });
    const session = await given({ model: modelOf([dear]), budget: { costUsd: 5 } });
    expect(await session.run()).toEqual({ kind: "exhausted", budget: "cost" });
    expect(session.story.state.costUsd).toBeNull();
  });

  it("tells the model once when a budget nears its end", async () => {
    const script = [...[1, 2, 3, 4].map((i) => ({ calls: [read(`${i}`)] })), { text: "Done" }];
    const session = await given({ script, budget: { turns: 5 } });
    await session.run();
    expect(outline(session.events).filter((line) => line === "note budget").length).toBe(1);
    expect(lastResults(session.requests)).toMatchObject([
      { type: "tool_result" },
      {
        text: expect.stringContaining("80 % of the turns of this session is used; at most 1 turns are left"),
      },
    ]);
  });
});

describe("a model that goes round in circles", () => {
  it("is told once about a call that it made three times with the same result, then stopped", async () => {
    const session = await given({ script: Array(6).fill({ calls: [read("a")] }) });
    expect(await session.run()).toEqual({ kind: "stuck", why: "the same call kept giving the same result" });
    expect(session.requests.length).toBe(6);
    expect(outline(session.events).filter((line) => line === "note stuck").length).toBe(1);
  });

  it("is told after four turns that showed nothing new, then stopped after four more", async () => {
    const turns = [read("a"), read("b"), ...[1, 2, 3, 4].flatMap(() => [read("a"), read("b")])];
    const session = await given({ script: turns.map((call) => ({ calls: [call] })) });
    expect(await session.run()).toEqual({ kind: "stuck", why: "turns brought nothing new" });
    expect(session.requests.length).toBe(10);
  });

  it("is left alone while commands show something new", async () => {
    const script = [
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((i) => ({ calls: [shell(`test ${i}`)] })),
      { text: "Done" },
    ];
    const session = await given({ script });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
  });

  it("is not taken to repeat itself by several calls of one batch with the same result", async () => {
    const same = [1, 2, 3].map((i) => ({ name: "read", input: { path: `${i}` } }));
    const tools = () => [
      { name: "read", class: "read" as const, required: ["path"], run: async () => "same" },
    ];
    const session = await given({ tools, script: [{ calls: same }, { text: "Done" }] });
    await session.run();
    expect(outline(session.events)).not.toContain("note stuck");
  });
});
