import { describe, expect, it } from "vitest";
import { anthropicModel } from "../../src/adapters/anthropic/model.ts";
import { type Live, subjectOf } from "../../src/loop/live.ts";
import { runLoop } from "../../src/loop/loop.ts";
import { stoppedClock } from "../adapters/anthropic/clocks.ts";
import { calls, type Fault, say } from "../kit/model/script.ts";
import { startModel } from "../kit/model/server.ts";
import { type Disk, given, read, shell, toolsOn, write } from "./given-loop.ts";

const batch = [
  { name: "read", input: { path: "a.txt" }, id: "c1" },
  { name: "write", input: { text: "b" }, id: "c2" },
] as const;

/** The tools of the loop, and a note of each that begins. */
function noting(ran: string[]) {
  return (disk: Disk) =>
    toolsOn(disk).map((tool) => ({
      ...tool,
      run: (...args: Parameters<typeof tool.run>) => {
        ran.push(tool.name);
        return tool.run(...args);
      },
    }));
}

/** What was seen of a reply that broke so, what had run by the time it was asked for again, and in the end. */
async function cutAt(fault: Fault) {
  const ran: string[] = [];
  const lives: Live[] = [];
  const atRequests: { readonly ran: readonly string[]; readonly seen: readonly string[] }[] = [];
  const seen = () =>
    lives.flatMap((live) =>
      live.kind === "call.delta" && live.json === "" ? [`${live.tool} ${live.id}`] : [],
    );
  const whole = calls(batch, { text: "Both." });
  await using server = await startModel({
    script: [{ ...whole, fault }, whole, say("Done")],
    onRequest: () => void atRequests.push({ ran: [...ran], seen: seen() }),
  });
  const session = await given({
    model: anthropicModel({ apiKey: "key", baseUrl: server.url, clock: stoppedClock() }),
    tools: noting(ran),
    onLive: (live) => void lives.push(live),
  });
  expect(await session.run()).toEqual({ kind: "finished", text: "Done" });
  return { atRequests, ran };
}

describe("what a run notifies of", () => {
  // message_start, a text block of three events, two calls of four each, then message_delta and message_stop.
  const cuts = Array.from({ length: 14 }, (_, at) => at);

  it("says which calls come while a reply streams, and runs none before it is whole (F8, F9)", async () => {
    const seen: (readonly string[])[] = [];
    for (const at of cuts) {
      const { atRequests, ran } = await cutAt({ kind: "eof", at });
      expect([atRequests[1]?.ran, ran], `cut after ${at} events`).toEqual([[], ["read", "write"]]);
      seen.push(atRequests[1]?.seen ?? []);
    }
    const both = ["read c1", "write c2"];
    expect(seen[0]).toEqual([]);
    expect(seen.at(-1)).toEqual(both);
    expect(seen.map(({ length }) => length)).toEqual([...seen.map(({ length }) => length)].sort());
  });

  it.each(["reset", "error"] as const)(
    "runs no call of a reply that ends by a %s after its last block (F7, F8)",
    async (kind) => {
      const { atRequests, ran } = await cutAt({ kind, at: 13 });
      expect([atRequests[1], ran]).toEqual([{ ran: [], seen: ["read c1", "write c2"] }, ["read", "write"]]);
    },
  );

  it("comes to each point of a turn after it is recorded, and says what the call is about", async () => {
    const order: string[] = [];
    const session = await given({
      script: [{ text: "Go.", calls: [shell("npm test")] }, { calls: [write("b")] }, { text: "Done" }],
      onLive: (live) => {
        if (live.kind === "progress") order.push(`${live.turn} ${JSON.stringify(live.doing)}`);
      },
      abortAt: ({ type }) => {
        if (["reply.requested", "calls.intended", "call.settled"].includes(type)) order.push(type);
        return false;
      },
    });
    await session.run();
    const call = { id: "call_1_1", tool: "shell", subject: "npm test" };
    expect(order.slice(0, 7)).toEqual([
      "reply.requested",
      '1 {"kind":"asking","attempt":1}',
      "calls.intended",
      `1 ${JSON.stringify({ kind: "calling", ...call })}`,
      '1 {"kind":"called","id":"call_1_1","output":"end of npm test"}',
      "call.settled",
      "reply.requested",
    ]);
  });

  it("can be thrown away whole: the log is the same", async () => {
    const script = [{ text: "Go.", calls: [read("a"), shell("npm test")] }, { text: "Done" }];
    const heard = await given({ script });
    const deaf = await given({ script });
    const nobody = runLoop(deaf.parts, { signal: deaf.abort.signal, onLive: () => undefined });
    expect(await nobody).toEqual(await heard.run());
    expect(heard.lives.length).toBeGreaterThan(8);
    expect(deaf.events).toEqual(heard.events);
  });

  it.each<[string, unknown, string]>([
    ["its path", { new: "x", path: "src/a.ts" }, "src/a.ts"],
    ["its command, on one line", { seconds: 5, command: "cd a\n  && make\n" }, "cd a ⏎ && make"],
    ["its pattern", { glob: "*.ts", pattern: "foo" }, "foo"],
    ["its first text otherwise", { count: 1, question: "Which?" }, "Which?"],
    ["nothing where it has none", { items: [{ text: "a" }] }, ""],
    ["nothing where it is no object", "x", ""],
    ["so much of a long one", { command: "x".repeat(300) }, `${"x".repeat(199)}…`],
  ])("names a call by %s", (_, input, subject) => {
    expect(subjectOf(input)).toBe(subject);
  });
});
