import { describe, expect, it } from "vitest";
import { anthropicModel } from "../../src/adapters/anthropic/model.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { stoppedClock } from "../adapters/anthropic/clocks.ts";
import { calls, failWith, type Step, say, use } from "../kit/model/script.ts";
import { startModel } from "../kit/model/server.ts";
import { given, opening } from "./given-loop.ts";

/** Every odd thing a provider may send, in one session; the server refuses what the API would refuse. */
const script: readonly Step[] = [
  failWith(529, "overloaded_error", "Overloaded"),
  use("read", { path: "a" }, { id: "a1", thinking: "Hm.", text: "I look.", fault: { kind: "reset", at: 9 } }),
  calls(
    [
      { name: "read", input: { path: "a" }, id: "a1" },
      { name: "write", input: { text: "b" }, id: "a2" },
    ],
    { thinking: "Hm." },
  ),
  use("write", { text: "a long text" }, { id: "b1", thinking: "More.", cutAt: 9 }),
  say("half a sen", { stopReason: "max_tokens" }),
  calls([
    { name: "read", input: { path: 7 }, id: "c1" },
    { name: "fly", input: {}, id: "c2" },
  ]),
  { kind: "message", content: [{ type: "thinking", thinking: "only this" }], stopReason: "max_tokens" },
  say(""),
  use("shell", { command: "test" }, { id: "d1", fault: { kind: "eof", at: 5 } }),
  use("shell", { command: "test" }, { id: "d1" }),
  use("read", { path: "output:d1" }, { id: "d1" }),
  use("read", { path: "output:d1" }, { id: "e1" }),
  say("wait", { stopReason: "pause_turn" }),
  say("Fixed it.\n\nBecause."),
];

const modelAt = (url: string) => anthropicModel({ apiKey: "key", baseUrl: url, clock: stoppedClock() });

describe("a session against the Messages API", () => {
  it("sends nothing that the API refuses, and each request extends the one before (F6)", async () => {
    await using server = await startModel({ script });
    const session = await given({ model: modelAt(server.url) });
    expect(await session.run()).toEqual({ kind: "finished", text: "Fixed it.\n\nBecause." });
    server.assertDone();
    expect(server.requests.every((request) => request.extendsPrevious)).toBe(true);
  });

  it("goes on in a new process with the very messages that the dead one would have sent", async () => {
    await using server = await startModel({ script });
    const first = await given({ model: modelAt(server.url) });
    await first.run();
    const events: readonly SessionEvent[] = [...opening, ...first.events];
    const ends = events.flatMap(({ type }, i) =>
      type === "turn.ended" && i < events.length - 1 ? [i + 1] : [],
    );
    for (const cut of ends) {
      const before = events.slice(0, cut);
      const sent = before.filter(({ type }) => type === "reply.requested").length;
      await using next = await startModel({ script: [say("Done")] });
      const resumed = await given({ model: modelAt(next.url), resumed: before, files: first.files });
      // A server that has not seen the pause takes no reply at the end of a request.
      if (resumed.story.facts.pauses > 0) continue;
      expect(await resumed.run()).toEqual({ kind: "finished", text: "Done" });
      const again = next.requests.at(-1)?.body.messages;
      const then = first.requests[sent]?.messages;
      expect(JSON.stringify(again, withoutMarks), `cut at ${cut}`).toBe(JSON.stringify(then));
      next.assertDone();
    }
  });
});

function withoutMarks(key: string, value: unknown): unknown {
  return key === "cache_control" ? undefined : value;
}
