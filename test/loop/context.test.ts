import { describe, expect, it } from "vitest";
import { type Context, emptyContext, extend, messagesOf, shownBy, toldBy } from "../../src/loop/context.ts";
import { provePairing } from "../../src/loop/pairing.ts";
import type { Payload, SessionEvent } from "../../src/session/event.ts";
import { inline } from "../kit/given.ts";
import { text, use } from "./given-loop.ts";

const input = (words: string): SessionEvent => ({
  type: "input.accepted",
  id: words,
  by: "octo",
  text: inline(words),
});
const note = (words: string): SessionEvent => ({ type: "note.added", about: "resumed", text: inline(words) });
const received = (content: readonly unknown[], stopReason = "tool_use"): SessionEvent => ({
  type: "reply.received",
  turn: 1,
  content: inline(JSON.stringify(content)),
  stopReason,
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  costUsd: null,
  requestId: null,
});
const intended = (...ids: readonly string[]): SessionEvent => ({
  type: "calls.intended",
  turn: 1,
  calls: ids.map((id) => ({ id, tool: "read", arguments: inline("{}"), class: "read" })),
});
const settled = (
  id: string,
  output: string,
  status: "ok" | "error" | "rolled-back" = "ok",
): SessionEvent => ({
  type: "call.settled",
  id,
  status,
  output: inline(output),
  whole: null,
  tree: null,
  plan: null,
});

const textOf = (payload: Payload | null): string => (payload?.type === "inline" ? payload.text : "");

async function told(...events: readonly SessionEvent[]) {
  return messagesOf(
    events.reduce((context, event) => {
      const images = shownBy(event).map(({ mediaType, data }) => ({ mediaType, data: textOf(data) }));
      return extend(context, event, textOf(toldBy(event)), images);
    }, emptyContext),
  );
}

const result = (id: string, content: string) => ({ type: "tool_result", tool_use_id: id, content });
const failed = (id: string, content: string) => ({ ...result(id, content), is_error: true });
const ask = [text("I look."), use("a", "read", {}), use("b", "read", {})];

describe("the messages", () => {
  it("hold results in the order the model asked, whatever order they came in, and notes behind them", async () => {
    const messages = await told(
      input("go"),
      received(ask),
      intended("a", "b"),
      settled("b", "two"),
      note("by the way"),
      settled("a", "one"),
    );
    expect(messages).toEqual([
      { role: "user", content: [text("go")] },
      { role: "assistant", content: ask },
      { role: "user", content: [result("a", "one"), result("b", "two"), text("by the way")] },
    ]);
  });

  it("mark every result that is not a good one as an error, and give an empty error a text", async () => {
    const messages = await told(
      input("go"),
      received(ask),
      intended("a", "b"),
      settled("a", "", "error"),
      settled("b", ""),
    );
    expect(messages.at(-1)?.content).toEqual([failed("a", "failed without output"), result("b", "")]);
  });

  it("merge inputs and notes that follow each other into one message", async () => {
    expect(await told(input("one"), note("two"), input("three"))).toEqual([
      { role: "user", content: [text("one"), text("two"), text("three")] },
    ]);
  });

  it("show the pictures of an input behind its text, each input's by itself", async () => {
    const shown = [{ mediaType: "image/png", data: inline("iVBORw0K") }];
    const messages = await told({ ...input("see"), images: shown } as SessionEvent, note("by the way"), {
      ...input(" "),
      images: shown,
    } as SessionEvent);
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0K" } };
    expect(messages).toEqual([{ role: "user", content: [text("see"), image, text("by the way"), image] }]);
  });

  it.each([
    ["empty", received([], "end_turn")],
    ["of blank text", received([text(" ")], "end_turn")],
    ["of thinking only", received([{ type: "thinking", thinking: "x", signature: "s" }], "end_turn")],
    ["refused", received([text("I cannot")], "refusal")],
    ["not understood", received([text("x")], "moon")],
  ])("leave out a reply that is %s, and add what comes next to the message before it", async (_, event) => {
    expect(await told(input("go"), event, note("and?"))).toEqual([
      { role: "user", content: [text("go"), text("and?")] },
    ]);
  });

  it("leave out the results of a refused batch with it", async () => {
    const messages = await told(
      input("go"),
      received(ask, "refusal"),
      intended("a", "b"),
      settled("a", "x", "error"),
      settled("b", "x", "error"),
    );
    expect(messages).toEqual([{ role: "user", content: [text("go")] }]);
  });

  it("keep signed blocks as they came, without blank text and without thinking that nothing follows", async () => {
    const signed = { type: "thinking", thinking: "hm", signature: "c2ln", extra: null };
    const messages = await told(input("go"), received([signed, text(""), text("a"), signed], "max_tokens"));
    expect(messages.at(-1)).toEqual({ role: "assistant", content: [signed, text("a")] });
  });

  it("send a paused reply back unchanged, at the end", async () => {
    const signed = { type: "thinking", thinking: "hm", signature: "c2ln" };
    const messages = await told(input("go"), received([text("a"), signed], "pause_turn"));
    expect(messages.at(-1)).toEqual({ role: "assistant", content: [text("a"), signed] });
  });

  const signed = { type: "thinking", thinking: "hm", signature: "c2ln" };

  it("go on with a paused reply in the same message", async () => {
    const messages = await told(
      input("go"),
      received([text("a"), signed], "pause_turn"),
      received([text("b"), use("a", "read", {})]),
      intended("a"),
      settled("a", "1"),
    );
    expect(messages).toEqual([
      { role: "user", content: [text("go")] },
      { role: "assistant", content: [text("a"), signed, text("b"), use("a", "read", {})] },
      { role: "user", content: [result("a", "1")] },
    ]);
  });

  it("leave out the last thinking of a paused reply that is not continued", async () => {
    const messages = await told(
      input("go"),
      received([text("a"), signed], "pause_turn"),
      received([], "end_turn"),
      note("and?"),
      received([text("b")], "end_turn"),
    );
    expect(messages).toEqual([
      { role: "user", content: [text("go")] },
      { role: "assistant", content: [text("a")] },
      { role: "user", content: [text("and?")] },
      { role: "assistant", content: [text("b")] },
    ]);
  });

  it("only ever grow at their end", async () => {
    const events = [
      input("go"),
      received(ask),
      intended("a", "b"),
      settled("a", "1"),
      settled("b", "2"),
      note("n"),
      received([text("x")], "end_turn"),
      input("more"),
      received([], "end_turn"),
      note("nudge"),
    ];
    let context: Context = emptyContext;
    let before: readonly string[] = [];
    for (const event of events) {
      const payload =
        event.type === "reply.received"
          ? event.content
          : "text" in event
            ? event.text
            : "output" in event
              ? event.output
              : null;
      context = extend(context, event, payload?.type === "inline" ? payload.text : "");
      const now = messagesOf(context).flatMap(({ role, content }) =>
        content.map((block) => role + JSON.stringify(block)),
      );
      expect(now.slice(0, before.length)).toEqual(before);
      before = now;
    }
  });
});

describe("the proof before a request", () => {
  const user = (...content: readonly unknown[]) => ({ role: "user", content }) as never;
  const model = (...content: readonly unknown[]) => ({ role: "assistant", content }) as never;
  const call = use("a", "read", {});

  it.each([
    ["no message", [], "it has no message"],
    ["a first message of the model", [model(text("x"))], "message 0 is not the user's"],
    [
      "a last message of the model",
      [user(text("x")), model(text("y"))],
      "it ends with the model's own message",
    ],
    ["an empty message", [user()], "message 0 is empty"],
    [
      "a call without a result",
      [user(text("x")), model(call), user(text("y"))],
      "message 2: call a has no result here",
    ],
    [
      "a result without a call",
      [user(text("x"), result("a", "1"))],
      "message 0: a result stands behind other content",
    ],
    ["a result of another call", [user(result("b", "1"))], "message 0: result b answers no call"],
    [
      "two results of a call",
      [user(text("x")), model(call), user(result("a", "1"), result("a", "2"))],
      "message 2: a call has two results",
    ],
    [
      "an id used twice",
      [user(text("x")), model(call), user(result("a", "1")), model(call), user(result("a", "2"))],
      "message 3: call id a is used twice",
    ],
    [
      "a result behind text",
      [user(text("x")), model(call), user(text("y"), result("a", "1"))],
      "message 2: a result stands behind other content",
    ],
  ])("fails for %s", (_, messages, why) => {
    expect(() => provePairing(messages, { paused: false })).toThrow(`request not sent: ${why}`);
  });

  it("lets a paused reply stand at the end, but not one with an open call", () => {
    expect(() => provePairing([user(text("x")), model(text("y"))], { paused: true })).not.toThrow();
    expect(() => provePairing([user(text("x")), model(call)], { paused: true })).toThrow(
      "call a has no result",
    );
  });
});
