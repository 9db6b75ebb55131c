import { describe, expect, it } from "vitest";
import { memorySessionFiles } from "../../src/adapters/memory/files.ts";
import { maskOf } from "../../src/base/masking.ts";
import { openStory } from "../../src/loop/story.ts";
import { createJournal } from "../../src/session/open-journal.ts";
import { handClock, identity } from "../kit/given.ts";
import { given, lastResults, modelOf, opening, reply, text, use } from "./given-loop.ts";

const tooLongForALine = "x".repeat(20_000);
const paths = ["a", "b", "c", "d"];

describe("results that are recorded at the same time", () => {
  it("all reach the model, though each is read back from a blob that takes its time", async () => {
    const files = memorySessionFiles();
    const { get } = files.blobs;
    const slow = {
      ...files,
      blobs: { ...files.blobs, get: (digest: Parameters<typeof get>[0]) => later(() => get(digest)) },
    };
    const clock = handClock();
    const journal = createJournal(identity(), {
      files: slow,
      clock,
      mask: maskOf([]),
      durability: "process",
    });
    const story = await openStory(journal);
    for (const event of opening) await story.append(event);
    const calls = paths.map((path, i) => use(`call_${i}`, "read", { path }));
    const session = await given({
      model: modelOf([reply(calls), reply([text("Done")])]),
      tools: () => [
        {
          name: "read",
          class: "read",
          required: ["path"],
          run: async ({ path }) => `${path} ${tooLongForALine}`,
        },
      ],
      parts: { journal: story },
    });
    expect(await session.run()).toMatchObject({ kind: "finished" });
    expect(lastResults(session.requests)).toEqual(
      paths.map((path, i) =>
        expect.objectContaining({ tool_use_id: `call_${i}`, content: `${path} ${tooLongForALine}` }),
      ),
    );
  });
});

async function later<T>(work: () => Promise<T>): Promise<T> {
  await new Promise((resolve) => setImmediate(resolve));
  return work();
}
