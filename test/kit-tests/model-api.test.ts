import type Anthropic from "@anthropic-ai/sdk";
import { APIError } from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { say, use } from "../kit/model/script.ts";
import { startModel } from "../kit/model/server.ts";
import { redact, signThinking } from "../kit/model/signing.ts";
import { ask, hello, type Messages, type Params, result, tools } from "./given-model.ts";

const mark = { type: "ephemeral" } as const;

async function refusalOf(messages: Messages, params: Params = {}): Promise<string> {
  await using model = await startModel();
  const error = await ask(model, messages, params).catch((e: unknown) => e);
  if (!(error instanceof APIError)) throw new Error("the request was not refused", { cause: error });
  expect(error.status).toBe(400);
  expect(() => model.assertDone()).toThrow("was refused");
  return error.message;
}

function call(id: string): Anthropic.ToolUseBlockParam {
  return { type: "tool_use", id, name: "read", input: {} };
}

function picture(mediaType: string, data: string): Anthropic.MessageParam {
  const source = { type: "base64", media_type: mediaType as "image/png", data } as const;
  return { role: "user", content: [{ type: "image", source }] };
}

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
      "thinking that nothing follows",
      [
        ...hello,
        {
          role: "assistant",
          content: [{ type: "thinking", thinking: "Hm.", signature: signThinking("Hm.") }],
        },
        ...hello,
      ],
      "messages.1: The final block in an assistant message cannot be `thinking`.",
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
    [
      "a picture that is not of the type it says",
      [picture("image/png", Buffer.from("GIF89a--").toString("base64"))],
      "Image does not match the provided media type image/png",
    ],
    ["a picture of another type", [picture("image/svg+xml", "PHN2Zz4=")], "Input should be 'image/jpeg'"],
    ["a picture that is no base64", [picture("image/gif", "R0lGODlh***")], "invalid base64 data"],
    [
      "a picture over 5 MB of base64",
      [
        picture(
          "image/gif",
          Buffer.concat([Buffer.from("GIF89a"), Buffer.alloc(3_932_160)]).toString("base64"),
        ),
      ],
      "image exceeds 5 MB maximum: 5242888 bytes > 5242880 bytes",
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
    const system = [{ type: "text", text: "long ".repeat(4000), cache_control: mark }] as const;
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
