import { describe, expect, it } from "vitest";
import type { MemoryTool } from "../../src/adapters/memory/toolbox.ts";
import { texts } from "../../src/loop/decide.ts";
import { heldClock } from "../kit/held-clock.ts";
import { failure, given, modelOf, opening, outline, reply, text, use } from "./given-loop.ts";

/** Tools that never end by themselves and say when they have begun. */
function hanging(begun: (path: string) => void): readonly MemoryTool[] {
  const run: MemoryTool["run"] = async ({ path = "" }) => {
    begun(path);
    return new Promise(() => {});
  };
  return [
    { name: "read", class: "read", required: ["path"], run },
    { name: "write", class: "workspace", required: ["path"], run },
    { name: "look", class: "read", required: ["path"], run: async ({ path }) => `saw ${path}` },
  ];
}

const call = (id: string, name: string) => use(id, name, { path: id });

describe("cancelling", () => {
  it("reaches the model, and records the failed try", async () => {
    const session = await given({
      model: modelOf([
        (_, signal) => {
          const cancelled = failure({ verdict: "cancelled", reason: "cancelled" });
          return new Promise((resolve) => {
            signal.addEventListener("abort", () => resolve(cancelled));
            session.abort.abort();
          });
        },
      ]),
    });
    expect(await session.run()).toEqual({ kind: "cancelled" });
    expect(outline(session.events)).toEqual(["reply.requested", "reply.failed"]);
  });

  it("ends a wait between two tries", async () => {
    const clock = heldClock();
    const session = await given({
      model: modelOf([failure()]),
      parts: { clock },
      onLive: (live) => live.kind === "retry.wait" && setImmediate(() => session.abort.abort()),
    });
    expect(await session.run()).toEqual({ kind: "cancelled" });
  });

  it("kills reads that run, settles those that have not begun, and ends the turn", async () => {
    const begun: string[] = [];
    const session = await given({
      model: modelOf([reply([call("a", "read"), call("b", "look"), call("c", "write")])]),
      tools: () =>
        hanging((id) => {
          begun.push(id);
          // After the other read has been settled.
          setImmediate(() => session.abort.abort());
        }),
    });
    expect(await session.run()).toEqual({ kind: "cancelled" });
    expect(begun).toEqual(["a"]);
    expect(outline(session.events).slice(3)).toEqual([
      "settled b ok",
      "settled a killed",
      "settled c not-run",
      "ended calls",
    ]);
  });

  it("leaves a call open that may have changed files, and those behind it, and does not end the turn", async () => {
    const session = await given({
      model: modelOf([reply([call("a", "look"), call("b", "write"), call("c", "look")])]),
      tools: () => hanging(() => session.abort.abort()),
    });
    expect(await session.run()).toEqual({ kind: "cancelled" });
    expect(outline(session.events).slice(3)).toEqual(["settled a ok"]);
    expect(session.disk.sealed).toBe(0);
  });

  it("leaves a call open whose workspace was being sealed", async () => {
    const session = await given({
      model: modelOf([reply([use("a", "write", { text: "x" })])]),
      parts: {
        seal: () => {
          setImmediate(() => session.abort.abort());
          return new Promise(() => {});
        },
      },
    });
    expect(await session.run()).toEqual({ kind: "cancelled" });
    expect(outline(session.events).at(-1)).toBe("calls.intended");
  });

  it("does not wait for a shipment, and runs nothing that waited for it", async () => {
    const session = await given({
      model: modelOf([reply([use("a", "write", { text: "x" })])]),
      parts: {
        shipped: () => {
          setImmediate(() => session.abort.abort());
          return new Promise(() => {});
        },
      },
    });
    expect(await session.run()).toEqual({ kind: "cancelled" });
    expect(outline(session.events).slice(-2)).toEqual(["settled a not-run", "ended calls"]);
  });

  it("starts nothing in a run that was cancelled before it began", async () => {
    const session = await given({ model: modelOf([]) });
    session.abort.abort();
    expect(await session.run()).toEqual({ kind: "cancelled" });
    expect(session.events).toEqual([]);
  });

  it("gives calls that were intended and not begun a result", async () => {
    const session = await given({
      model: modelOf([reply([call("a", "look"), call("b", "write")]), reply([text("Done")])]),
      tools: () => hanging(() => {}),
      abortAt: (event) => event.type === "calls.intended",
    });
    expect(await session.run()).toEqual({ kind: "cancelled" });
    const outputs = session.events.flatMap((event) => (event.type === "call.settled" ? [event.output] : []));
    expect(outputs).toEqual(Array(2).fill({ type: "inline", text: texts.cancelled }));
  });

  it.each(["reply.requested", "reply.received", "calls.intended", "call.settled", "turn.ended"])(
    "at %s leaves a log from which the next run goes on to the same end",
    async (type) => {
      const script = [
        {
          calls: [
            { name: "look", input: { path: "a" } },
            { name: "look", input: { path: "b" } },
          ],
        },
        { text: "Done" },
      ];
      const tools = () => hanging(() => {});
      const first = await given({ script, tools, abortAt: (event) => event.type === type });
      expect(await first.run()).toEqual({ kind: "cancelled" });
      const second = await given({ script, tools, resumed: [...opening, ...first.events] });
      expect(await second.run()).toEqual({ kind: "finished", text: "Done" });
    },
  );
});
