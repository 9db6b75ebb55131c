import { describe, expect, it } from "vitest";
import { memoryToolbox } from "../../src/adapters/memory/toolbox.ts";
import { malformed } from "../../src/loop/blocks.ts";
import { decide, texts } from "../../src/loop/decide.ts";
import type { Block } from "../../src/session/event.ts";
import { Disk, text, toolsOn, use } from "./given-loop.ts";

const toolbox = memoryToolbox(toolsOn(new Disk()));
const good = use("a", "read", { path: "x" });
const other = use("b", "write", { text: "y" });
const thinking = { type: "thinking", thinking: "hm", signature: "s" };

type Row = {
  readonly rule: string;
  readonly content: readonly Block[];
  readonly stop: string;
  readonly nudged?: boolean;
  readonly masked?: readonly string[];
  readonly calls?: readonly (string | null)[];
  readonly after: unknown;
};

const goOn = { kind: "go-on", next: "calls" };
const finished = (words: string) => ({ kind: "end", end: { kind: "finished", text: words } });

const rows: readonly Row[] = [
  { rule: "a complete call goes on", content: [good], stop: "tool_use", calls: [null], after: goOn },
  {
    rule: "a call goes on though the stop reason says end",
    content: [good],
    stop: "end_turn",
    calls: [null],
    after: goOn,
  },
  {
    rule: "a call goes on though the stop reason says pause",
    content: [good],
    stop: "pause_turn",
    calls: [null],
    after: goOn,
  },
  {
    rule: "the stop reason alone never goes on",
    content: [text("Done")],
    stop: "tool_use",
    after: finished("Done"),
  },
  { rule: "text ends", content: [thinking, text("Done")], stop: "end_turn", after: finished("Done") },
  { rule: "a stop sequence ends", content: [text("Done")], stop: "stop_sequence", after: finished("Done") },
  {
    rule: "a cut batch is not run",
    content: [good, other],
    stop: "max_tokens",
    calls: [texts.cut, texts.cut],
    after: { kind: "truncated" },
  },
  {
    rule: "a full context is a cut",
    content: [good],
    stop: "model_context_window_exceeded",
    calls: [texts.overflowed],
    after: { kind: "truncated" },
  },
  { rule: "cut text is a cut", content: [text("So I")], stop: "max_tokens", after: { kind: "truncated" } },
  { rule: "cut thinking is a cut", content: [thinking], stop: "max_tokens", after: { kind: "truncated" } },
  {
    rule: "a refusal runs nothing",
    content: [text("I"), good],
    stop: "refusal",
    calls: [texts.discarded],
    after: { kind: "end", end: { kind: "declined" } },
  },
  {
    rule: "an empty refusal is declined",
    content: [],
    stop: "refusal",
    after: { kind: "end", end: { kind: "declined" } },
  },
  {
    rule: "a pause is sent back",
    content: [text("wait")],
    stop: "pause_turn",
    after: { kind: "go-on", next: "paused" },
  },
  { rule: "an empty reply is nudged", content: [], stop: "end_turn", after: { kind: "nudge" } },
  {
    rule: "blank text is an empty reply",
    content: [text(" \n")],
    stop: "end_turn",
    after: { kind: "nudge" },
  },
  {
    rule: "thinking alone is an empty reply",
    content: [thinking],
    stop: "end_turn",
    after: { kind: "nudge" },
  },
  { rule: "a second empty reply ends", content: [], stop: "end_turn", nudged: true, after: finished("") },
  {
    rule: "an unknown stop reason ends, calls or not",
    content: [good],
    stop: "moon",
    calls: [texts.discarded],
    after: { kind: "end", end: { kind: "unknown", why: "a reply stopped because of moon" } },
  },
  {
    rule: "an unknown block ends",
    content: [text("x"), { type: "hologram" }],
    stop: "end_turn",
    after: { kind: "end", end: { kind: "unknown", why: "a reply holds a block of type hologram" } },
  },
  {
    rule: "one invalid call keeps the whole batch from running",
    content: [use("a", "read", { path: 7 }), other],
    stop: "tool_use",
    calls: ["Not executed: read: path must be a string", texts.otherInvalid],
    after: goOn,
  },
  {
    rule: "an unknown tool is invalid",
    content: [use("a", "fly", {})],
    stop: "tool_use",
    calls: ["Not executed: there is no tool fly"],
    after: goOn,
  },
  {
    rule: "arguments that were not JSON are invalid",
    content: [use("a", "read", { arguments_were_not_json: true })],
    stop: "tool_use",
    calls: [texts.notJson],
    after: goOn,
  },
  {
    rule: "a call that held a secret keeps the whole batch from running",
    content: [good, other],
    stop: "tool_use",
    masked: ["b"],
    calls: [texts.otherRefused, texts.masked],
    after: goOn,
  },
  {
    rule: "three stars that the model wrote itself are no secret",
    content: [use("a", "write", { text: "***" })],
    stop: "tool_use",
    calls: [null],
    after: goOn,
  },
];

describe("what a reply leads to", () => {
  it.each(rows)("$rule", ({ content, stop, nudged = false, masked = [], calls = [], after }) => {
    const decision = decide({ content, stopReason: stop, masked, nudgedBefore: nudged }, toolbox);
    expect(decision.calls.map(({ refusal }) => refusal)).toEqual(calls);
    expect(decision.after).toEqual(after);
  });

  it("gives each call the class of its tool, and an unknown tool the class that changes nothing", () => {
    const content = [good, other, use("c", "fly", {})];
    const decision = decide({ content, stopReason: "tool_use", masked: [], nudgedBefore: false }, toolbox);
    expect(decision.calls.map((call) => call.class)).toEqual(["read", "workspace", "read"]);
  });
});

describe("a reply that cannot be taken", () => {
  it.each([
    ["a repeated id", [good, use("a", "write", {})], "the call id a was used before"],
    ["an id of an earlier reply", [use("old", "read", {})], "the call id old was used before"],
    ["an ill-formed id", [use("no good", "read", {})], "a call has no usable id, name or arguments"],
    ["arguments that are no object", [use("z", "read", [1])], "a call has no usable id, name or arguments"],
    ["nothing", [good, other], null],
  ])("is told by %s", (_, content, why) => {
    expect(malformed(content, new Set(["old"]))).toBe(why);
  });
});
