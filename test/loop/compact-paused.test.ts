import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../src/loop/model.ts";
import { inline } from "../kit/given.ts";
import { failure, given, modelOf, opening, reply, text, use } from "./given-loop.ts";

const usage = (input: number) => ({ usage: { input, output: 10, cacheRead: 0, cacheWrite: 0 } });

/** The window of 200,000 tokens is full by the end of the turn that goes on with the half. */
const first = reply([use("call_1", "read", { path: "a" })], usage(1_000));
const half = reply([text("First half.")], { stopReason: "pause_turn", ...usage(150_000) });
const summary = reply([text("Found it in a, line 3.")], usage(20_000));
const done = reply([text("Done")], usage(5_000));

/** The last request without the summary. */
function toldLast(requests: readonly ModelRequest[]) {
  return requests
    .at(-1)
    ?.messages.slice(1)
    .map(({ content }) => content);
}

describe("a summary after a paused reply", () => {
  it("keeps it with its rest, whole", async () => {
    const rest = reply([text("Second half."), use("call_2", "read", { path: "b" })], usage(151_000));
    const session = await given({ model: modelOf([first, half, rest, summary, done]) });
    await session.run();
    const { requests } = session;
    expect(toldLast(requests)).toMatchObject([
      [{ text: "First half." }, { text: "Second half." }, { type: "tool_use" }],
      [{ type: "tool_result" }],
    ]);
    expect(JSON.stringify(requests.at(-2))).not.toContain("First half.");
  });

  it("takes a reply to what was said in between for one of its own", async () => {
    const paused = await given({ model: modelOf([first, half, failure({ verdict: "final" })]) });
    await paused.run();
    const said = { type: "input.accepted", id: "comment:2", by: "octo", text: inline("Wait.") } as const;
    const other = reply([text("I wait."), use("call_2", "read", { path: "b" })], usage(151_000));
    const session = await given({
      model: modelOf([other, summary, done]),
      resumed: [...opening, ...paused.events, said],
      files: paused.files,
    });
    await session.run();
    const { requests } = session;
    expect(toldLast(requests)).toMatchObject([
      [{ text: "First half." }],
      [{ text: "Wait." }],
      [{ text: "I wait." }, { type: "tool_use" }],
      [{ type: "tool_result" }],
    ]);
    expect(JSON.stringify(requests.at(-2))).not.toContain("First half.");
  });
});
