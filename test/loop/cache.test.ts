import { describe, expect, it } from "vitest";
import { figuresOf, playCached } from "../../bench/cache-session.ts";
import { bodyOf } from "../../src/adapters/anthropic/body.ts";
import type { Message, ModelRequest } from "../../src/loop/model.ts";
import { promptCache, promptTokens } from "../kit/model/prefix.ts";
import type { WireRequest } from "../kit/model/wire.ts";

const plan = { turns: 20, wideAt: 4, gateAt: 7, killAt: 12, turnMs: 20_000, pauseMs: 180_000 };

describe("the prompts of a session", () => {
  it("come from the cache in 95 % of what was sent before, also where another machine goes on", async () => {
    const requests = await playCached(plan);
    expect(requests.length).toBe(plan.turns);
    expect(figuresOf(requests).share).toBeGreaterThanOrEqual(0.95);
    const resumed = requests.filter((request) => request.resumed);
    expect(figuresOf(resumed).share).toBe(1);
    const [first] = resumed;
    expect(first?.resent).toBeGreaterThan(10_000);
    expect(first?.usage.cacheRead).toBe(first?.resent);
  });

  it("are written anew, once, where the cache has forgotten them", async () => {
    const requests = await playCached({ ...plan, pauseMs: 600_000 });
    const [first, ...rest] = requests.filter((request) => request.resumed);
    expect(first?.usage.cacheRead).toBe(0);
    expect(figuresOf(rest).share).toBe(1);
  });
});

describe("a request's cache marks", () => {
  const frame = {
    model: "claude-sonnet-5-5",
    system: "Work well. ".repeat(2_000),
    tools: [{ name: "read", description: "Reads.", inputSchema: { type: "object" } }],
    maxTokens: 1_000,
  };
  const words = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
  const asked = (ids: readonly string[]): Message => ({
    role: "assistant",
    content: ids.map((id) => ({ type: "tool_use", id, name: "read", input: {} })),
  });
  const results = (ids: readonly string[], ...notes: readonly string[]): Message => ({
    role: "user",
    content: [
      ...ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: `content of ${id}` })),
      ...notes.map((text) => ({ type: "text", text })),
    ],
  });
  const ids = (turn: number, count: number) => Array.from({ length: count }, (_, i) => `t${turn}_${i}`);
  const wire = (messages: readonly Message[]): WireRequest => {
    const request: ModelRequest = { ...frame, messages };
    // What is sent is JSON.
    return JSON.parse(JSON.stringify(bodyOf(request))) as WireRequest;
  };

  it.each<[string, readonly Message[], readonly Message[]]>([
    ["a batch of 30 calls", [words("Fix it.")], [asked(ids(1, 30)), results(ids(1, 30))]],
    [
      "a batch of 30 calls after one of 30",
      [words("Fix it."), asked(ids(1, 30)), results(ids(1, 30))],
      [asked(ids(2, 30)), results(ids(2, 30), "A note.", "Another.")],
    ],
    [
      "a final message and the findings of the gate",
      [words("Fix it."), asked(ids(1, 2)), results(ids(1, 2))],
      [{ role: "assistant", content: [{ type: "text", text: "Done." }] }, words("The check test failed.")],
    ],
  ])("read all that was sent before %s", (_title, before, added) => {
    const cache = promptCache(() => 0);
    cache.use(wire(before));
    const read = cache.use(wire([...before, ...added])).cache_read_input_tokens;
    expect(read).toBe(promptTokens(wire(before)));
  });

  it("read all that was sent before notes that are added to the last message", () => {
    const cache = promptCache(() => 0);
    const before = [words("Fix it."), asked(ids(1, 30)), results(ids(1, 30))];
    cache.use(wire(before));
    const noted = [
      ...before.slice(0, 2),
      results(ids(1, 30), "The work goes on.", "Go on.", "A budget is low."),
    ];
    expect(cache.use(wire(noted)).cache_read_input_tokens).toBe(promptTokens(wire(before)));
  });
});
