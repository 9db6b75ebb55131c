import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../src/session/event.ts";
import { inline } from "../kit/given.ts";
import {
  failure,
  given,
  lastResults,
  modelOf,
  opening,
  outline,
  read,
  reply,
  shell,
  text,
  use,
  write,
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

  it("tells the model when a budget runs short, once more before its end, and again when that was raised", async () => {
    const reads = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) => ({ calls: [read(`${from + i}`)] }));
    const notes = ({ events }: { readonly events: readonly SessionEvent[] }) =>
      events.flatMap((event) =>
        event.type === "note.added" && event.about === "budget" && event.text.type === "inline"
          ? [event.text.text.replace(/\. When.*/, "")]
          : [],
      );
    const session = await given({ script: reads(1, 20), budget: { turns: 20 } });
    expect(await session.run()).toEqual({ kind: "exhausted", budget: "turns" });
    const left = (turns: string) => `Left of this session's budget: ${turns} turns`;
    expect(notes(session)).toEqual([left("4 of 20"), left("1 of 20")]);
    await session.story.append({ type: "run.suspended", reason: "turns", detail: "" });
    const raised = await given({
      script: reads(1, 40),
      budget: { turns: 40 },
      resumed: [...opening, ...session.events],
      files: session.files,
    });
    expect(await raised.run()).toEqual({ kind: "exhausted", budget: "turns" });
    expect(notes(raised)).toEqual([left("8 of 40"), left("2 of 40")]);
    expect(raised.requests.length).toBe(20);
  });

  it("counts the waits of the turn that is open, too", async () => {
    const wait = failure({ retryAfterMs: 70_000 });
    const session = await given({ model: modelOf([wait, wait]), budget: { minutes: 2 } });
    expect(await session.run()).toMatchObject({
      kind: "provider",
      reason: expect.stringContaining("after the time budget"),
    });
  });

  it("are told of once a paused reply is whole, since nothing may stand behind it before", async () => {
    const half = reply([text("Half")], { stopReason: "pause_turn" });
    const session = await given({ model: modelOf([half, reply([text("Done")])]), budget: { turns: 2 } });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(outline(session.events)).not.toContain("note budget");
  });

  it("tells the model once when only one turn is left", async () => {
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

  it("is not taken to repeat itself by a change that is made with the same words each time", async () => {
    const script = [...Array(6).fill({ calls: [write("more")] }), { text: "Done" }];
    const session = await given({ script });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(outline(session.events)).not.toContain("note stuck");
  });

  it("is told anew once the checks have found something", async () => {
    const same = { calls: [read("a")] };
    const session = await given({
      script: [same, same, same, { text: "Done" }, same, same, same, { text: "Done again" }],
    });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    const tree = session.disk.tree();
    await session.story.append({ type: "gate.failed", round: 1, tree, findings: inline("Red.") });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done again" });
    expect(outline(session.events).filter((line) => line === "note stuck").length).toBe(2);
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
