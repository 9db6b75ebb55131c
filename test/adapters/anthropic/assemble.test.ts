import { describe, expect, it } from "vitest";
import { assembly } from "../../../src/adapters/anthropic/assemble.ts";

const start = { type: "message_start", message: { usage: { input_tokens: 5, output_tokens: 1 } } };
const open = (index: number, type = "text") => ({
  type: "content_block_start",
  index,
  content_block: { type, text: "" },
});
const delta = (index: number, text = "x") => ({
  type: "content_block_delta",
  index,
  delta: { type: "text_delta", text },
});
const close = (index: number) => ({ type: "content_block_stop", index });
const end = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } };
const stop = { type: "message_stop" };

function nested(levels: number): unknown {
  let value: unknown = null;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

function assembled(events: readonly object[]) {
  const reply = assembly();
  for (const event of events) reply.take(event);
  return reply.result();
}

describe("a stream", () => {
  it("is a reply once it is whole; the last count given is the one that holds", () => {
    expect(assembled([start, open(0), delta(0), delta(0, "y"), close(0), end, stop])).toEqual({
      content: [{ type: "text", text: "xy" }],
      stopReason: "end_turn",
      usage: { input: 5, output: 9, cacheRead: null, cacheWrite: null },
      brokenCalls: [],
    });
  });

  it("has no count of its output before the end says one, and no count that is none (F25)", () => {
    const odd = { input_tokens: -5, cache_read_input_tokens: 1.5, cache_creation_input_tokens: "7" };
    const strange = { type: "message_start", message: { usage: { ...odd, output_tokens: 1 } } };
    const silent = { type: "message_delta", delta: { stop_reason: "end_turn" } };
    expect(assembled([strange, silent, stop]).usage).toEqual({
      input: null,
      output: null,
      cacheRead: null,
      cacheWrite: null,
    });
  });

  it("may say why it stops in two events, or twice the same", () => {
    const counted = { type: "message_delta", delta: {}, usage: { output_tokens: 9 } };
    expect(assembled([start, counted, end, end, counted, stop]).stopReason).toBe("end_turn");
  });

  it("gets on with what it brings, not with what holds nothing or is unknown", () => {
    const reply = assembly();
    const events = [start, open(0), delta(0), close(0), end, stop];
    const nothing = [
      { type: "ping" },
      { type: "weather" },
      delta(0, ""),
      { type: "content_block_delta", index: 0, delta: { type: "hologram_delta", text: "x" } },
      { type: "message_delta", delta: {}, usage: { input_tokens: 5 } },
    ];
    const progress = [...events.slice(0, 3), ...nothing, ...events.slice(3)].map(
      (event) => reply.take(event).progress,
    );
    expect(progress).toEqual([true, true, true, ...nothing.map(() => false), true, true, true]);
  });

  it("names a call with arguments too deep to be written down again (F14)", () => {
    const call = { type: "tool_use", id: "a", name: "read", input: {} };
    const deep = `{"a":${"[".repeat(9000)}${"]".repeat(9000)}}`;
    const events = [
      start,
      { type: "content_block_start", index: 0, content_block: call },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: deep } },
      close(0),
      end,
      stop,
    ];
    expect(assembled(events)).toMatchObject({ brokenCalls: ["a"], content: [call] });
  });

  it("passes over events that nobody knows (F20)", () => {
    const odd = { type: "weather", sunny: true };
    expect(assembled([odd, start, odd, open(0), odd, close(0), end, odd, stop]).content.length).toBe(1);
  });

  it("keeps a block of unknown type, and hides that a known one holds an unknown delta from nobody (F20)", () => {
    const strange = { type: "content_block_delta", index: 1, delta: { type: "hologram_delta" } };
    const events = [start, open(0, "cube"), close(0), open(1), strange, close(1), end, stop];
    expect(assembled(events).content.map(({ type }) => type)).toEqual(["cube", "text with hologram_delta"]);
  });

  it.each([
    ["two beginnings", [start, start]],
    ["a block before the beginning", [open(0)]],
    ["a gap in the order of blocks", [start, open(1)]],
    ["a block inside another", [start, open(0), open(1)]],
    ["a block twice", [start, open(0), close(0), open(0)]],
    ["a delta of a block that is not open", [start, delta(0)]],
    ["a delta of another block", [start, open(0), delta(1)]],
    ["the end of a block that is not open", [start, close(0)]],
    ["an end before the last block ended", [start, open(0), end, stop]],
    ["no stop reason", [start, stop]],
    ["no end", [start, open(0), delta(0), close(0), end]],
    ["anything known after the end", [start, end, stop, open(0)]],
    [
      "a delta without its text",
      [start, open(0), { type: "content_block_delta", index: 0, delta: { type: "text_delta" } }],
    ],
    ["a delta of another kind of block", [start, open(0, "tool_use"), delta(0)]],
    ["an end of the text before the text ends", [start, open(0), end, close(0), stop]],
    ["more of it after its end", [start, end, open(0)]],
    ["two reasons to stop", [start, end, { type: "message_delta", delta: { stop_reason: "tool_use" } }]],
    ["an error by another name", [start, { type: "error", error: { type: "overloaded_error" } }]],
    [
      "a block too deep to be written down again",
      [
        start,
        { type: "content_block_start", index: 0, content_block: { type: "cube", of: nested(9000) } },
        close(0),
      ],
    ],
    ["a block without a type", [start, { type: "content_block_start", index: 0 }]],
    ["nothing at all", []],
  ])("is no reply with %s (F23)", (_, events) => {
    expect(() => assembled(events)).toThrow(expect.objectContaining({ name: "BrokenStream" }));
  });
});
