import { expect, it } from "vitest";
import type { Live } from "../../src/loop/live.ts";
import type { Model, ModelRequest, Reply } from "../../src/loop/model.ts";

/** One reply as a script file has it. */
export type Scripted = {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly { readonly name: string; readonly input: object; readonly id?: string }[];
  readonly stop_reason?: string;
};

export const hello: ModelRequest = {
  model: "claude-test",
  system: "You are an agent.",
  tools: [{ name: "read", description: "Reads.", inputSchema: { type: "object" } }],
  messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
  maxTokens: 1000,
};

export async function ask(model: Model, request = hello, signal = new AbortController().signal) {
  const lives: Live[] = [];
  const reply = await model.reply(request, { signal, onLive: (live) => lives.push(live) });
  return { reply, lives };
}

export function given(reply: Reply): Extract<Reply, { kind: "reply" }> {
  if (reply.kind === "failed") throw new Error(`the request failed: ${reply.reason}`);
  return reply;
}

/** What every adapter of the port `Model` has to do; `make` gives one whose next replies are these. */
export function modelContract(
  make: (script: readonly Scripted[]) => Promise<AsyncDisposable & { readonly model: Model }>,
): void {
  it("gives the blocks of a reply in order, and why it stopped", async () => {
    await using made = await make([
      {
        thinking: "Hm.",
        text: "I look.",
        calls: [
          { name: "read", input: { path: "a" } },
          { name: "read", input: {} },
        ],
      },
    ]);
    const reply = given((await ask(made.model)).reply);
    expect(reply.content).toMatchObject([
      { type: "thinking", thinking: "Hm." },
      { type: "text", text: "I look." },
      { type: "tool_use", name: "read", input: { path: "a" } },
      { type: "tool_use", name: "read", input: {} },
    ]);
    expect([reply.stopReason, reply.brokenCalls]).toEqual(["tool_use", []]);
  });

  it("gives every call an id of its own", async () => {
    const twice = {
      calls: [
        { name: "read", input: {} },
        { name: "read", input: {} },
      ],
    };
    await using made = await make([twice]);
    const ids = given((await ask(made.model)).reply).content.map((block) => block["id"]);
    expect(new Set(ids).size).toBe(2);
  });

  it("passes the stop reason on as it is", async () => {
    await using made = await make([{ text: "half", stop_reason: "max_tokens" }]);
    expect(given((await ask(made.model)).reply).stopReason).toBe("max_tokens");
  });

  it("gives an empty reply as one without blocks", async () => {
    await using made = await make([{ text: "" }]);
    expect(given((await ask(made.model)).reply)).toMatchObject({ content: [], stopReason: "end_turn" });
  });

  it("shows the text as it comes, and counts tokens", async () => {
    await using made = await make([{ text: "Grüße, and a longer sentence in several parts." }]);
    const { reply, lives } = await ask(made.model);
    const shown = lives.map((live) => (live.kind === "text.delta" ? live.text : "")).join("");
    expect(shown).toBe("Grüße, and a longer sentence in several parts.");
    expect(given(reply).usage.output).toBeGreaterThan(0);
  });

  it("goes on to the next reply once the one before is in the request", async () => {
    await using made = await make([{ text: "one" }, { text: "two" }]);
    const first = given((await ask(made.model)).reply);
    const messages = [
      ...hello.messages,
      { role: "assistant", content: first.content } as const,
      { role: "user", content: [{ type: "text", text: "more" }] } as const,
    ];
    expect(given((await ask(made.model, { ...hello, messages })).reply).content).toMatchObject([
      { text: "two" },
    ]);
  });

  it("makes no request with a signal that is aborted already", async () => {
    await using made = await make([{ text: "one" }]);
    const { reply } = await ask(made.model, hello, AbortSignal.abort());
    expect(reply).toMatchObject({ kind: "failed", verdict: "cancelled" });
    expect(given((await ask(made.model)).reply).content).toMatchObject([{ text: "one" }]);
  });
}
