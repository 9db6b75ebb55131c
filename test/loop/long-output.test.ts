import { describe, expect, it } from "vitest";
import { failure, given, modelOf, opening, reply, text } from "./given-loop.ts";

const done = reply([text("Done")]);
const tooLong = (outputMax: number) =>
  failure({ verdict: "long-output", status: 400, reason: "too long", outputMax });

describe("a longer reply than the model can give", () => {
  it("is asked for as long as it can be, in every request from then on, also of a run that goes on elsewhere", async () => {
    const cut = reply([text("half a")], { stopReason: "max_tokens" });
    const session = await given({ model: modelOf([tooLong(800), cut, done]) });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(session.requests.map(({ maxTokens }) => maxTokens)).toEqual([1000, 800, 800]);
    const log = (await session.story.recordsFrom(0)).map(({ record }) => record.event);
    const claimed = {
      type: "run.claimed",
      gen: 2,
      run: { id: "2", attempt: 1, job: "agent" },
      head: null,
    } as const;
    const said = {
      type: "input.accepted",
      id: "comment:2",
      by: "octo",
      text: { type: "inline", text: "More." },
    } as const;
    const resumed = await given({
      model: modelOf([done]),
      resumed: [...log, claimed, said],
      files: session.files,
    });
    await resumed.run();
    expect(resumed.requests.map(({ maxTokens }) => maxTokens)).toEqual([800]);
    expect(log.slice(0, opening.length)).toEqual(opening);
  });

  it("ends the run where the provider says that of what it can give", async () => {
    const session = await given({ model: modelOf([tooLong(1000)]) });
    expect(await session.run()).toMatchObject({ kind: "provider", reason: "too long" });
  });
});
