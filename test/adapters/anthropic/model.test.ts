import { describe, expect, it } from "vitest";
import { anthropicModel } from "../../../src/adapters/anthropic/model.ts";
import type { Clock } from "../../../src/base/clock.ts";
import type { ModelRequest } from "../../../src/loop/model.ts";
import { ask, given, hello, modelContract } from "../../contracts/model.ts";
import { calls, failWith, type Reply, type Step, say, use } from "../../kit/model/script.ts";
import { parseScript } from "../../kit/model/script-file.ts";
import { startModel } from "../../kit/model/server.ts";
import { eventsOf } from "../../kit/model/stream.ts";
import { stoppedClock } from "./clocks.ts";

const key = "sk-ant-api03-CANARY-0123456789";
const patience = { firstByteMs: 120, idleMs: 90, noProgressMs: 600 };

async function start(script: readonly Step[], clock: Clock = stoppedClock()) {
  const server = await startModel({ script, key });
  const model = anthropicModel({ apiKey: key, baseUrl: server.url, clock, patience });
  return { server, model, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

describe("the Anthropic model", () => {
  modelContract(async (script) => start(parseScript(JSON.stringify(script), "contract")));

  it("sends the key, the version and nothing that the environment put in", async () => {
    process.env["ANTHROPIC_CUSTOM_HEADERS"] = "x-injected: yes";
    try {
      await using made = await start([say("hi")]);
      given((await ask(made.model)).reply);
      const headers = made.server.requests[0]?.headers ?? {};
      expect(headers["x-injected"]).toBeUndefined();
      expect(headers["anthropic-version"]).toMatch(/^\d{4}-\d\d-\d\d$/);
    } finally {
      delete process.env["ANTHROPIC_CUSTOM_HEADERS"];
    }
  });

  it("marks the last tool, the system prompt and the last two messages of the user, and reads them from the cache", async () => {
    await using made = await start([
      use("read", {}, { id: "a", thinking: "Hm." }),
      use("read", {}, { id: "b" }),
      say("Done"),
    ]);
    // Long enough for any model to keep it.
    const system = "Work well. ".repeat(1600);
    let messages: ModelRequest["messages"] = hello.messages;
    const usages = [];
    for (const id of ["a", "b", "c"]) {
      const reply = given((await ask(made.model, { ...hello, system, messages })).reply);
      usages.push(reply.usage);
      messages = [
        ...messages,
        { role: "assistant", content: reply.content },
        { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] },
      ];
    }
    expect(made.server.requests.map((request) => request.extendsPrevious)).toEqual([true, true, true]);
    expect(usages.map(({ input }) => input)).toEqual([0, 0, 0]);
    expect(usages[1]?.cacheRead).toBe(usages[0]?.cacheWrite);
    expect(usages[2]?.cacheRead).toBe((usages[1]?.cacheRead ?? 0) + (usages[1]?.cacheWrite ?? 0));
    made.server.assertDone();
  });

  it("gives signed blocks back byte for byte, so that the provider takes them (F24)", async () => {
    await using made = await start([use("read", {}, { id: "a", thinking: "Ünïcode — ✓" }), say("Done")]);
    const { content } = given((await ask(made.model)).reply);
    const messages = [
      ...hello.messages,
      { role: "assistant", content: JSON.parse(JSON.stringify(content)) },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "ok" }] },
    ] as ModelRequest["messages"];
    given((await ask(made.model, { ...hello, messages })).reply);
    made.server.assertDone();
  });

  it("names calls whose arguments were cut or are not one JSON object", async () => {
    const broken = (id: string, json: string) =>
      ({ type: "tool_use", id, name: "read", input: {}, json }) as const;
    const content = [
      broken("a", '{"path":"x'),
      broken("b", "[1]"),
      broken("c", '{"path":"x"} '),
      broken("d", "{'a':1}"),
    ];
    await using made = await start([{ kind: "message", content, stopReason: "tool_use" }]);
    const reply = given((await ask(made.model)).reply);
    expect(reply.brokenCalls).toEqual(["a", "b", "d"]);
    expect(reply.content.map((block) => block["input"])).toEqual([{}, {}, { path: "x" }, {}]);
  });

  it("reads a stream the same, wherever its bytes are split", async () => {
    const reply = calls([{ name: "read", input: { path: "ä€😀" }, id: "a" }], {
      text: "Grüße 😀",
      thinking: "ß",
    });
    await using made = await start([
      reply,
      { ...reply, writeBytes: 1, deltaChars: 1 },
      { ...reply, writeBytes: 7 },
    ]);
    const replies = [];
    for (let i = 0; i < 3; i += 1) replies.push(given((await ask(made.model)).reply).content);
    expect(replies[1]).toEqual(replies[0]);
    expect(replies[2]).toEqual(replies[0]);
  });

  it("counts pessimistically what the provider does not count", async () => {
    await using made = await start([
      say("hi", { usage: { input_tokens: undefined, output_tokens: undefined } }),
    ]);
    const { usage } = given((await ask(made.model)).reply);
    expect(usage.input).toBeGreaterThan(JSON.stringify(hello.messages).length / 2);
    expect(usage.output).toBeGreaterThan(0);
  });

  it("can be cancelled in the middle of a reply", async () => {
    const abort = new AbortController();
    const hold = { at: 4, until: new Promise(() => {}), onReached: () => abort.abort() };
    await using made = await start([say("a longer text that comes in parts", { hold })]);
    const { reply } = await ask(made.model, hello, abort.signal);
    expect(reply).toMatchObject({ kind: "failed", verdict: "cancelled" });
  });
});

describe("a reply that is not whole", () => {
  const whole = use("read", { path: "a" }, { id: "a", text: "I look.", thinking: "Hm." });
  const count = [
    ...eventsOf({
      ...(whole as object),
      id: "m",
      type: "message",
      role: "assistant",
      model: "m",
      content: whole.content,
      stop_reason: "tool_use",
      stop_sequence: null,
      stop_details: null,
      usage: {},
    } as never),
  ].length;

  it.each(["error", "reset", "eof"] as const)(
    "is dropped and may be tried again: %s after any event",
    async (kind) => {
      const script = Array.from({ length: count }, (_, at) => ({ ...whole, fault: { kind, at } }) as Reply);
      await using made = await start(script);
      for (let at = 0; at < count; at += 1) {
        const { reply } = await ask(made.model);
        expect(reply, `after ${at} events`).toMatchObject({ kind: "failed", verdict: "again" });
      }
    },
  );

  it("tells what the provider worked, once it had begun", async () => {
    const cut = (at: number) => ({ ...whole, fault: { kind: "eof", at } }) as Reply;
    await using made = await start([cut(0), cut(count - 1), cut(1)]);
    const usages = [];
    for (let i = 0; i < 3; i += 1) {
      const { reply } = await ask(made.model);
      usages.push(reply.kind === "failed" ? reply.usage : null);
    }
    const [none, all, begun] = usages;
    expect(none).toBeUndefined();
    expect(begun?.input).toBeGreaterThan(0);
    expect(all?.input).toBe(begun?.input);
    expect(all?.output).toBeGreaterThan(begun?.output ?? Number.NaN);
  });

  it.each([
    [
      "an HTML page",
      { kind: "http", status: 200, headers: { "content-type": "text/html" }, body: "<html>hello</html>" },
    ],
    ["nothing", { kind: "http", status: 200, headers: { "content-type": "text/event-stream" }, body: "" }],
    [
      "an event that is not JSON",
      {
        kind: "http",
        status: 200,
        headers: { "content-type": "text/event-stream" },
        body: "event: message_start\ndata: {oops\n\n",
      },
    ],
    ["JSON that is no stream", { kind: "http", status: 200, body: "{}" }],
  ] as const)("is taken for a failed request: %s with status 200", async (_, reply) => {
    await using made = await start([reply]);
    expect((await ask(made.model)).reply).toMatchObject({ kind: "failed", verdict: "again", status: null });
  });

  it("is given up when no first byte comes in time", async () => {
    const clock = stoppedClock();
    const onReached = () => {
      clock.advance(90);
      setImmediate(() => clock.advance(30));
    };
    await using made = await start(
      [say("hello", { hold: { until: new Promise(() => {}), onReached } })],
      clock,
    );
    const { reply } = await ask(made.model);
    expect(reply).toMatchObject({ kind: "failed", verdict: "again", reason: "no answer in 120 ms" });
    expect(clock.sleeping()).toBe(0);
  });

  it("is given up when it stands still", async () => {
    const clock = stoppedClock();
    const hold = { at: 4, until: new Promise(() => {}) };
    await using made = await start([say("a longer text that comes in parts", { hold })], clock);
    const onLive = () => setImmediate(() => clock.advance(90));
    const reply = await made.model.reply(hello, { signal: new AbortController().signal, onLive });
    expect(reply).toMatchObject({ verdict: "again", reason: "the reply stood still for 90 ms" });
    expect(clock.sleeping()).toBe(0);
  });
});

describe("an error of the provider", () => {
  const error = (status: number, type: string, headers = {}) =>
    failWith(status, type, `echo ${key}`, headers);

  it.each([
    [400, "invalid_request_error", "final"],
    [401, "authentication_error", "final"],
    [402, "billing_error", "final"],
    [403, "permission_error", "final"],
    [404, "not_found_error", "final"],
    [408, "timeout_error", "again"],
    [409, "conflict_error", "again"],
    [413, "request_too_large", "too-large"],
    [422, "invalid_request_error", "final"],
    [429, "rate_limit_error", "again"],
    [500, "api_error", "again"],
    [503, "api_error", "again"],
    [504, "timeout_error", "again"],
    [529, "overloaded_error", "again"],
  ])("%s %s is %s, asked once, and says nothing of what it was sent", async (status, type, verdict) => {
    await using made = await start([error(status, type)]);
    const { reply } = await ask(made.model);
    expect(reply).toMatchObject({ kind: "failed", verdict, status });
    expect(JSON.stringify(reply)).not.toContain("CANARY");
    expect(reply).toMatchObject({ reason: expect.stringContaining(`HTTP ${status}`) });
    expect(made.server.requests.length).toBe(1);
  });

  it("that is a page of a proxy is told by its status", async () => {
    const page = {
      kind: "http",
      status: 502,
      headers: { "content-type": "text/html" },
      body: `<h1>${key}</h1>`,
    } as const;
    await using made = await start([page]);
    const { reply } = await ask(made.model);
    expect(reply).toMatchObject({
      verdict: "again",
      reason: expect.stringMatching(/^the provider failed \(HTTP 502/),
    });
    expect(JSON.stringify(reply)).not.toContain("CANARY");
  });

  it("in the middle of a reply is final where waiting does not help", async () => {
    const fault = { kind: "error", at: 3, type: "invalid_request_error", message: key } as const;
    await using made = await start([say("hello", { fault })]);
    const { reply } = await ask(made.model);
    expect(reply).toMatchObject({ verdict: "final", status: null });
    expect(JSON.stringify(reply)).not.toContain("CANARY");
  });

  it("is a connection that nobody takes", async () => {
    const made = await start([]);
    const { url } = made.server;
    await made[Symbol.asyncDispose]();
    const model = anthropicModel({ apiKey: key, baseUrl: url, clock: stoppedClock() });
    expect((await ask(model)).reply).toMatchObject({ verdict: "again", reason: "the connection failed" });
  });

  it("is what a history of 33 megabytes gets, and it says that this was too large (F5)", async () => {
    await using made = await start([]);
    const content = [{ type: "text", text: "x".repeat(33_000_000) }];
    const { reply } = await ask(made.model, { ...hello, messages: [{ role: "user", content }] });
    expect(reply).toMatchObject({ kind: "failed", verdict: "too-large", status: 413 });
  });

  it("is a redirect, which is not followed", async () => {
    await using made = await start([
      { kind: "http", status: 307, headers: { location: "http://127.0.0.1:9/" } },
    ]);
    expect((await ask(made.model)).reply).toMatchObject({ kind: "failed", verdict: "again" });
  });
});
