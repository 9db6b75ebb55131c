import { describe, expect, it } from "vitest";
import type { Means } from "../../src/app/means.ts";
import { heldClock } from "../kit/held-clock.ts";
import { endOf, live } from "../kit/story/play.ts";
import { eventsOf, givenStage, type Stage, thread } from "../kit/story/stage.ts";
import { type Step, tellsStory } from "../kit/story/tale.ts";

const write = (path: string) => ({ name: "write", input: { path, text: "fixed\n" } });
const steps: readonly Step[] = [
  { calls: [write("a.txt"), write("b.txt")] },
  { text: "Fix a and b" },
  { calls: [write("c.txt")] },
  { text: "Fix a, b and c" },
];

/** Somebody writes on the thread while the checks of a round run, the first one unless another is named. */
function writesMeanwhile(stage: Stage, body: string, round = 1) {
  let written = false;
  let rounds = 0;
  const clock = heldClock();
  return ({ rooms }: Means): Partial<Means> => ({
    clock,
    rooms: {
      ...rooms,
      checks: (...given) => {
        rounds += 1;
        const { checkout } = rooms.checks(...given);
        return {
          checkout: (...asked) => {
            if (!written && rounds === round)
              stage.github.comments.push({ id: 940, thread, author: "octo", body, at: clock.now() });
            written ||= rounds === round;
            return checkout(...asked);
          },
        };
      },
    },
  });
}

describe("what is said while the checks run", () => {
  it.each(["@baton and c as well", "c is wrong, too"])(
    "is worked on before anything is published: %s",
    async (says) => {
      const stage = givenStage();
      const life = await live(stage, { model: tellsStory(steps), over: writesMeanwhile(stage, says) });
      expect(endOf(life)).toBe("pull-request/opened");
      expect(life.requests).toHaveLength(4);
      const types = eventsOf(life).map((event) => (event.type === "input.accepted" ? event.id : event.type));
      const passed = types.flatMap((type, at) => (type === "gate.passed" ? [at] : []));
      expect(types.indexOf("comment:940")).toBeGreaterThan(passed[0] ?? Number.NaN);
      expect(passed).toHaveLength(2);
      expect(stage.github.pulls).toHaveLength(1);
    },
  );

  it("is worked on where these were the last checks, and red", async () => {
    const stage = givenStage();
    const half: readonly Step[] = [
      { calls: [write("a.txt")] },
      ...Array<Step>(3).fill({ text: "It is done." }),
      { calls: [write("b.txt")] },
      { text: "Fix a and b" },
    ];
    const over = writesMeanwhile(stage, "@baton look at b.txt", 3);
    const life = await live(stage, { model: tellsStory(half), over });
    expect(endOf(life)).toBe("pull-request/opened");
  });

  it("waits for a job of its own where the budget is used up, and what passed is published", async () => {
    const stage = givenStage();
    const orders = { budget: { minutes: 100_000, turns: 2 } };
    const over = writesMeanwhile(stage, "@baton and c as well");
    const life = await live(stage, { model: tellsStory(steps), orders, over });
    expect(endOf(life)).toBe("pull-request/opened");
    expect(life.requests).toHaveLength(2);
    expect(JSON.stringify(eventsOf(life))).not.toContain("comment:940");
  });
});
