import { describe, expect, it } from "vitest";
import { bodyOf } from "../../src/adapters/anthropic/body.ts";
import type { Tree } from "../../src/base/hash.ts";
import { messagesOf } from "../../src/loop/context.ts";
import { systemPrompt } from "../../src/loop/prompt.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { tools } from "../../src/tools/all.ts";
import { definitions } from "../../src/tools/definitions.ts";
import { inline, someSha } from "../kit/given.ts";
import { refuseBody } from "../kit/model/rules.ts";
import { signThinking } from "../kit/model/signing.ts";
import type { WireRequest } from "../kit/model/wire.ts";
import { given, opening, text, use } from "./given-loop.ts";

const tree = "2".repeat(40) as Tree;
const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0 };

const replied = (turn: number, content: readonly unknown[]): readonly SessionEvent[] => [
  { type: "reply.requested", turn, attempt: 1, maxTokens: 32_000 },
  {
    type: "reply.received",
    ...{ turn, content: inline(JSON.stringify(content)), usage, costUsd: 0.01, requestId: `req_${turn}` },
    stopReason: JSON.stringify(content).includes("tool_use") ? "tool_use" : "end_turn",
  },
];

const settled = (id: string, output: string, over: object = {}): SessionEvent => ({
  ...{ type: "call.settled", id, status: "ok", output: inline(output), whole: null, tree: null, plan: null },
  ...over,
});

const thought = "The bug is in add.";

/** A task, reads in parallel of which one fails, a change, a note, the gate's findings, and a resume. */
const log: readonly SessionEvent[] = [
  ...opening,
  ...replied(1, [
    { type: "thinking", thinking: thought, signature: signThinking(thought) },
    text("I look at both."),
    use("call_1", "read", { path: "src/sum.ts" }),
    use("call_2", "read", { path: "test/sum.test.ts" }),
  ]),
  {
    type: "calls.intended",
    turn: 1,
    calls: [
      { id: "call_1", tool: "read", arguments: inline('{"path":"src/sum.ts"}'), class: "read" },
      { id: "call_2", tool: "read", arguments: inline('{"path":"test/sum.test.ts"}'), class: "read" },
    ],
  },
  // They finish in another order than they were asked for in.
  settled("call_2", "test/sum.test.ts does not exist.", { status: "error" }),
  settled("call_1", "1\texport const sum = (a, b) => a - b;"),
  { type: "turn.ended", turn: 1, next: "calls", ms: 10, checkpoint: null },
  {
    type: "input.accepted",
    id: "comment:2",
    by: "octo",
    text: inline("@octo adds this to the task:\n\nBe quick."),
  },
  ...replied(2, [use("call_3", "edit", { path: "src/sum.ts", old: "a - b", new: "a + b" })]),
  {
    type: "calls.intended",
    turn: 2,
    calls: [
      {
        ...{ id: "call_3", tool: "edit", class: "workspace" },
        arguments: inline('{"path":"src/sum.ts","old":"a - b","new":"a + b"}'),
      },
    ],
  },
  settled("call_3", "Edited src/sum.ts: 1 replacement at line 1.", { tree }),
  { type: "turn.ended", turn: 2, next: "calls", ms: 10, checkpoint: null },
  { type: "note.added", about: "budget", text: inline("Left of this session's budget: 1 of 4 turns.") },
  ...replied(3, [text("Add in sum\n\nIt subtracted.")]),
  { type: "turn.ended", turn: 3, next: "done", ms: 10, checkpoint: null },
  { type: "gate.failed", round: 1, tree, findings: inline("The check test failed on your tree.") },
  { type: "run.claimed", gen: 2, run: { id: "2", attempt: 1, job: "agent" }, head: null },
  { type: "note.added", about: "resumed", text: inline("The work goes on in a new run on a new machine.") },
];

const system = systemPrompt({
  ...{ repository: "octo/demo", baseSha: someSha, baseRef: "main", setup: ["npm ci"] },
  checks: [{ name: "test", run: "npm test", dir: "" }],
  instructions: null,
});

async function bodyAfter(events: readonly SessionEvent[]): Promise<string> {
  const { story } = await given({ resumed: events });
  const messages = messagesOf(story.context);
  const frame = { model: "claude-sonnet-5-5", system, tools: definitions(tools), maxTokens: 32_000 };
  return JSON.stringify(bodyOf({ ...frame, messages }), null, 2);
}

describe("the request of a fixed log", () => {
  it("is what it was before, byte for byte", async () => {
    await expect(`${await bodyAfter(log)}\n`).toMatchFileSnapshot("__snapshots__/request.json");
  });

  it("is one that the API takes", async () => {
    expect(refuseBody(JSON.parse(await bodyAfter(log)) as WireRequest)).toBeUndefined();
  });
});
