import { describe, expect, it } from "vitest";
import { gather, isNews, noReadings, outputOf, type Readings } from "../../src/loop/readings.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { inline } from "../kit/given.ts";

const settled = (id: string, output: string, over: object = {}): SessionEvent => ({
  type: "call.settled",
  id,
  status: "ok",
  output: inline(output),
  whole: null,
  tree: null,
  plan: null,
  ...over,
});

/** A batch of one call of `read` with a path. */
const intended = (id: string, path: string): SessionEvent => ({
  type: "calls.intended",
  turn: 1,
  calls: [{ id, tool: "read", arguments: inline(JSON.stringify({ path })), class: "read" }],
});

const gathered = (events: readonly SessionEvent[]): Readings => events.reduce(gather, noReadings);
const seenOnce = [intended("a", "x"), settled("a", "text of x")];

describe("what the model has read", () => {
  it.each([
    ["the same call with the same result", "x", "text of x", {}, false],
    ["the same call with another result", "x", "new text of x", {}, true],
    ["another call with the same result", "y", "text of x", {}, true],
    ["the same result, but of a call that failed", "x", "text of x", { status: "error" }, true],
    ["a call that did not run", "y", "Not executed.", { status: "not-run" }, false],
    ["a plan, however new", "y", "noted", { plan: [{ text: "Look", status: "open" }] }, false],
  ])("is compared with %s", (_, path, output, over, news) => {
    const readings = gathered([
      ...seenOnce,
      intended("b", "z"),
      settled("b", "text of z"),
      intended("c", path),
    ]);
    expect(isNews(readings, settled("c", output, over))).toBe(news);
  });

  it("is kept whole where the output was cut, by the id of its call", () => {
    const readings = gathered([
      ...seenOnce,
      intended("b", "y"),
      settled("b", "cut", { whole: inline("whole") }),
    ]);
    expect(outputOf(readings, "a")).toEqual(inline("text of x"));
    expect(outputOf(readings, "b")).toEqual(inline("whole"));
    expect(outputOf(readings, "toString")).toBeUndefined();
  });

  it("grows by a call without a copy of those before it", () => {
    const before = gathered(seenOnce);
    expect(gather(before, settled("b", "more")).last?.before).toBe(before.last);
  });
});
