import { describe, expect, it } from "vitest";
import { given, lastResults, opening, outline, read, shell, text, toolsOn, write } from "./given-loop.ts";

describe("a run of the loop", () => {
  it("records each step before it acts, and ends when the model asks for nothing more", async () => {
    const session = await given({
      script: [{ text: "Look", calls: [read("a"), write("b")] }, { text: "Done" }],
    });
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(outline(session.events)).toEqual([
      "reply.requested",
      "reply.received",
      "calls.intended",
      "settled call_1_1 ok",
      "settled call_1_2 ok",
      "ended calls",
      "reply.requested",
      "reply.received",
      "ended done",
    ]);
  });

  it("names the tree sealed after each call that may have changed something, and none after a read", async () => {
    const session = await given({ script: [{ calls: [read("a"), write("b")] }, { text: "Done" }] });
    await session.run();
    const trees = session.events.flatMap((event) => (event.type === "call.settled" ? [event.tree] : []));
    expect(trees).toEqual([null, session.story.state.tree]);
    expect(session.disk.sealed).toBe(1);
  });

  it("sends a request only as an extension of the one before", async () => {
    const session = await given({
      script: [{ calls: [read("a")] }, { calls: [write("b")] }, { text: "Done" }],
    });
    await session.run();
    const blocks = session.requests.map(({ messages }) =>
      messages.flatMap(({ role, content }) => content.map((block) => role + JSON.stringify(block))),
    );
    for (const [i, before] of blocks.entries()) {
      expect((blocks[i + 1] ?? before).slice(0, before.length)).toEqual(before);
    }
  });

  it("waits for the claim to be shipped before the first call runs, and only once", async () => {
    const order: string[] = [];
    const session = await given({
      script: [{ calls: [read("a")] }, { calls: [read("b")] }, { text: "Done" }],
      tools: (disk) =>
        toolsOn(disk).map((tool) => ({ ...tool, run: async () => String(order.push("call")) })),
      parts: { shipped: async () => void order.push("shipped") },
    });
    await session.run();
    expect(order).toEqual(["shipped", "call", "call"]);
  });

  it("lets each external call's intent, and the end of the call before it, leave the machine before it runs", async () => {
    const order: string[] = [];
    const session = await given({
      script: [{ calls: [read("a"), shell("one"), shell("two")] }, { text: "Done" }],
      tools: (disk) =>
        toolsOn(disk).map((tool) => ({
          ...tool,
          class: tool.name === "shell" ? "external" : tool.class,
          run: async () => String(order.push(tool.name)),
        })),
      parts: {
        intentShipped: async () => {
          const { calls } = session.story.state.turn;
          order.push(`shipped with ${calls.filter(({ settled }) => settled).length} settled`);
        },
      },
    });
    await session.run();
    expect(order).toEqual(["read", "shipped with 1 settled", "shell", "shipped with 2 settled", "shell"]);
  });

  it("does not begin an external call when it is cancelled while its intent leaves", async () => {
    const ran: string[] = [];
    const session = await given({
      script: [{ calls: [shell("one"), shell("two")] }],
      tools: (disk) =>
        toolsOn(disk).map((tool) => ({
          ...tool,
          class: tool.name === "shell" ? "external" : tool.class,
          run: async () => String(ran.push(tool.name)),
        })),
      parts: {
        intentShipped: async () => {
          session.abort.abort();
        },
      },
    });
    expect(await session.run()).toEqual({ kind: "cancelled" });
    expect(ran).toEqual([]);
    expect(session.story.state.turn.calls.filter(({ settled }) => !settled)).toEqual([]);
  });

  it("runs reads that stand together at the same time, at most six, and everything else alone", async () => {
    let running = 0;
    const most: number[] = [];
    const session = await given({
      script: [
        { calls: [...Array(8).keys()].map((i) => read(`${i}`)).concat(write("x") as never) },
        { text: "Done" },
      ],
      tools: (disk) =>
        toolsOn(disk).map((tool) => ({
          ...tool,
          run: async (input, options) => {
            running += 1;
            most.push(running);
            await new Promise((resolve) => setImmediate(resolve));
            running -= 1;
            return tool.run(input, options);
          },
        })),
    });
    await session.run();
    expect(Math.max(...most)).toBe(6);
    expect(most.at(-1)).toBe(1);
  });

  it("gives the whole of an earlier output to a read that names its call", async () => {
    const session = await given({
      script: [
        { calls: [shell("ls")] },
        { calls: [read("output:call_1_1"), read("output:nobody")] },
        { text: "Done" },
      ],
    });
    await session.run();
    expect(lastResults(session.requests)).toMatchObject([
      { content: "all of ls" },
      { content: expect.stringContaining("There is no output of a call nobody: only those"), is_error: true },
    ]);
  });

  it("tells the model when the workspace cannot be sealed, and names no tree", async () => {
    const session = await given({
      script: [{ calls: [write("b")] }, { text: "Done" }],
      parts: { seal: async () => ({ kind: "refused", why: "sock is a socket" }) },
    });
    await session.run();
    expect(lastResults(session.requests)).toMatchObject([
      { content: expect.stringContaining("sock is a socket"), is_error: true },
    ]);
    expect(session.story.state.tree).toBeNull();
  });

  it("goes on with what people said meanwhile, each once", async () => {
    const said = [{ id: "comment:2", by: "octo", text: "Also the docs." }];
    const session = await given({
      script: [{ text: "Done" }, { text: "Docs too" }],
      parts: { heard: async () => said },
    });
    expect(await session.run()).toEqual({ kind: "finished", text: "Docs too" });
    expect(outline(session.events).filter((line) => /ended|input/.test(line))).toEqual([
      "input.accepted",
      "ended input",
      "ended done",
    ]);
  });

  it("can be entered again with something new to say, and says at once that it is finished with nothing new", async () => {
    const session = await given({ script: [{ text: "Done" }, { text: "Fixed" }] });
    await session.run();
    expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
    expect(session.requests.length).toBe(1);
    const findings = { type: "inline", text: "test is red" } as const;
    const tree = session.disk.tree();
    await session.story.append({ type: "gate.failed", round: 1, tree, findings });
    expect(await session.run()).toEqual({ kind: "finished", text: "Fixed" });
    expect(lastResults(session.requests)).toEqual([text("test is red")]);
  });

  it("refuses to start without any input", async () => {
    const session = await given({ resumed: opening.slice(0, 1) });
    await expect(session.run()).rejects.toThrow("started before the session had any input");
  });

  it("throws when the sandbox is lost, after all reads beside it have come back, and leaves the call open", async () => {
    const session = await given({
      script: [{ calls: [read("a"), read("lost"), read("c")] }],
      tools: () => [
        {
          name: "read",
          class: "read",
          required: ["path"],
          run: async ({ path }, { signal }) => {
            if (path === "lost") throw new Error("the sandbox is gone");
            await new Promise((resolve) => signal.addEventListener("abort", resolve));
            return "never";
          },
        },
      ],
    });
    await expect(session.run()).rejects.toThrow("the sandbox is gone");
    expect(session.story.state.turn.calls.filter((call) => !call.settled).map((call) => call.id)).toEqual([
      "call_1_2",
    ]);
  });
});
