import { describe, expect, it } from "vitest";
import type { Model } from "../../src/loop/model.ts";
import { endOf, live } from "../kit/story/play.ts";
import { eventsOf, givenStage } from "../kit/story/stage.ts";
import { tellsStory } from "../kit/story/tale.ts";

/** Tells the story, and signs a thought before each reply with its name. */
function thinks(name: string): Model {
  const story = tellsStory();
  return {
    reply: async (request, options) => {
      const reply = await story.reply(request, options);
      if (reply.kind === "failed") return reply;
      const thought = { type: "thinking", thinking: `as ${name}`, signature: name };
      return { ...reply, content: [thought, ...reply.content] };
    },
  };
}

const afterTurn = { at: "files.append", event: "turn.ended", when: "after" } as const;
const another = { model: "another", modelGiven: true };

describe("a session that a person resumes with another model", () => {
  it("goes on with it, is told nothing that the one before signed, and keeps that for later runs", async () => {
    const stage = givenStage();
    await live(stage, { death: afterTurn, model: thinks("scripted") });
    const second = await live(stage, {
      asks: "resume",
      orders: another,
      model: thinks("another"),
      death: { ...afterTurn, nth: 2 },
    });
    expect(endOf(second)).toBe("died");
    const [first, next] = second.requests.map(({ messages }) => JSON.stringify(messages));
    expect(second.requests.map(({ model }) => model)).toEqual(["another", "another"]);
    expect(first).not.toContain("as scripted");
    expect(first).toContain("You are another; what was thought before was another model's, and is left out.");
    expect(next).toContain("as another");
    expect(eventsOf(second)).toContainEqual(
      expect.objectContaining({ type: "run.claimed", model: "another" }),
    );

    const refused = await live(stage, { asks: "resume" });
    expect(endOf(refused)).toBe("refused/other-model");
    expect(refused.end).toMatchObject({ detail: expect.stringContaining("set model: another") });

    const third = await live(stage, { asks: "resume", orders: another, model: thinks("another") });
    expect(endOf(third)).toBe("pull-request/opened");
    const told = JSON.stringify(third.requests[0]?.messages);
    expect([told.includes("as scripted"), told.includes("as another")]).toEqual([false, true]);
    expect(told.match(/You are another/g)).toHaveLength(1);
    // The very bytes that were sent before, and what is new.
    expect(third.requests[0]?.messages.slice(0, 3)).toEqual(second.requests[1]?.messages.slice(0, 3));
  });

  it("goes on as before where the name is the one that it works with", async () => {
    const stage = givenStage();
    await live(stage, { death: afterTurn, model: thinks("scripted") });
    const resumed = await live(stage, {
      asks: "resume",
      orders: { model: "scripted", modelGiven: true },
      model: thinks("scripted"),
    });
    expect(endOf(resumed)).toBe("pull-request/opened");
    expect(JSON.stringify(resumed.requests[0]?.messages)).toContain("as scripted");
  });
});
