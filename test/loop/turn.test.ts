import { describe, expect, it } from "vitest";
import { memoryToolbox } from "../../src/adapters/memory/toolbox.ts";
import { type Policy, policyOf, withRefusals } from "../../src/loop/approval.ts";
import { groupsOf } from "../../src/loop/calls.ts";
import { type Decision, decide, texts } from "../../src/loop/decide.ts";
import { noFacts, stuckIn } from "../../src/loop/facts.ts";
import { isFollowed, restingEnd } from "../../src/loop/resting.ts";
import { comeBackMs } from "../../src/loop/retry.ts";
import { nextOf } from "../../src/loop/turn.ts";
import type { EffectClass } from "../../src/session/event.ts";
import { Disk, text, toolsOn, use } from "./given-loop.ts";

/** What the reply led to, how many were cut and paused before it, and whether and why another turn follows. */
const rows: readonly (readonly [string, Decision["after"], Partial<Past>, boolean, string])[] = [
  ["calls are followed by another turn", { kind: "go-on", next: "calls" }, {}, true, "calls"],
  [
    "calls are, also after many pauses and cuts",
    { kind: "go-on", next: "calls" },
    { cut: 9, pauses: 9 },
    true,
    "calls",
  ],
  ["a pause is followed by another turn", { kind: "go-on", next: "paused" }, {}, true, "paused"],
  ["a fourth pause in a row is", { kind: "go-on", next: "paused" }, { pauses: 3 }, true, "paused"],
  ["a fifth pause in a row is not", { kind: "go-on", next: "paused" }, { pauses: 4 }, false, "paused"],
  ["a cut is followed by another turn", { kind: "truncated" }, {}, true, "truncated"],
  ["a second cut in a row is", { kind: "truncated" }, { cut: 1 }, true, "truncated"],
  ["a third cut in a row is not", { kind: "truncated" }, { cut: 2 }, false, "truncated"],
  ["an empty reply is followed by another turn", { kind: "nudge" }, { cut: 9, pauses: 9 }, true, "nudge"],
  ["an end is one", { kind: "end", end: { kind: "finished", text: "Done" } }, {}, false, "done"],
];

type Past = { readonly cut: number; readonly pauses: number };

function after({ cut = 0, pauses = 0 }: Partial<Past>) {
  return { state: { truncated: cut }, facts: { ...noFacts, pauses } };
}

describe("the end of a turn", () => {
  it.each(rows)("is decided by its reply and those before it: %s", (_, reply, before, follows, next) => {
    expect(isFollowed({ after: reply }, after(before))).toBe(follows);
    expect(nextOf({ after: reply })).toBe(next);
  });
});

describe("where the last turn ended", () => {
  const answered = { content: [text("Done")], stopReason: "end_turn", masked: [], nudgedBefore: false };
  const cutOff = { kind: "stuck", why: "3 replies in a row were cut at a limit of the model" };
  const why = "the provider paused 5 times in a row";
  const nowhere = {
    toolbox: memoryToolbox(toolsOn(new Disk())),
    nowMs: 1000,
  };

  it.each([
    ["nothing ends by itself", {}, {}, null],
    ["the work is done", {}, { done: true, reply: answered }, { kind: "finished", text: "Done" }],
    [
      "a refusal is one",
      {},
      { done: true, reply: { ...answered, stopReason: "refusal" } },
      { kind: "declined" },
    ],
    ["two cut replies are none", { cut: 2 }, {}, null],
    ["three are one", { cut: 3 }, {}, cutOff],
    ["they are none once a person spoke", { cut: 3 }, { inputSinceReply: true }, null],
    ["four pauses are none", { pauses: 4 }, {}, null],
    ["five are one", { pauses: 5 }, {}, { kind: "provider", reason: why, retryAtMs: 1000 + comeBackMs }],
    ["going round is one", {}, { stuck: "idle" }, { kind: "stuck", why: "turns brought nothing new" }],
  ] as const)("the log says whether it was the end: %s", (_, past, more, end) => {
    const { state, facts } = after(past);
    expect(restingEnd({ state, facts: { ...facts, ...more } }, nowhere)).toEqual(end);
  });
});

describe("a session is stuck", () => {
  const repeat = (count: number) => ({ call: "c", result: "r", count });

  it.each([
    ["after three same calls with the same result", { repeat: repeat(3), progress: true }, "repeated"],
    ["not after two", { repeat: repeat(2), progress: true }, null],
    [
      "not by turns of several calls",
      { repeat: { call: null, result: null, count: 9 }, progress: true },
      null,
    ],
    ["at the end of a fourth turn without progress", { idleTurns: 3 }, "idle"],
    ["not at the end of a third", { idleTurns: 2 }, null],
    ["not at the end of one with progress", { idleTurns: 9, progress: true }, null],
    ["for repeating itself where it is both", { idleTurns: 3, repeat: repeat(3) }, "repeated"],
  ] as const)("%s", (_, facts, what) => {
    expect(stuckIn({ ...noFacts, ...facts })).toBe(what);
  });
});

describe("the calls of a batch", () => {
  const classes: Readonly<Record<string, EffectClass>> = {
    r: "read",
    w: "workspace",
    s: "repeatable",
    x: "external",
  };
  const named = (letters: string) =>
    letters.split("").map((letter) => ({ class: classes[letter] ?? "read", letter }));

  it.each([
    ["nothing", "", ""],
    ["reads run together", "rrr", "rrr"],
    ["a seventh read waits for the others", "rrrrrrr", "rrrrrr r"],
    ["everything else runs alone and in order", "wsxw", "w s x w"],
    ["reads on both sides of a change are apart", "rrwrr", "rr w rr"],
  ])("are grouped: %s", (_, batch, groups) => {
    const grouped = groupsOf(named(batch)).map((group) => group.map(({ letter }) => letter).join(""));
    expect(grouped.join(" ")).toBe(groups);
  });
});

describe("a batch that people have a say in", () => {
  const toolbox = memoryToolbox(toolsOn(new Disk()));
  const content = [use("a", "read", { path: "x" }), use("b", "write", { text: "y" })];
  const decision = decide({ content, stopReason: "tool_use", masked: [], nudgedBefore: false }, toolbox);
  const free = policyOf({ approve: [] });
  const refusing: Policy = () => ({ kind: "refuse", why: "no." });

  it.each([
    ["runs where nobody has to be asked", free, {}, [null, null]],
    ["runs once what has to be asked for is granted", policyOf({ approve: ["write"] }), {}, [null, null]],
    [
      "does not run where a person denied a call of it",
      free,
      { b: { kind: "denied", by: "octo" } },
      [texts.otherRefused, "Not executed: octo denied it."],
    ],
    [
      "does not run where an approval is of a run that died",
      free,
      { b: { kind: "abandoned" } },
      [texts.otherRefused, texts.abandoned],
    ],
    [
      "does not run where policy refuses a call of it",
      refusing,
      {},
      ["Not executed: no.", "Not executed: no."],
    ],
  ] as const)("%s", (_, policy, refusals, told) => {
    const { calls, after } = withRefusals(decision, policy, refusals);
    expect(calls.map(({ refusal }) => refusal)).toEqual(told);
    expect(after).toEqual({ kind: "go-on", next: "calls" });
  });

  it("waits for a person where the configuration lists its tool, but not for a read", () => {
    const policy = policyOf({ approve: ["write", "read"] });
    const asked = decision.calls.map((call) => policy(call).kind);
    expect(asked).toEqual(["allow", "approval"]);
  });
});
