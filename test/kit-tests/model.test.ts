import Anthropic, { APIError } from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { calls, failWith, type MessageReply, type Reply, say, use } from "../kit/model/script.ts";
import { parseScript } from "../kit/model/script-file.ts";
import { type ModelOptions, type ScriptedModel, startModel } from "../kit/model/server.ts";
import { redact } from "../kit/model/signing.ts";
import { eventsOf } from "../kit/model/stream.ts";

type Messages = Anthropic.MessageParam[];
type Params = Partial<Anthropic.MessageCreateParamsNonStreaming> & Record<string, unknown>;

const tools: Anthropic.Tool[] = [{ name: "read", input_schema: { type: "object" } }];
const hello: Messages = [{ role: "user", content: "hello" }];
const mark = { type: "ephemeral" } as const;

function clientOf(model: ScriptedModel): Anthropic {
  return new Anthropic({ apiKey: "sk-test", baseURL: model.url, maxRetries: 0 });
}

/** Asks with `messages.stream()` as the product does. */
function ask(model: ScriptedModel, messages: Messages, params: Params = {}): Promise<Anthropic.Message> {
  const stream = clientOf(model).messages.stream({ model: "m", max_tokens: 100, tools, ...params, messages });
  return stream.finalMessage();
}

async function refusalOf(messages: Messages, params: Params = {}): Promise<string> {
  await using model = await startModel();
  const error = await ask(model, messages, params).catch((e: unknown) => e);
  if (!(error instanceof APIError)) throw new Error("the request was not refused", { cause: error });
  expect(error.status).toBe(400);
  expect(() => model.assertDone()).toThrow("was refused");
  return error.message;
}

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

function result(id: string): Anthropic.ToolResultBlockParam {
  return { type: "tool_result", tool_use_id: id, content: "ok" };
}

function call(id: string): Anthropic.ToolUseBlockParam {
  return { type: "tool_use", id, name: "read", input: {} };
}

describe("a script", () => {
  it("answers the real client with text, thinking and calls in order", async () => {
    const script = [
      use("read", { path: "ä.js" }, { text: "Looking.", thinking: "Where is it?" }),
      say("Done."),
    ];
    await using model = await startModel({ script });
    const first = await ask(model, hello);
    expect(first.stop_reason).toBe("tool_use");
    expect(first.content.map((block) => block.type)).toEqual(["thinking", "text", "tool_use"]);
    expect(first.content[2]).toMatchObject({ name: "read", input: { path: "ä.js" } });
    const id = first.content[2]?.type === "tool_use" ? first.content[2].id : "";
    const second = await ask(model, [
      ...hello,
      { role: "assistant", content: first.content },
      { role: "user", content: [result(id)] },
    ]);
    expect(second).toMatchObject({ stop_reason: "end_turn", content: [{ type: "text", text: "Done." }] });
    model.assertDone();
  });

  it("may be a function of the request", async () => {
    await using model = await startModel({ script: [(body, i) => say(`${body.messages.length} ${i}`)] });
    expect((await ask(model, hello)).content).toMatchObject([{ text: "1 0" }]);
  });

  it("that is too short refuses the request and fails", async () => {
    await using model = await startModel({ script: [] });
    await expect(ask(model, hello)).rejects.toThrow("the script has no reply for request 0");
    expect(() => model.assertDone()).toThrow("the script has no reply for request 0");
  });

  it("that is too long fails", async () => {
    await using model = await startModel({ script: [say("a"), say("b")] });
    await ask(model, hello);
    expect(model.remaining()).toBe(1);
    expect(() => model.assertDone()).toThrow("1 unread of 2 replies");
  });

  it("gives every call its own id, and keeps the ids it names", async () => {
    const two = calls([
      { name: "read", input: {} },
      { name: "read", input: {}, id: "toolu_mine" },
    ]);
    await using model = await startModel({ script: [two, two] });
    const ids = [await ask(model, hello), await ask(model, hello)].flatMap((message) =>
      message.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])),
    );
    expect(new Set(ids).size).toBe(3);
    expect(ids[1]).toBe("toolu_mine");
  });

  it("holds a reply until the test lets it go", async () => {
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    const { promise: reached, resolve: onReached } = Promise.withResolvers<void>();
    await using model = await startModel({ script: [say("late", { hold: { until, at: 2, onReached } })] });
    const reply = ask(model, hello);
    await reached;
    expect(model.replied).toEqual([null]);
    release();
    expect((await reply).content).toMatchObject([{ text: "late" }]);
    expect(model.replied[0]).toBeGreaterThan(model.requests[0]?.at ?? Number.NaN);
  });

  it("tells the test of each request before it is answered", async () => {
    const seen: number[] = [];
    const options: ModelOptions = { script: [say("a")], onRequest: (_, index) => void seen.push(index) };
    await using model = await startModel(options);
    await ask(model, hello);
    expect(seen).toEqual([0]);
  });
});

describe("the rules of the API", () => {
  it("want credentials, the right key and a version", async () => {
    await using model = await startModel({ key: "sk-right" });
    const post = async (headers: Record<string, string>) => {
      const response = await fetch(`${model.url}/v1/messages`, { method: "POST", headers, body: "{}" });
      return `${response.status} ${((await response.json()) as { error: { message: string } }).error.message}`;
    };
    expect(await post({})).toBe("401 x-api-key header is required");
    expect(await post({ "x-api-key": "sk-wrong" })).toBe("401 invalid x-api-key");
    expect(await post({ authorization: "Bearer sk-wrong" })).toBe("401 Invalid bearer token");
    expect(await post({ "x-api-key": "sk-right" })).toBe("400 anthropic-version: header is required");
  });

  it.each<[string, Params, string]>([
    ["without max_tokens", { max_tokens: undefined as never }, "max_tokens: Field required"],
    ["with temperature", { temperature: 0 }, "temperature: Extra inputs are not permitted"],
    ["with top_p", { top_p: 1 }, "top_p: Extra inputs are not permitted"],
    ["with top_k", { top_k: 1 }, "top_k: Extra inputs are not permitted"],
    ["with two tools of one name", { tools: [...tools, ...tools] }, "Tool names must be unique"],
    [
      "with an empty system text",
      { system: [{ type: "text", text: "" }] },
      "system: text content blocks must be",
    ],
  ])("refuse a request %s", async (_, params, message) => {
    expect(await refusalOf(hello, params)).toContain(message);
  });

  it("refuse more than 4 cache marks", async () => {
    const system = Array.from(
      { length: 4 },
      () => ({ type: "text", text: "a", cache_control: mark }) as const,
    );
    const marked: Messages = [{ role: "user", content: [{ type: "text", text: "b", cache_control: mark }] }];
    expect(await refusalOf(marked, { system })).toContain(
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    );
  });

  it.each<[string, Messages, string]>([
    ["no message", [], "at least one message is required"],
    [
      "a first message that is not the user's",
      [{ role: "assistant", content: "a" }],
      "must use the user role",
    ],
    [
      "a prefilled reply",
      [...hello, { role: "assistant", content: "I" }],
      "does not support assistant message prefill",
    ],
    ["an empty text", [{ role: "user", content: [{ type: "text", text: "" }] }], "must be non-empty"],
    ["a blank text", [{ role: "user", content: " \n" }], "must contain non-whitespace text"],
    ["an empty content", [{ role: "user", content: [] }], "all messages must have non-empty content"],
    [
      "a tool_use without its tool_result",
      [
        ...hello,
        { role: "assistant", content: [call("a"), call("b")] },
        { role: "user", content: [result("a")] },
      ],
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b.",
    ],
    [
      "a tool_result without its tool_use",
      [{ role: "user", content: [result("a")] }],
      "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a.",
    ],
    [
      "a tool_result after a text",
      [
        ...hello,
        { role: "assistant", content: [call("a")] },
        { role: "user", content: [{ type: "text", text: "so" }, result("a")] },
      ],
      "without `tool_result` blocks immediately after: a.",
    ],
    [
      "two results of one call",
      [
        ...hello,
        { role: "assistant", content: [call("a")] },
        { role: "user", content: [result("a"), result("a")] },
      ],
      "Found multiple `tool_result` blocks with id: a",
    ],
    [
      "one id for two calls",
      [
        ...hello,
        { role: "assistant", content: [call("a")] },
        { role: "user", content: [result("a")] },
        { role: "assistant", content: [call("a")] },
        { role: "user", content: [result("a")] },
      ],
      "messages.3.content.0: `tool_use` ids must be unique",
    ],
    [
      "an error result without content",
      [
        ...hello,
        { role: "assistant", content: [call("a")] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "", is_error: true }] },
      ],
      "content cannot be empty if `is_error` is true",
    ],
  ])("refuse %s", async (_, messages, message) => {
    expect(await refusalOf(messages)).toContain(message);
  });

  it("take thinking back unchanged, from this server or another one", async () => {
    await using first = await startModel({ script: [use("read", {}, { thinking: "Hm.", id: "a" })] });
    const { content } = await ask(first, hello);
    await using second = await startModel({ script: [say("Done.")] });
    await ask(second, [...hello, { role: "assistant", content }, { role: "user", content: [result("a")] }]);
    second.assertDone();
  });

  it("refuse changed thinking, a changed signature and a foreign one", async () => {
    await using model = await startModel({ script: [say("Hi.", {}), use("read", {}, { thinking: "Hm." })] });
    await ask(model, hello);
    const [block] = (await ask(model, hello)).content;
    if (block?.type !== "thinking") throw new Error("no thinking");
    const back = (thinking: Anthropic.ThinkingBlockParam | Anthropic.RedactedThinkingBlockParam) =>
      refusalOf([...hello, { role: "assistant", content: [thinking] }, ...hello]);
    const other = block.signature.replace(/.$/, (c) => (c === "0" ? "1" : "0"));
    expect(await back({ ...block, thinking: "Hm!" })).toContain("cannot be modified");
    expect(await back({ ...block, signature: other })).toContain("cannot be modified");
    expect(await back({ ...block, signature: "mine" })).toContain("Invalid `signature` in `thinking` block");
    const data = `A${redact("secret")}`;
    expect(await back({ type: "redacted_thinking", data })).toContain("cannot be modified");
  });

  it("take a paused reply back as the last message", async () => {
    await using model = await startModel({
      script: [say("Wait.", { stopReason: "pause_turn" }), say("Done.")],
    });
    const { content, stop_reason } = await ask(model, hello);
    expect(stop_reason).toBe("pause_turn");
    await ask(model, [...hello, { role: "assistant", content }]);
    model.assertDone();
  });
});

describe("the prompt cache", () => {
  it("says whether each request only adds to the one before, whatever its marks", async () => {
    await using model = await startModel({ script: [say("a"), say("b"), say("c"), say("d")] });
    const marked: Messages = [
      { role: "user", content: [{ type: "text", text: "hello", cache_control: mark }] },
    ];
    const more: Messages = [
      ...marked,
      { role: "assistant", content: "a" },
      { role: "user", content: "go on" },
    ];
    await ask(model, hello);
    await ask(model, more);
    await ask(model, more);
    await ask(model, [{ role: "user", content: "other" }, ...more.slice(1)]);
    expect(model.requests.map((r) => r.extendsPrevious)).toEqual([true, true, true, false]);
    expect(model.requests.map((r) => r.repeatsPrevious)).toEqual([false, false, true, false]);
  });

  it("is written at the marks and read by a later request with the same prefix", async () => {
    await using model = await startModel({ script: [say("a"), say("b")] });
    const system = [{ type: "text", text: "long ".repeat(100), cache_control: mark }] as const;
    const first = await ask(model, hello, { system: [...system] });
    const second = await ask(model, [...hello, { role: "assistant", content: "a" }, ...hello], {
      system: [...system],
    });
    expect(first.usage.cache_read_input_tokens).toBe(0);
    expect(first.usage.cache_creation_input_tokens).toBeGreaterThan(100);
    expect(second.usage.cache_read_input_tokens).toBe(first.usage.cache_creation_input_tokens);
    expect(second.usage.cache_creation_input_tokens).toBe(0);
  });
});

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

describe("a script file", () => {
  it("holds replies with text and calls", () => {
    const text = JSON.stringify([
      { note: "first", thinking: "Hm.", text: "Look.", calls: [{ name: "read", input: { path: "a" } }] },
      { text: "", stop_reason: "refusal" },
    ]);
    expect(parseScript(text, "demo.json")).toEqual([
      use("read", { path: "a" }, { thinking: "Hm.", text: "Look." }),
      say("", { stopReason: "refusal" }),
    ]);
  });

  it.each([
    ["{", "script demo.json: is not JSON"],
    ["{}", "script demo.json: must be an array of replies"],
    ["[{}]", 'script demo.json, entry 1: needs "text" or "calls"'],
    ['[{"text":"a"},{"txt":"b"}]', 'script demo.json, entry 2: does not know "txt"'],
    ['[{"text":1}]', 'script demo.json, entry 1: "text" must be a string'],
    [
      '[{"calls":[{"name":"read","input":"a"}]}]',
      'script demo.json, entry 1, call 1: "input" must be an object',
    ],
  ])("that is wrong is refused by file and entry: %s", (text, message) => {
    expect(() => parseScript(text, "demo.json")).toThrow(message);
  });
});

function countEvents(reply: MessageReply): number {
  const message = { id: "", model: "", stop_reason: "", stop_sequence: null, stop_details: null, usage: {} };
  return [...eventsOf({ ...message, type: "message", role: "assistant", content: reply.content })].length;
}
