import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../src/session/event.ts";
import type { Death } from "../kit/story/mortal.ts";
import { endOf, live } from "../kit/story/play.ts";
import { endJob, eventsOf, givenStage, type Stage } from "../kit/story/stage.ts";
import { givenLeft, rewrite } from "./given-refusal.ts";

const diesAfterTurn: Death = { at: "files.append", event: "turn.ended", nth: 2, when: "after" };
const twoTurns = { budget: { minutes: 100_000, turns: 2 } };
const holdersOf = ({ leases }: Stage) => leases.leases.map(({ gen, run }) => `${gen} ${run.id}`);

/** Its job counts as running again. */
function revive({ leases }: Stage): void {
  leases.ended.length = 0;
}

describe("the lease of a session", () => {
  it("stays with a resumed run that suspends, so that the next one finds what it stored", async () => {
    const stage = givenStage();
    await live(stage, { death: { at: "files.append", event: "turn.ended", when: "after" } });
    expect(endOf(await live(stage, { asks: "resume", orders: twoTurns }))).toBe("suspended/turns");
    expect(holdersOf(stage)).toEqual(["1 101", "2 102"]);
    expect(endOf(await live(stage, { asks: "resume" }))).toBe("pull-request/opened");
    expect(holdersOf(stage)).toEqual([]);
  });

  it("keeps a session busy whose run works and has stored nothing yet", async () => {
    const stage = givenStage();
    expect(endOf(await live(stage, { death: { at: "shelf.put", when: "before" }, machine: "lost" }))).toBe(
      "died",
    );
    revive(stage);
    const refused = await live(stage, { asks: "resume" });
    expect(endOf(refused)).toBe("refused/busy");
    expect(refused.end).toMatchObject({ resumable: true, detail: expect.stringContaining("Run 101") });
    expect(holdersOf(stage)).toEqual(["1 101"]);
  });

  it("leaves the end of a session to its own run while that works", async () => {
    const stage = givenStage();
    await live(stage, { death: { at: "files.append", event: "session.ended", when: "after" } });
    revive(stage);
    const said = stage.github.comments.map(({ body }) => body);
    const early = await live(stage, { asks: "resume" });
    expect([endOf(early), early.made]).toEqual(["refused/ended", ["comment"]]);
    expect(stage.github.comments.slice(0, said.length).map(({ body }) => body)).toEqual(said);
    expect(holdersOf(stage)).toEqual(["1 101"]);
    // Once its job is over, whoever comes finishes what it could not.
    stage.leases.ended.push({ id: "101", attempt: 1, job: "agent" });
    const late = await live(stage, { asks: "resume" });
    expect([endOf(late), late.made]).toEqual(["refused/ended", ["edit", "comment"]]);
    expect(holdersOf(stage)).toEqual([]);
  });

  it("is given back by a command that is delivered again while the run before still stores", async () => {
    const stage = givenStage();
    const first = await live(stage, { death: { at: "shelf.put", when: "before" }, machine: "lost" });
    const again = await live(stage, {
      over: ({ leases }) => ({
        leases: {
          ...leases,
          claim: async (...given) => {
            // Its post step was slower than the look of the second run.
            await endJob(stage, first, "terminal");
            return leases.claim(...given);
          },
        },
      }),
    });
    expect(endOf(again)).toBe("refused/lost-race");
    expect([again.ran, again.requests, again.isOpen()]).toEqual([[], [], false]);
    expect(holdersOf(stage)).toEqual(["1 101"]);
    expect(endOf(await live(stage, { asks: "resume" }))).toBe("pull-request/opened");
  });
});

describe("a resumed run", () => {
  const told = async (death: Death): Promise<string> => {
    const stage = givenStage();
    await live(stage, { death });
    const { requests } = await live(stage, { asks: "resume" });
    const blocks = requests[0]?.messages.flatMap(({ content }) => content) ?? [];
    return (
      blocks.map((block) => String(block["text"])).find((text) => text.startsWith("The work goes on")) ?? ""
    );
  };
  const undone = "That call was undone.";
  const doneAgain = "What was under way then is done again.";

  it.each<[string, Death, readonly string[]]>([
    ["that its interrupted call was undone", { at: "toolbox.run", nth: 3, when: "after" }, [undone]],
    [
      "that what was under way is done again",
      { at: "files.append", event: "reply.requested", nth: 2, when: "after" },
      [doneAgain],
    ],
    ["neither where nothing was open", diesAfterTurn, []],
  ])("tells the model %s", async (_title, death, says) => {
    const text = await told(death);
    expect(text).toContain("The work goes on in a new run on a new machine, asked for by octo.");

    expect([undone, doneAgain].filter((one) => text.includes(one))).toEqual(says);
  });

  it("abandons what was approved for a run that died", async () => {
    const stage = await givenLeft();
    const approval: readonly SessionEvent[] = [
      {
        ...{ type: "approval.requested", id: "call_9_1", tool: "write" },
        ...{ arguments: { type: "inline", text: "{}" }, why: "it reaches out" },
      },
      { type: "approval.granted", id: "call_9_1", by: "octo" },
    ];
    rewrite(stage, (events) => [...events, ...approval]);
    const resumed = await live(stage, { asks: "resume", orders: { resolve: "not-done" } });
    expect(endOf(resumed)).toBe("pull-request/opened");
    const abandoned = eventsOf(resumed).filter(({ type }) => type === "approval.abandoned");
    expect(abandoned).toEqual([{ type: "approval.abandoned", id: "call_9_1" }]);
  });
});
