import { describe, expect, it } from "vitest";
import { calls, say, use } from "../kit/model/script.ts";
import { parseScript } from "../kit/model/script-file.ts";
import { type ModelOptions, startModel } from "../kit/model/server.ts";
import { ask, hello, result } from "./given-model.ts";

describe("a script", () => {
  it("answers the real client with text, thinking and calls in order", async () => {
    const script = [
      use("read", { path: "ä.js" }, { text: "Looking.", thinking: "Where is it?" }),
      say("Done."),
    ];
    await using model = await startModel({ script });
    const first = await ask(model, hello);
    expect(first.stop_reason).toBe("tool_use");
    expect(first.content.map((block) => block.type)).toEqual(["thinking", "text", "tool_use"]);
    expect(first.content[2]).toMatchObject({ name: "read", input: { path: "ä.js" } });
    const id = first.content[2]?.type === "tool_use" ? first.content[2].id : "";
    const second = await ask(model, [
      ...hello,
      { role: "assistant", content: first.content },
      { role: "user", content: [result(id)] },
    ]);
    expect(second).toMatchObject({ stop_reason: "end_turn", content: [{ type: "text", text: "Done." }] });
    model.assertDone();
  });

  it("may be a function of the request", async () => {
    await using model = await startModel({ script: [(body, i) => say(`${body.messages.length} ${i}`)] });
    expect((await ask(model, hello)).content).toMatchObject([{ text: "1 0" }]);
  });

  it("that is too short refuses the request and fails", async () => {
    await using model = await startModel({ script: [] });
    await expect(ask(model, hello)).rejects.toThrow("the script has no reply for request 0");
    expect(() => model.assertDone()).toThrow("the script has no reply for request 0");
  });

  it("that is too long fails", async () => {
    await using model = await startModel({ script: [say("a"), say("b")] });
    await ask(model, hello);
    expect(model.remaining()).toBe(1);
    expect(() => model.assertDone()).toThrow("1 unread of 2 replies");
  });

  it("gives every call its own id, and keeps the ids it names", async () => {
    const two = calls([
      { name: "read", input: {} },
      { name: "read", input: {}, id: "toolu_mine" },
    ]);
    await using model = await startModel({ script: [two, two] });
    const ids = [await ask(model, hello), await ask(model, hello)].flatMap((message) =>
      message.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])),
    );
    expect(new Set(ids).size).toBe(3);
    expect(ids[1]).toBe("toolu_mine");
  });

  it("holds a reply until the test lets it go", async () => {
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    const { promise: reached, resolve: onReached } = Promise.withResolvers<void>();
    await using model = await startModel({ script: [say("late", { hold: { until, at: 2, onReached } })] });
    const reply = ask(model, hello);
    await reached;
    expect(model.replied).toEqual([null]);
    release();
    expect((await reply).content).toMatchObject([{ text: "late" }]);
    expect(model.replied[0]).toBeGreaterThan(model.requests[0]?.at ?? Number.NaN);
  });

  it("tells the test of each request before it is answered", async () => {
    const seen: number[] = [];
    const options: ModelOptions = { script: [say("a")], onRequest: (_, index) => void seen.push(index) };
    await using model = await startModel(options);
    await ask(model, hello);
    expect(seen).toEqual([0]);
  });
});

describe("a script file", () => {
  it("holds replies with text and calls", () => {
    const text = JSON.stringify([
      { note: "first", thinking: "Hm.", text: "Look.", calls: [{ name: "read", input: { path: "a" } }] },
      { text: "", stop_reason: "refusal" },
    ]);
    expect(parseScript(text, "demo.json")).toEqual([
      use("read", { path: "a" }, { thinking: "Hm.", text: "Look." }),
      say("", { stopReason: "refusal" }),
    ]);
  });

  it.each([
    ["{", "script demo.json: is not JSON"],
    ["{}", "script demo.json: must be an array of replies"],
    ["[{}]", 'script demo.json, entry 1: needs "text" or "calls"'],
    ['[{"text":"a"},{"txt":"b"}]', 'script demo.json, entry 2: does not know "txt"'],
    ['[{"text":1}]', 'script demo.json, entry 1: "text" must be a string'],
    [
      '[{"calls":[{"name":"read","input":"a"}]}]',
      'script demo.json, entry 1, call 1: "input" must be an object',
    ],
  ])("that is wrong is refused by file and entry: %s", (text, message) => {
    expect(() => parseScript(text, "demo.json")).toThrow(message);
  });
});
