import { describe, expect, it } from "vitest";
import { policyOf } from "../../src/loop/approval.ts";
import type { LoopParts } from "../../src/loop/run.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { abandonApprovals, recoverCalls } from "../../src/session/recover.ts";
import { inline } from "../kit/given.ts";
import { given, lastResults, opening, outline, read, type Setup, shell, write } from "./given-loop.ts";

const parts: Partial<LoopParts> = { policy: policyOf({ approve: ["write", "read"] }) };
const why = "the configuration lists write under approve";
const granted = (id: string): SessionEvent => ({ type: "approval.granted", id, by: "octo" });
const denied = (id: string): SessionEvent => ({ type: "approval.denied", id, by: "octo" });
const suspended: SessionEvent = { type: "run.suspended", reason: "approval", detail: "" };
const claim: SessionEvent = {
  ...{ type: "run.claimed", gen: 2, head: null },
  run: { id: "2", attempt: 1, job: "agent" },
};

const waiting = (setup: Setup) => given({ parts, ...setup });
const resultsIn = (results: ReturnType<typeof lastResults>) =>
  results?.map((block) => (block as { content?: unknown }).content);

describe("a call that has to be allowed", () => {
  it("has not run when the run ends for it, and runs once it was granted", async () => {
    const session = await waiting({ script: [{ calls: [write("x")] }, { text: "Done" }] });
    const call = { id: "call_1_1", tool: "write", arguments: '{"text":"x"}', why };
    expect(await session.run()).toEqual({ kind: "approval", calls: [call] });
    expect(outline(session.events)).toEqual(["reply.requested", "reply.received", "approval.requested"]);
    expect(session.disk.text).toBe("");
    await session.story.append(granted("call_1_1"));
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(session.disk.text).toBe("x");
    expect(session.story.state.approvals).toEqual({});
  });

  it("is asked for once, however often its run is entered", async () => {
    const session = await waiting({ script: [{ calls: [write("x")] }] });
    expect(await session.run()).toEqual(await session.run());
    expect(outline(session.events).filter((type) => type === "approval.requested")).toHaveLength(1);
  });

  it("holds back all calls of its reply, and each of them that is listed needs its own word", async () => {
    const calls = [shell("test"), write("x"), write("y")];
    const session = await waiting({ script: [{ calls }, { text: "Done" }] });
    expect(await session.run()).toMatchObject({ calls: [{ id: "call_1_2" }, { id: "call_1_3" }] });
    await session.story.append(granted("call_1_3"));
    expect(await session.run()).toMatchObject({ kind: "approval", calls: [{ id: "call_1_2" }] });
    expect(outline(session.events)).not.toContain("calls.intended");
    await session.story.append(granted("call_1_2"));
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(session.disk.text).toBe("xy");
  });

  it("is never one that reads", async () => {
    const session = await waiting({ script: [{ calls: [read("a")] }, { text: "Done" }] });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
  });

  it("is not asked for where the reply may not run anyway", async () => {
    const calls = [write("x"), { name: "fly", input: {} }];
    const session = await waiting({ script: [{ calls }, { text: "Done" }] });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(outline(session.events)).not.toContain("approval.requested");
  });

  it("that was denied does not run, nor does any other of its reply, and the model is told by whom", async () => {
    const session = await waiting({ script: [{ calls: [write("x"), write("y")] }, { text: "Done" }] });
    await session.run();
    await session.story.append(granted("call_1_1"));
    await session.story.append(denied("call_1_2"));
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(session.disk.text).toBe("");
    expect(resultsIn(lastResults(session.requests))).toEqual([
      "Not executed: another call of this batch may not run. Send the calls again without it.",
      "Not executed: octo denied it.",
    ]);
  });

  it("may be refused by policy itself, and then nobody is asked", async () => {
    const policy: LoopParts["policy"] = () => ({ kind: "refuse", why: "nothing may change here." });
    const script = [{ calls: [write("x")] }, { text: "Done" }];
    const session = await given({ parts: { policy }, script });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(resultsIn(lastResults(session.requests))).toEqual(["Not executed: nothing may change here."]);
  });
});

describe("an approval", () => {
  const requested = (tool: string, given: string): SessionEvent => {
    return { type: "approval.requested", id: "call_1_1", tool, arguments: inline(given), why };
  };

  it.each([
    ["of its very arguments", requested("write", '{"text":"x"}'), false],
    ["of other arguments", requested("write", '{"text":"y"}'), true],
    ["of the same arguments in other words", requested("write", '{"text": "x"}'), true],
    ["of another tool", requested("shell", '{"text":"x"}'), true],
  ])("counts for a call only when it is %s", async (_title, asked, waits) => {
    const first = await waiting({ script: [{ calls: [write("x")] }, { text: "Done" }] });
    await first.run();
    const before = [...opening, ...first.events].filter(({ type }) => type !== "approval.requested");
    const script = [{ text: "Done" }];
    const session = await waiting({
      resumed: [...before, asked, granted("call_1_1"), suspended, claim],
      script: [{ calls: [write("x")] }, ...script],
      files: first.files,
    });
    const end = await session.run();
    expect(end.kind).toBe(waits ? "approval" : "finished");
    expect(session.disk.text).toBe(waits ? "" : "x");
    if (!waits) return;
    // The call that is there is asked for, and only a word on that one lets it run.
    await session.story.append(granted("call_1_1"));
    expect(await session.run()).toMatchObject({ kind: "finished" });
    expect(session.disk.text).toBe("x");
  });

  const script = [{ calls: [write("x"), write("y")] }, { calls: [write("z")] }, { text: "Done" }];

  /** Up to the moment when its calls are intended, with both granted in a run of their own. */
  async function upToIntended() {
    const session = await waiting({ script });
    await session.run();
    for (const event of [suspended, claim, granted("call_1_1"), granted("call_1_2")])
      await session.story.append(event);
    await session.run();
    const events = [...opening, ...session.events];
    const asked = events.findIndex(({ type }) => type === "approval.requested") + 1;
    const intended = events.findIndex(({ type }) => type === "calls.intended");
    return { events, asked, intended, files: session.files };
  }

  it("that was asked for or given dies with its run, at every record until its call is intended", async () => {
    const { events, asked, intended, files } = await upToIntended();
    const suspends = events.indexOf(suspended);
    const cuts = Array.from({ length: intended - asked + 1 }, (_, at) => asked + at);
    expect(cuts.length).toBeGreaterThan(4);
    for (const cut of cuts) {
      // Right behind a clean suspend nobody has died.
      if (cut === suspends + 1) continue;
      const session = await waiting({ script, resumed: events.slice(0, cut), files });
      const gen = session.story.state.gen + 1;
      for (const event of [{ ...claim, gen }, ...abandonApprovals(session.story.state, gen)])
        await session.story.append(event);
      await recoverCalls({ journal: session.story, append: session.story.append });
      const end = await session.run();
      expect(end, `cut at ${cut}`).toMatchObject({ kind: "approval", calls: [{ id: "call_2_1" }] });
      expect(session.disk.text, `cut at ${cut}`).toBe("");
      const [first] = resultsIn(lastResults(session.requests)) ?? [];
      expect(first, `cut at ${cut}`).toContain("the run in which its approval was asked for died");
    }
  });

  it("that was denied stays so when the run dies before the model is told", async () => {
    const { events, asked, files } = await upToIntended();
    const session = await waiting({
      script,
      resumed: [...events.slice(0, asked), denied("call_1_1")],
      files,
    });
    for (const event of [claim, ...abandonApprovals(session.story.state, 2)])
      await session.story.append(event);
    await session.run();
    const [first] = resultsIn(lastResults(session.requests)) ?? [];
    expect(first).toBe("Not executed: octo denied it.");
  });

  it("that was denied cannot be allowed after that", async () => {
    const { events, asked, files } = await upToIntended();
    const said = [denied("call_1_1"), granted("call_1_1")];
    const session = await waiting({ script, resumed: [...events.slice(0, asked), ...said], files });
    expect(session.story.state.approvals["call_1_1"]?.status).toBe("denied");
    await session.run();
    expect(session.disk.text).toBe("");
  });

  it("outlives a clean suspend, and is used once", async () => {
    const { events, files } = await upToIntended();
    const resumed = events.slice(0, events.indexOf(suspended) + 1);
    const session = await waiting({ script, resumed, files });
    expect(abandonApprovals(session.story.state, 2)).toEqual([]);
    for (const event of [claim, granted("call_1_1"), granted("call_1_2")]) await session.story.append(event);
    expect(await session.run()).toMatchObject({ kind: "approval", calls: [{ id: "call_2_1" }] });
    expect(session.disk.text).toBe("xy");
  });
});
