import { describe, expect, it } from "vitest";
import { messagesOf } from "../../src/loop/context.ts";
import { acceptInput } from "../../src/loop/input.ts";
import type { ModelRequest } from "../../src/loop/model.ts";
import { failure, given, modelOf, opening, outline, reply, text, use } from "./given-loop.ts";

const unread = failure({ verdict: "unread-image", status: 400, reason: "the image cannot be read" });
const done = reply([text("Done")]);
const image = (name: string) => ({ mediaType: "image/png", data: btoa(name) });
const standIn = text("[an image is left out here (the model's provider could not read it)]");

/** A session that was told "See." with these images, after those that it has an answer to. */
async function givenImages(
  names: readonly string[],
  replies: Parameters<typeof modelOf>[0],
  seen: readonly string[] = [],
) {
  const left: number[] = [];
  const model = modelOf([...(seen.length === 0 ? [] : [reply([text("Seen")])]), ...replies]);
  const session = await given({ model, parts: { leftOut: (images) => void left.push(images) } });
  const say = (id: string, images: readonly string[]) =>
    acceptInput(session.story, { id, by: "octo", text: `See ${id}.`, images: images.map(image) });
  if (seen.length > 0) {
    await say("comment:2", seen);
    await session.run();
  }
  await say("comment:3", names);
  return { ...session, left };
}

function shownIn(request: ModelRequest | undefined): readonly string[] {
  const blocks = request?.messages.flatMap(({ content }) => content) ?? [];
  return blocks.flatMap(({ type, source }) =>
    type === "image" ? [atob((source as { readonly data: string }).data)] : [],
  );
}

describe("images that the provider cannot read", () => {
  it("are left out with words in their place, and the session goes on without them", async () => {
    const session = await givenImages(["a", "b"], [unread, done]);
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(session.requests.map(shownIn)).toEqual([["a", "b"], []]);
    expect(session.requests[1]?.messages.at(-1)?.content.slice(-3)).toEqual([
      text("See comment:3."),
      standIn,
      standIn,
    ]);
    expect(session.left).toEqual([2]);
    expect(outline(session.events)).toEqual([
      "input.accepted",
      "reply.requested",
      "reply.failed",
      "images.left-out",
      "reply.requested",
      "reply.received",
      "ended done",
    ]);
  });

  it("are those that came since its last reply, since it took the others", async () => {
    const session = await givenImages(["b"], [unread, done], ["a"]);
    await session.run();
    expect(session.requests.slice(1).map(shownIn)).toEqual([["a", "b"], ["a"]]);
  });

  it("are any of them where none came since", async () => {
    const session = await givenImages([], [unread, done], ["a"]);
    await session.run();
    expect(session.requests.slice(1).map(shownIn)).toEqual([["a"], []]);
  });

  it("end the run where there are none that could be left out", async () => {
    const session = await givenImages([], [unread]);
    expect(await session.run()).toMatchObject({ kind: "provider", reason: "the image cannot be read" });
  });

  it("are left out in every request from then on, also of a run that goes on elsewhere", async () => {
    const session = await givenImages(["a"], [unread, done]);
    await session.run();
    const log = (await session.story.recordsFrom(0)).map(({ record }) => record.event);
    const resumed = await given({ resumed: log, files: session.files });
    expect(log.slice(0, opening.length)).toEqual(opening);
    expect(messagesOf(resumed.story.context)).toEqual(messagesOf(session.story.context));
    expect(JSON.stringify(messagesOf(resumed.story.context))).toContain(standIn.text);
  });
});

describe("thinking that the provider does not take back", () => {
  const refused = failure({ verdict: "unfit-thinking", status: 400, reason: "it is not taken back" });
  const thought = [{ type: "thinking", thinking: "Hm." }, use("a", "read", { path: "x" })];
  const isThought = ({ type }: { readonly type: string }) => type === "thinking";
  const thoughtIn = (request: ModelRequest | undefined) =>
    request?.messages.some(({ content }) => content.some(isThought)) ?? false;

  it("is left out of every request from then on, and the session goes on", async () => {
    const session = await given({ model: modelOf([reply(thought), refused, done]) });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(session.requests.map(thoughtIn)).toEqual([false, true, false]);
    const log = (await session.story.recordsFrom(0)).map(({ record }) => record.event);
    const resumed = await given({ resumed: log, files: session.files });
    expect(messagesOf(resumed.story.context)).toEqual(messagesOf(session.story.context));
  });

  it("ends the run where there is none that could be left out", async () => {
    const session = await given({ model: modelOf([refused]) });
    expect(await session.run()).toMatchObject({ kind: "provider", reason: "it is not taken back" });
  });
});
