import { describe, expect, it } from "vitest";
import { digestOf, type Tree } from "../../src/base/hash.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { inline } from "../kit/given.ts";
import { failure, given, modelOf, opening, reply, text, use } from "./given-loop.ts";

const usage = (input: number) => ({ usage: { input, output: 10, cacheRead: 0, cacheWrite: 0 } });

/** Two turns fill the window of 200,000 tokens, then it is summarised. */
const first = reply([use("call_1", "read", { path: "a" })], usage(1_000));
const full = reply([use("call_2", "read", { path: "b" })], usage(151_000));
const summary = reply([text("Found it in a, line 3.")], usage(20_000));
const done = reply([text("Done")], usage(5_000));

describe("a summary", () => {
  it.each([
    ["holds what the checks found", false],
    ["leaves it out once they have passed", true],
  ])("%s", async (_title, passed) => {
    const tree = "1".repeat(40) as Tree;
    const log: SessionEvent[] = [{ type: "gate.failed", round: 1, tree, findings: inline("Test a is red.") }];
    if (passed) log.push({ type: "gate.passed", round: 2, tree, definitions: digestOf("") });
    const session = await given({ model: modelOf([first, full, summary, done]), log });
    await session.run();
    const told = JSON.stringify(session.requests.at(-1)?.messages);
    expect(told.includes("Test a is red.")).toBe(!passed);
  });

  it("is asked for six times, also by a run after one that died while it asked for a turn", async () => {
    const requested = { type: "reply.requested", turn: 2, attempt: 1, maxTokens: 1000 } as const;
    const dead = await given({ model: modelOf([first, failure({ verdict: "final" })]) });
    await dead.run();
    const events = dead.events.slice(
      0,
      dead.events.findLastIndex(({ type }) => type === "reply.requested"),
    );
    const words = inline("word ".repeat(100_000));
    const session = await given({
      model: modelOf(Array(6).fill(failure())),
      resumed: [
        ...[...opening, ...events, requested],
        { type: "run.claimed", gen: 2, run: { id: "2", attempt: 1, job: "agent" }, head: null },
        { type: "input.accepted", id: "comment:2", by: "octo", text: words },
      ],
      files: dead.files,
    });
    expect(await session.run()).toMatchObject({ kind: "provider" });
    expect(session.requests.length).toBe(6);
  });

  it("takes time, which counts as that of the turn that it makes room for", async () => {
    const slow = () => {
      session.clock.advance(60_000);
      return summary;
    };
    const session = await given({ model: modelOf([first, full, slow, done]) });
    await session.run();
    expect(session.story.state.activeMs).toBe(60_000);
  });
});
