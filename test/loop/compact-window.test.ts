import { describe, expect, it } from "vitest";
import { imageTokensMax } from "../../src/loop/context.ts";
import { noFacts } from "../../src/loop/facts.ts";
import type { Message } from "../../src/loop/model.ts";
import { afterTurns, type KnownTurn, tailOf } from "../../src/loop/tail.ts";
import {
  type Fill,
  fillAfter,
  noFill,
  outputWithin,
  roomFor,
  sizeOf,
  tokensIn,
  windowOf,
} from "../../src/loop/window.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { inline } from "../kit/given.ts";
import { text } from "./given-loop.ts";

const usage = { input: 900, output: 50, cacheRead: 40, cacheWrite: 10 };

function received(stopReason = "end_turn"): SessionEvent {
  return {
    type: "reply.received",
    turn: 1,
    content: inline(""),
    stopReason,
    usage,
    costUsd: null,
    requestId: null,
  };
}

const note: SessionEvent = { type: "note.added", about: "gate", text: inline("") };
const input: SessionEvent = { type: "input.accepted", id: "i", by: "octo", text: inline("") };
const claim: SessionEvent = {
  type: "run.claimed",
  gen: 2,
  run: { id: "2", attempt: 1, job: "a" },
  head: null,
};
const requested: SessionEvent = { type: "reply.requested", turn: 1, attempt: 1, maxTokens: 1 };
const failed: SessionEvent = { type: "reply.failed", turn: 1, attempt: 1, reason: "" };

function compacted(why: "near-full" | "overflow"): SessionEvent {
  return { type: "context.compacted", summary: inline(""), from: 0, usage, costUsd: null, why };
}

function filled(
  events: readonly SessionEvent[],
  { told = "", fill = noFill, content = [text("a")] as never } = {},
): Fill {
  return events.reduce((so, event) => fillAfter(so, event, { text: told, content }), fill);
}

const told = "x".repeat(248);

describe("how full the window is", () => {
  it.each<[string, readonly SessionEvent[], Partial<Fill>]>([
    ["what the provider counted, its output too", [received()], { counted: 1_000, added: 0 }],
    ["what came since is estimated", [received(), note, note], { counted: 1_000, added: 200 }],
    [
      "a picture counts beside the words",
      [{ ...input, images: [{ mediaType: "image/png", data: inline("A") }] }],
      { added: 100 + imageTokensMax },
    ],
    [
      "and counts no more once it is left out",
      [
        { ...input, images: [{ mediaType: "image/png", data: inline("A") }] },
        { type: "images.left-out", count: 1, all: false },
      ],
      { added: 100 },
    ],
    ["a reply takes in what came before it", [note, received()], { added: 0 }],
    [
      "another model has counted nothing",
      [received(), { ...claim, model: "other" }],
      { counted: null, added: 0 },
    ],
    ["the same model on another machine has", [received(), claim], { counted: 1_000 }],
    ["a full window is to be seen to", [received("model_context_window_exceeded")], { cut: true }],
    [
      "which shortening does",
      [received("model_context_window_exceeded"), compacted("overflow")],
      { cut: false, overflows: 1, fullAt: 1_000 },
    ],
    ["once for each input", [compacted("overflow"), input], { overflows: 0, shortened: false }],
    [
      "nobody has counted what was shortened",
      [received(), note, compacted("near-full")],
      { counted: null, added: 0, shortened: true, fullAt: null },
    ],
    ["a reply after it ends that", [compacted("near-full"), received()], { shortened: false }],
    ["a request that failed is no summary's", [requested, failed], { tries: 0 }],
    ["a failure without one is", [requested, failed, failed, failed], { tries: 2 }],
    ["a crash in a request leaves it open", [requested, requested, failed], { tries: 0 }],
    [
      "a clean suspend begins anew",
      [failed, failed, { type: "run.suspended", reason: "", detail: "" }],
      { tries: 0 },
    ],
  ])("is known: %s", (_title, events, fill) => {
    expect(filled(events, { told })).toMatchObject(fill);
  });

  it("does not count a reply that is not sent back", () => {
    expect(filled([received("refusal")], { fill: { ...noFill, counted: 7, added: 3 } })).toMatchObject({
      counted: 7,
      added: 3,
    });
  });

  it("is estimated whole where nobody has counted, system prompt and tools too", () => {
    const context = { closed: [], asked: [], results: {}, texts: [text("a".repeat(2_500))] };
    const frame = { system: "s".repeat(2_500), tools: [] };
    expect(sizeOf({ facts: noFacts, context }, frame)).toBeGreaterThan(2_000);
    expect(sizeOf({ facts: { fill: { ...noFill, counted: 5, added: 6 } }, context }, frame)).toBe(11);
  });

  it("counts a picture the same whatever its bytes", () => {
    const image = (data: string) => ({
      type: "image",
      source: { type: "base64", media_type: "image/png", data },
    });
    expect(tokensIn([image("A".repeat(100_000))])).toBe(tokensIn([image("A")]));
    expect(tokensIn([image("A"), image("B")]) - tokensIn([image("A")])).toBeGreaterThanOrEqual(
      imageTokensMax,
    );
  });

  it.each([
    [null, 200_000],
    [120_000, 120_000],
    [900_000, 200_000],
    [3_000, 25_000],
  ])("believes a provider that found %j tokens too long in a window of %i", (fullAt, window) => {
    expect(windowOf({ ...noFill, fullAt }, {})).toBe(window);
  });
});

describe("whether there is room for the next request", () => {
  const usual = {
    size: 100_000,
    window: 200_000,
    maxTokens: 32_000,
    begun: true,
    paused: false,
    refused: false,
  };
  it.each<[string, Partial<Fill>, Partial<typeof usual>, string]>([
    ["half full", {}, {}, "enough"],
    ["just under three quarters", {}, { size: 149_999 }, "enough"],
    ["three quarters", {}, { size: 150_000 }, "short near-full"],
    ["over the window", {}, { size: 300_000 }, "short near-full"],
    ["a small window without room for a reply", {}, { size: 7_000, window: 10_000 }, "short near-full"],
    [
      "a small window, and a reply that is as small",
      {},
      { size: 7_000, window: 10_000, maxTokens: 1_000 },
      "enough",
    ],
    ["full, with nothing but what it began with", {}, { size: 190_000, begun: false }, "enough"],
    ["full, in the middle of a paused reply", {}, { size: 190_000, paused: true }, "enough"],
    ["full although it was just shortened", { shortened: true }, { size: 150_000 }, "none"],
    ["just shortened, and there is room", { shortened: true }, { size: 149_000 }, "enough"],
    ["refused, whatever was counted", {}, { size: 10, refused: true }, "short overflow"],
    [
      "refused in the middle of a paused reply",
      {},
      { size: 10, refused: true, paused: true },
      "short overflow",
    ],
    ["refused again", { overflows: 1 }, { size: 10, refused: true }, "none"],
    ["a reply that filled it", { cut: true }, { size: 10 }, "short overflow"],
    ["another reply that filled it", { cut: true, overflows: 1 }, { size: 10 }, "none"],
    ["near full after an overflow", { overflows: 1 }, { size: 150_000 }, "short near-full"],
  ])("is decided: %s", (_title, fill, over, decision) => {
    const room = roomFor({ ...noFill, ...fill }, { ...usual, ...over });
    expect(room.kind === "short" ? `short ${room.why}` : room.kind).toBe(decision);
  });

  it.each([
    [32_000, 100_000, 32_000],
    [64_000, 150_000, 50_000],
    [64_000, 199_000, 4_096],
    [1_000, 300_000, 1_000],
  ])("an output of %i tokens beside %i may have %i", (maxTokens, size, within) => {
    expect(outputWithin(maxTokens, { size, window: 200_000 })).toBe(within);
  });
});

/** Turns of `tokens` each by what was counted, with replies of `bytes`. */
function turns(
  count: number,
  tokens: number,
  bytes = 10,
  told = true,
): { turns: KnownTurn[]; messages: Message[]; size: number } {
  const known = Array.from({ length: count }, (_, i) => ({
    offset: 1_000 * (i + 1),
    told,
    prompt: 500 + tokens * i,
  }));
  const messages = known.flatMap((): Message[] => [
    { role: "user", content: [text("a")] },
    { role: "assistant", content: [text("b".repeat(bytes))] },
  ]);
  return {
    turns: known,
    messages: [...messages, { role: "user", content: [text("c")] }],
    size: 500 + tokens * count,
  };
}

describe("what is kept word for word", () => {
  it.each<[string, ReturnType<typeof turns>, number | null]>([
    ["as many turns as a quarter of the window holds", turns(10, 1_000), 6_000],
    ["by their bytes, where the provider counts less", turns(10, 1, 2_600), 7_000],
    ["all but the first, since something has to be left out", turns(3, 10), 2_000],
    ["the only turn, if it is short", turns(1, 10), 1_000],
    ["one turn that has more than its share", turns(10, 7_000), 10_000],
    ["none where the last one alone is too long", turns(10, 9_000), null],
    ["none where no reply is part of the conversation", turns(3, 10, 10, false), null],
    ["none where there is none", turns(0, 0), null],
  ])("is %s", (_title, { turns: known, messages, size }, from) => {
    expect(tailOf(known, { messages, size, window: 20_000 })?.from ?? null).toBe(from);
  });

  it("begins with the reply of its first turn", () => {
    const { turns: known, messages, size } = turns(10, 1_000);
    const at = tailOf(known, { messages, size, window: 20_000 })?.messages ?? 0;
    expect([at, messages[at]?.role]).toEqual([11, "assistant"]);
  });

  it("does not count turns whose reply is no part of the conversation", () => {
    const { turns: known, messages, size } = turns(10, 1_000);
    const empty = { offset: 10_500, told: false, prompt: size };
    expect(tailOf([...known, empty], { messages, size, window: 20_000 })?.from).toBe(6_000);
  });

  it("is what was said since the last turn ended where no turn is kept, and never begins nowhere", () => {
    const ended: SessionEvent = { type: "turn.ended", turn: 1, next: "calls", ms: 0, checkpoint: null };
    const placed = [requested, received(), ended, note, requested, failed].map((event, i) => {
      return { offset: i * 100, record: { seq: i + 1, gen: 1, at: 0, prev: "", event, hash: "" } };
    });
    expect(afterTurns(placed)).toBe(200);
    expect(afterTurns(placed.slice(4))).toBe(400);
    expect(() => afterTurns([])).toThrow("before its first request");
  });
});
