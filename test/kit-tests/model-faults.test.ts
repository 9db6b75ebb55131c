import { APIError } from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { failWith, type MessageReply, type Reply, say, use } from "../kit/model/script.ts";
import { startModel } from "../kit/model/server.ts";
import { eventsOf } from "../kit/model/stream.ts";
import { ask, clientOf, hello, tools } from "./given-model.ts";

/** The raw events a client sees before the stream ends, and how it ends. */
async function observe(reply: Reply): Promise<{ readonly types: string[]; readonly error?: unknown }> {
  await using model = await startModel({ script: [reply] });
  const types: string[] = [];
  try {
    const stream = await clientOf(model).messages.create({
      model: "m",
      max_tokens: 9,
      messages: hello,
      stream: true,
    });
    for await (const event of stream) types.push(event.type);
    return { types };
  } catch (error) {
    return { types, error };
  }
}

describe("a fault", () => {
  const text = say("Hello there, this is the reply.");

  it("can strike after any number of events", async () => {
    const total = countEvents(text);
    for (let at = 0; at <= total; at++) {
      const { types } = await observe({ ...text, fault: { kind: "eof", at } });
      // The client keeps pings to itself.
      expect(types.length).toBe(at - (at > 1 ? 1 : 0));
    }
  });

  it("is an error event in the stream", async () => {
    const { error } = await observe({ ...text, fault: { kind: "error", at: 4 } });
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: undefined, type: "overloaded_error" });
  });

  it("is a reset of the connection", async () => {
    const { error } = await observe({ ...text, fault: { kind: "reset", at: 4 } });
    expect(String(error)).toContain("terminated");
  });

  it("is a stall that lasts until the client gives up", async () => {
    await using model = await startModel({ script: [{ ...text, fault: { kind: "stall", at: 3 } }] });
    const stream = clientOf(model).messages.stream({ model: "m", max_tokens: 9, messages: hello });
    stream.on("streamEvent", (event) => event.type === "content_block_start" && stream.abort());
    await expect(stream.finalMessage()).rejects.toThrow("aborted");
    expect(model.replied).toEqual([null]);
  });

  it("is a status with headers", async () => {
    await using model = await startModel({
      script: [failWith(429, "rate_limit_error", "slow down", { "retry-after": "7" })],
    });
    const error = await ask(model, hello).catch((e: unknown) => e);
    expect(error).toMatchObject({ status: 429, type: "rate_limit_error" });
    expect(error instanceof APIError && error.headers?.get("retry-after")).toBe("7");
  });

  it("is a 200 that is not a stream", async () => {
    const html = { "content-type": "text/html" };
    expect(await observe({ kind: "http", status: 200, headers: html, body: "<html>" })).toEqual({
      types: [],
    });
  });

  it("is a call cut off by max_tokens", async () => {
    await using model = await startModel({ script: [use("read", { path: "a/long/path" }, { cutAt: 12 })] });
    const stream = clientOf(model).messages.stream({ model: "m", max_tokens: 9, tools, messages: hello });
    const json: string[] = [];
    stream.on("streamEvent", (e) => {
      if (e.type === "content_block_delta" && e.delta.type === "input_json_delta")
        json.push(e.delta.partial_json);
    });
    expect((await stream.finalMessage()).stop_reason).toBe("max_tokens");
    expect(json.join("")).toBe('{"path":"a/l');
  });

  it("is a stream written out by the test", async () => {
    const events = [{ type: "content_block_stop", index: 3 }, { type: "something_new" }];
    expect((await observe({ kind: "events", events })).types).toEqual([
      "content_block_stop",
      "something_new",
    ]);
  });

  it("that the reply cannot have fails the script", async () => {
    await using model = await startModel({ script: [{ ...text, fault: { kind: "eof", at: 99 } }] });
    await expect(ask(model, hello)).rejects.toThrow("after event 99");
    expect(() => model.assertDone()).toThrow("after event 99");
  });

  it("of size cuts the stream between any bytes", async () => {
    await using model = await startModel({
      script: [say("Grüße, 世界 🙂", { writeBytes: 1, deltaChars: 1 })],
    });
    expect((await ask(model, hello)).content).toMatchObject([{ text: "Grüße, 世界 🙂" }]);
  });
});

function countEvents(reply: MessageReply): number {
  const message = { id: "", model: "", stop_reason: "", stop_sequence: null, stop_details: null, usage: {} };
  return [...eventsOf({ ...message, type: "message", role: "assistant", content: reply.content })].length;
}
