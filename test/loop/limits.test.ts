import { describe, expect, it } from "vitest";
import {
  failure,
  given,
  lastResults,
  modelOf,
  outline,
  read,
  reply,
  shell,
  text,
  use,
} from "./given-loop.ts";

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
        text: expect.stringContaining("Left of this session's budget: 1 of 5 turns."),
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
