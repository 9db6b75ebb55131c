import { describe, expect, it } from "vitest";
import { maskOf } from "../../src/base/masking.ts";
import { keptOf } from "../../src/loop/facts.ts";
import { openStory } from "../../src/loop/story.ts";
import { createJournal } from "../../src/session/open-journal.ts";
import { handClock, identity } from "../kit/given.ts";
import { endOf, live, type Played } from "../kit/story/play.ts";
import { eventsOf, givenStage } from "../kit/story/stage.ts";

/** What the checkpoints of a life hold for the loop, and what they would if all of its log were folded from the first event. */
async function checkpointsOf({ files, ...life }: Played) {
  const options = { files, clock: handClock(), mask: maskOf([]), durability: "process" } as const;
  const events = eventsOf({ files, ...life });
  const story = await openStory(
    createJournal(identity(), {
      ...options,
      files: { ...files, append: async () => {}, replaceManifest: async () => {} },
    }),
  );
  const kept: unknown[] = [];
  const folded: unknown[] = [];
  for (const event of events) {
    await story.append(event);
    if (event.type !== "turn.ended" || event.checkpoint === null) continue;
    kept.push((JSON.parse(await story.load(event.checkpoint)) as { readonly loop: unknown }).loop);
    folded.push(JSON.parse(JSON.stringify(keptOf(story.facts))));
  }
  return { kept, folded };
}

describe("what a run knows of its own past", () => {
  it("is what a fold of its log from the first event gives, at the end of every turn and after a death", async () => {
    const stage = givenStage();
    const died = await live(stage, {
      death: { at: "files.append", event: "turn.ended", nth: 2, when: "after" },
    });
    const resumed = await live(stage, { asks: "resume" });
    expect(endOf(resumed)).toBe("pull-request/opened");
    for (const life of [died, resumed]) {
      const { kept, folded } = await checkpointsOf(life);
      expect(kept.length).toBeGreaterThan(1);
      expect(kept).toEqual(folded);
    }
  });
});
