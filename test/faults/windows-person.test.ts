import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../src/session/event.ts";
import { rewrite } from "../app/given-refusal.ts";
import type { Death } from "../kit/story/mortal.ts";
import { endOf, live } from "../kit/story/play.ts";
import { eventsOf, givenStage } from "../kit/story/stage.ts";

const inWrite = (nth: number, when: "before" | "after"): Death => ({ at: "toolbox.run", nth, when });

describe("a run without a sandbox that dies between", () => {
  it.each([
    ["intended and begun", inWrite(3, "before"), "survives", "call_2_1"],
    ["intended and begun, where the machine is lost", inWrite(3, "before"), "lost", "call_2_1"],
    ["begun and settled", inWrite(3, "after"), "survives", "call_2_1"],
    ["begun and settled, where the machine is lost", inWrite(3, "after"), "lost", "call_2_1"],
    ["two calls of a batch, the first settled", inWrite(4, "after"), "survives", "call_2_2"],
  ] as const)("a call's being %s: in doubt, until a person says", async (_title, death, machine, id) => {
    const stage = givenStage({ sandbox: "off" });
    await live(stage, { death, machine });
    const doubting = await live(stage, { asks: "resume" });
    expect(endOf(doubting)).toBe("refused/in-doubt");
    expect(doubting.end).toMatchObject({ detail: expect.stringContaining(`Call ${id} (write)`) });
    expect([doubting.ran, doubting.requests]).toEqual([[], []]);
    const resolved = await live(stage, { asks: "resume", orders: { resolve: "done" } });
    expect(endOf(resolved)).toBe("pull-request/opened");
    expect(resolved.ran).not.toContain(`write ${id}`);
  });
});

describe("a run that dies between an approval and its call", () => {
  const requested: SessionEvent = {
    ...{ type: "approval.requested", id: "call_2_1", tool: "write" },
    ...{ arguments: { type: "inline", text: "{}" }, why: "it reaches out" },
  };
  const granted: SessionEvent = { type: "approval.granted", id: "call_2_1", by: "octo" };
  const suspended: SessionEvent = { type: "run.suspended", reason: "approval", detail: "" };

  it.each<[string, readonly SessionEvent[], boolean]>([
    ["asked for: abandoned", [requested], true],
    ["granted and not used: abandoned", [requested, granted], true],
    ["granted, and suspended cleanly: kept", [requested, granted, suspended], false],
  ])("%s", async (_title, approval, abandoned) => {
    const stage = givenStage();
    const asked: Death = { at: "files.append", event: "reply.received", nth: 2, when: "after" };
    await live(stage, { death: asked });
    rewrite(stage, (events) => [...events, ...approval]);
    const resumed = await live(stage, { asks: "resume" });
    const types = eventsOf(resumed).map(({ type }) => type);
    expect(types.includes("approval.abandoned")).toBe(abandoned);
    expect(endOf(resumed)).toBe("pull-request/opened");
  });
});
