import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../src/session/event.ts";
import { endOf, live } from "../kit/story/play.ts";
import { eventsOf, givenStage } from "../kit/story/stage.ts";
import { givenLeft } from "./given-refusal.ts";

const settledAs = (events: readonly SessionEvent[], id: string) =>
  events.flatMap((event) => (event.type === "call.settled" && event.id === id ? [event] : []));

describe("a call in doubt", () => {
  it("is not decided by Baton: which call, and how to go on, is said", async () => {
    const refused = await live(await givenLeft(), { asks: "resume" });
    expect(refused.end).toMatchObject({
      reason: "in-doubt",
      resumable: true,
      detail:
        "Call call_2_1 (write) was begun and not settled; whether it took effect cannot be known. Look, then resume with resolve set to done or to not-done.",
    });
  });

  it.each([
    ["done", "ok", "octo looked, and says that it took effect: do not repeat it.", 0],
    ["not-done", "not-run", "octo looked, and says that it did not take effect.", 1],
  ] as const)(
    "that a person found %s is settled so, by name, and the model is told",
    async (resolve, status, says, times) => {
      const stage = await givenLeft();
      const resumed = await live(stage, { asks: "resume", orders: { resolve } });
      expect(endOf(resumed)).toBe("pull-request/opened");
      const [settled, ...more] = settledAs(eventsOf(resumed), "call_2_1");
      expect(more).toEqual([]);
      expect(settled).toMatchObject({ status, tree: null });
      expect(JSON.stringify(settled?.output)).toContain(says);
      expect(JSON.stringify(resumed.requests[0]?.messages)).toContain(says);
      // It runs once more only when the model makes it again; those that had not begun run.
      expect(resumed.ran).not.toContain("write call_2_1");
      expect(resumed.ran.filter((one) => one === "write call_3_1")).toHaveLength(times);
      expect(resumed.ran).toEqual(expect.arrayContaining(["write call_2_2", "write call_2_3"]));
    },
  );

  it("that was settled once is in doubt no more, though the process that did it died", async () => {
    const stage = await givenLeft();
    const death = { at: "files.append", event: "call.settled", when: "after" } as const;
    const killed = await live(stage, {
      asks: "resume",
      orders: { resolve: "done" },
      death,
      machine: "terminal",
    });
    expect(endOf(killed)).toBe("died");
    const again = await live(stage, { asks: "resume", orders: { resolve: "not-done" } });
    expect(endOf(again)).toBe("refused/no-doubt");
    // The next call of the batch had not begun, so that nobody has to say anything of it.
    const last = await live(stage, { asks: "resume" });
    expect(endOf(last)).toBe("pull-request/opened");
    expect(settledAs(eventsOf(last), "call_2_1")).toMatchObject([{ status: "ok" }]);
    expect(last.ran.slice(0, 3)).toEqual(["setup", "write call_2_2", "write call_2_3"]);
  });
});

describe("the word of a person on a call", () => {
  it("is refused where no call is in doubt, and the session goes on without it", async () => {
    const stage = givenStage();
    await live(stage, { death: { at: "toolbox.run", nth: 3, when: "after" } });
    const refused = await live(stage, { asks: "resume", orders: { resolve: "done" } });
    expect(refused.end).toMatchObject({
      reason: "no-doubt",
      resumable: true,
      detail: "No call of this session is in doubt; resume it without resolve.",
    });
    expect([refused.ran, refused.requests]).toEqual([[], []]);
    expect(stage.leases.leases).toHaveLength(1);
    expect(endOf(await live(stage, { asks: "resume" }))).toBe("pull-request/opened");
  });

  it("is refused where a session begins", async () => {
    const stage = givenStage();
    const refused = await live(stage, { orders: { resolve: "not-done" } });
    expect(endOf(refused)).toBe("refused/no-doubt");
    expect([refused.ran, refused.requests, stage.leases.leases]).toEqual([[], [], []]);
  });
});
