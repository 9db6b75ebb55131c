import { describe, expect, it } from "vitest";
import { messagesOf } from "../../src/loop/context.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { recoverCalls } from "../../src/session/recover.ts";
import { inline } from "../kit/given.ts";
import { type Disk, given, opening, outline, read, toolsOn, write } from "./given-loop.ts";

const put = "The question was put to people.";

const tools = (disk: Disk) => [
  ...toolsOn(disk),
  { name: "ask", class: "read", required: ["question"], run: async () => put } as const,
];

const ask = (question: string) => ({ name: "ask", input: { question } });
const answer: SessionEvent = { type: "input.accepted", id: "comment:2", by: "octo", text: inline("Tabs.") };
const claimed: SessionEvent = {
  ...{ type: "run.claimed", gen: 2, head: null },
  run: { id: "2", attempt: 1, job: "agent" },
};

describe("a question", () => {
  it("ends the run once all calls of its reply have their results", async () => {
    const session = await given({
      tools,
      script: [{ calls: [ask("Tabs or spaces?"), write("x"), read("a")] }],
    });
    expect(await session.run()).toEqual({ kind: "asked", id: "call_1_1", question: "Tabs or spaces?" });
    expect(session.disk.text).toBe("x");
    expect(outline(session.events).slice(-4)).toEqual([
      "settled call_1_1 ok",
      "settled call_1_2 ok",
      "settled call_1_3 ok",
      "ended asked",
    ]);
  });

  it("is one with all others of its reply, known by the first", async () => {
    const session = await given({ tools, script: [{ calls: [ask("One?"), read("a"), ask("Two?")] }] });
    expect(await session.run()).toEqual({ kind: "asked", id: "call_1_1", question: "One?\n\nTwo?" });
  });

  it("is none where it could not be put", async () => {
    const script = [{ calls: [{ name: "ask", input: {} }] }, { text: "Done" }];
    const session = await given({ tools, script });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
  });

  it("is none where its reply was cut", async () => {
    const script = [{ calls: [ask("Ta")], stop_reason: "max_tokens" }, { text: "Done" }];
    const session = await given({ tools, script });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
  });

  it("waits for nobody who has spoken by then", async () => {
    const said = [{ id: "comment:2", by: "octo", text: "Use tabs." }];
    const script = [{ calls: [ask("Tabs or spaces?")] }, { text: "Done" }];
    const session = await given({ tools, script, parts: { heard: async () => said } });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(outline(session.events)).toContain("ended input");
  });

  it("is asked again, and nothing of the model, until somebody answers", async () => {
    const session = await given({ tools, script: [{ calls: [ask("Tabs?")] }, { text: "Done" }] });
    const asked = await session.run();
    expect(await session.run()).toEqual(asked);
    expect(session.requests).toHaveLength(1);
    await session.story.append(answer);
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(session.requests).toHaveLength(2);
  });

  it("is put before the end of a budget is told, and the budget counts once it was answered", async () => {
    const session = await given({ tools, script: [{ calls: [ask("Tabs?")] }], budget: { turns: 1 } });
    expect(await session.run()).toMatchObject({ kind: "asked" });
    await session.story.append(answer);
    expect(await session.run()).toEqual({ kind: "exhausted", budget: "turns" });
  });

  it("survives a death at any record, and its answer stands once, behind its result", async () => {
    const script = [{ calls: [ask("Tabs?")] }, { calls: [read("a")] }, { text: "Done" }];
    const whole = await given({ tools, script });
    await whole.run();
    const events = [...opening, ...whole.events];
    const put = events.findIndex(({ type }) => type === "calls.intended") + 1;
    for (let cut = put; cut <= events.length; cut += 1) {
      const resumed = await given({ tools, script, resumed: events.slice(0, cut), files: whole.files });
      await resumed.story.append(claimed);
      await recoverCalls({ journal: resumed.story, append: resumed.story.append });
      expect(await resumed.run(), `cut at ${cut}`).toMatchObject({ kind: "asked", id: "call_1_1" });
      expect(resumed.requests, `cut at ${cut}`).toEqual([]);
      await resumed.story.append(answer);
      expect(await resumed.run(), `cut at ${cut}`).toEqual({ kind: "finished", text: "Done" });
      const [, , told] = messagesOf(resumed.story.context);
      const texts = told?.content.map((block) => block["content"] ?? block["text"]);
      expect(texts, `cut at ${cut}`).toEqual([expect.stringContaining("The question was put"), "Tabs."]);
    }
  });

  it("that was answered is not waited for again, wherever the run died after that", async () => {
    const script = [{ calls: [ask("Tabs?")] }, { text: "Done" }];
    const whole = await given({ tools, script });
    await whole.run();
    await whole.story.append(answer);
    await whole.run();
    const events = [...opening, ...whole.events];
    const from = events.indexOf(answer) + 1;
    expect(from).toBeGreaterThan(0);
    for (let cut = from; cut <= events.length; cut += 1) {
      const resumed = await given({ tools, script, resumed: events.slice(0, cut), files: whole.files });
      await resumed.story.append(claimed);
      expect(await resumed.run(), `cut at ${cut}`).toEqual({ kind: "finished", text: "Done" });
    }
  });
});
