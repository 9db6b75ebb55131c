import { describe, expect, it } from "vitest";
import { messagesOf } from "../../src/loop/context.ts";
import type { Message } from "../../src/loop/model.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { recoverCalls } from "../../src/session/recover.ts";
import { inline } from "../kit/given.ts";
import { given, modelOf, opening, outline, reply, text } from "./given-loop.ts";

const long = "x".repeat(20_000);

/** A session with every kind of turn: reads beside writes, an invalid batch, a cut, an empty reply, a large output. */
const script = [
  { thinking: "First.", text: "I look.", calls: [read("a"), read("b"), write("one"), read("c")] },
  { calls: [read("d"), { name: "fly", input: {} }] },
  { text: "Cut", calls: [write("two")], stop_reason: "max_tokens" },
  { text: "half a", stop_reason: "max_tokens" },
  { calls: [write(long)] },
  { calls: [{ name: "shell", input: { command: "test" } }, read("output:call_1_1")] },
  { text: "Fix the bug\n\nIt was the off-by-one." },
];

function read(path: string) {
  return { name: "read", input: { path } };
}

function write(text: string) {
  return { name: "write", input: { text } };
}

async function whole() {
  const session = await given({ script });
  const end = await session.run();
  return { end, events: [...opening, ...session.events], session, files: session.files };
}

// A call that may have changed files and was interrupted is rolled back and told: the one difference there may be.
const writes = new Set(["call_1_3", "call_3_1", "call_5_1", "call_6_1"]);

function essence(messages: readonly Message[]): string {
  const text = JSON.stringify(messages, (_key, value: unknown) => {
    const block = value as { type?: string; tool_use_id?: string } | null;
    const ofWrite = block?.type === "tool_result" && writes.has(String(block.tool_use_id));
    return ofWrite ? "the result of a write" : value;
  });
  return text.replaceAll(long, "long");
}

describe("a run that died after any record", () => {
  it("is continued to the same end, with the same messages", async () => {
    const full = await whole();
    expect(full.end).toMatchObject({ kind: "finished" });
    const final = essence(messagesOf(full.session.story.context));
    for (let cut = opening.length; cut <= full.events.length; cut += 1) {
      const resumed = await given({ script, resumed: full.events.slice(0, cut), files: full.files });
      await resumed.story.append({ ...claim, gen: 2 });
      await recoverCalls({ journal: resumed.story, append: resumed.story.append });
      expect(await resumed.run(), `cut at ${cut}`).toEqual(full.end);
      expect(essence(messagesOf(resumed.story.context)), `cut at ${cut}`).toBe(final);
    }
  });

  it("sends the very bytes again that it had sent, plus what is new", async () => {
    const full = await whole();
    const sent = full.session.requests.map((request) => JSON.stringify(request.messages));
    for (let cut = opening.length; cut <= full.events.length; cut += 1) {
      const before = full.events.slice(0, cut);
      const open = before.findLast((event) => event.type === "calls.intended" || event.type === "turn.ended");
      // An interrupted write is told, so what follows it is another conversation.
      if (open?.type === "calls.intended" && open.calls.some((call) => call.class === "workspace")) continue;
      const resumed = await given({ script, resumed: before, files: full.files });
      await resumed.run();
      const again = resumed.requests.map((request) => JSON.stringify(request.messages));
      expect(sent.slice(sent.length - again.length), `cut at ${cut}`).toEqual(again);
    }
  });

  it("runs no settled call again", async () => {
    const full = await whole();
    for (let cut = opening.length; cut <= full.events.length; cut += 1) {
      const before = full.events.slice(0, cut);
      const resumed = await given({ script, resumed: before, files: full.files });
      await recoverCalls({ journal: resumed.story, append: resumed.story.append });
      await resumed.run();
      const settled = [...before, ...resumed.events].filter((event) => event.type === "call.settled");
      const ids = settled.map((event) => event.id);
      expect(new Set(ids).size, `cut at ${cut}`).toBe(ids.length);
    }
  });
});

describe("a resumed run", () => {
  it("does not nudge twice when the run died between the nudge and the end of the turn", async () => {
    const session = await given({ script: [{ text: "" }, { text: "Done" }] });
    await session.run();
    const events = [...opening, ...session.events];
    const cut = events.findIndex((event) => event.type === "note.added") + 1;
    const resumed = await given({ script: [{ text: "Done" }], resumed: claimed(events.slice(0, cut)) });
    expect(await resumed.run()).toEqual({ kind: "finished", text: "Done" });
    expect(outline(resumed.events)).toEqual([
      "ended nudge",
      "reply.requested",
      "reply.received",
      "ended done",
    ]);
  });

  it("is still finished when all that is new is the note that it was resumed", async () => {
    const session = await given({ script: [{ text: "Done" }] });
    await session.run();
    const told: SessionEvent = {
      type: "note.added",
      about: "resumed",
      text: { type: "inline", text: "Resumed." },
    };
    const resumed = await given({ resumed: [...claimed([...opening, ...session.events]), told] });
    expect(await resumed.run()).toEqual({ kind: "finished", text: "Done" });
    expect(resumed.requests).toEqual([]);
  });

  it("is still finished when the model had said nothing, even after a nudge", async () => {
    const session = await given({ script: [{ text: "" }, { text: "" }] });
    expect(await session.run()).toEqual({ kind: "finished", text: "" });
    const resumed = await given({ resumed: claimed([...opening, ...session.events]) });
    expect(await resumed.run()).toEqual({ kind: "finished", text: "" });
    expect(resumed.requests).toEqual([]);
  });

  it("tells of the budget once when the run died after it was told that its last turn comes", async () => {
    const script = [{ text: "Done" }];
    const session = await given({ script, budget: { turns: 1 } });
    await session.run();
    expect(outline(session.events)[0]).toBe("note budget");
    const cut = [...opening, ...session.events].slice(0, opening.length + 1);
    const resumed = await given({ script, budget: { turns: 1 }, resumed: claimed(cut) });
    await resumed.run();
    expect(outline(resumed.events)).toEqual(["reply.requested", "reply.received", "ended done"]);
  });

  it("has three replies to be cut anew once people have seen that three were", async () => {
    const cut = { text: "half a", stop_reason: "max_tokens" };
    const script = [cut, cut, cut, cut, cut, { text: "Done" }];
    const session = await given({ script });
    expect(await session.run()).toMatchObject({ kind: "stuck" });
    const suspended = { type: "run.suspended", reason: "stuck", detail: "" } as const;
    const events = [...opening, ...session.events, suspended];
    const resumed = await given({ script, resumed: claimed(events) });
    expect(await resumed.run()).toEqual({ kind: "finished", text: "Done" });
    expect(resumed.requests.map(({ maxTokens }) => maxTokens)).toEqual([1000, 2000, 2000]);
  });

  it("takes in an input that was recorded before the run died at the end of a turn", async () => {
    const said = [{ id: "comment:2", by: "octo", text: "More." }];
    const script = [{ text: "Done" }, { text: "More done" }];
    const session = await given({ script, parts: { heard: async () => said } });
    await session.run();
    const events = [...opening, ...session.events];
    const cut = events.findLastIndex((event) => event.type === "input.accepted") + 1;
    const resumed = await given({
      script,
      resumed: claimed(events.slice(0, cut)),
      parts: { heard: async () => said },
    });
    expect(await resumed.run()).toEqual({ kind: "finished", text: "More done" });
    expect(outline(resumed.events)[0]).toBe("ended input");
  });

  it("shows the very pictures again that an input had brought", async () => {
    const images = ["small", long].map((bytes) => ({ mediaType: "image/png", data: btoa(bytes) }));
    const said = [{ id: "comment:2", by: "octo", text: "See.", images }];
    const script = [{ text: "Done" }, { text: "Seen" }];
    const session = await given({ script, parts: { heard: async () => said } });
    await session.run();
    const blocks = images.map(({ mediaType, data }) => ({
      type: "image",
      source: { type: "base64", media_type: mediaType, data },
    }));
    expect(session.requests[1]?.messages.at(-1)?.content).toEqual([
      { type: "text", text: "See." },
      ...blocks,
    ]);
    const events = [...opening, ...session.events];
    const cut = events.findLastIndex((event) => event.type === "reply.requested");
    const resumed = await given({
      script,
      resumed: claimed(events.slice(0, cut)),
      files: session.files,
      parts: { heard: async () => said },
    });
    await resumed.run();
    expect(JSON.stringify(resumed.requests[0]?.messages)).toBe(JSON.stringify(session.requests[1]?.messages));
  });
});

const cutOff = { text: "half a", stop_reason: "max_tokens" };
const paused = { text: "Wait", stop_reason: "pause_turn" };
const times = <Step>(count: number, step: Step) => Array<Step>(count).fill(step);

/** Everything that ends the work by itself and is not its end. */
const selfEnded: readonly (readonly [string, readonly unknown[]])[] = [
  ["three replies that were cut", times(3, cutOff)],
  ["five that the provider paused", times(5, paused)],
  ["the same call over and over", times(6, { calls: [read("a")] })],
  ["turns that bring nothing new", times(9, { calls: [read("a"), read("b")] })],
  ["a refusal", [{ text: "I", stop_reason: "refusal" }]],
  ["a reply that nobody understands", [{ text: "I", stop_reason: "boredom" }]],
];

describe.each(selfEnded)("a run that came to its end by %s", (_, script) => {
  const done = { text: "Done" };
  const more = [...script, done, done, done];

  async function ended() {
    const session = await given({ script });
    return { end: await session.run(), log: [...opening, ...session.events] };
  }

  it("and died before it had recorded that, leaves it to the next one, which asks for nothing more", async () => {
    const { end, log } = await ended();
    expect(end.kind).not.toBe("finished");
    expect(outline(log).at(-1)).toMatch(/^ended /);
    const resumed = await given({ script: more, resumed: claimed(log) });
    expect(await resumed.run()).toEqual(end);
    expect([resumed.events, resumed.requests]).toEqual([[], []]);
  });

  it("goes on once people have seen that, have said something, or have named another model", async () => {
    const { log } = await ended();
    const since: readonly SessionEvent[] = [
      { type: "run.suspended", reason: "stuck", detail: "" },
      { type: "input.accepted", id: "comment:2", by: "octo", text: inline("Go on.") },
      { ...claim, gen: 2, model: "other" },
    ];
    for (const event of since) {
      const resumed = await given({
        model: modelOf([reply([text("Done")])]),
        resumed: claimed([...log, event]),
      });
      expect(await resumed.run(), event.type).toEqual({ kind: "finished", text: "Done" });
    }
  });
});

describe("words at the end of a turn", () => {
  it("let a session go on that would have stopped there for going round in circles", async () => {
    const script = [...times(6, { calls: [read("a")] }), { text: "Another way" }];
    const said = { id: "comment:2", by: "octo", text: "Look at b." };
    const session = await given({
      script,
      parts: { heard: async () => (session.requests.length === 6 ? [said] : []) },
    });
    expect(await session.run()).toEqual({ kind: "finished", text: "Another way" });
  });
});

describe("a run that is cancelled at the end of a turn", () => {
  it.each([
    ["a cut reply is not taken for the end of the work", cutOff, "note truncated"],
    ["an empty one is nudged", { text: "" }, "note nudge"],
  ])("tells the model what it has to know before: %s", async (_, step, told) => {
    const session = await given({ script: [step], abortAt: ({ type }) => type === "reply.received" });
    expect(await session.run()).toEqual({ kind: "cancelled" });
    const resumed = await given({
      model: modelOf([reply([text("Done")])]),
      resumed: claimed([...opening, ...session.events]),
    });
    expect(await resumed.run()).toEqual({ kind: "finished", text: "Done" });
    expect(outline([...session.events, ...resumed.events])).toContain(told);
  });
});

const claim = {
  type: "run.claimed",
  gen: 1,
  run: { id: "2", attempt: 1, job: "agent" },
  head: null,
} as const;

function claimed(events: readonly SessionEvent[]): readonly SessionEvent[] {
  return [...events, { ...claim, gen: 2 }];
}
