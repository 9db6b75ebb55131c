import { describe, expect, it } from "vitest";
import { budgetFor, budgetNote, exhausted, spentOf, unpricedTokensMax } from "../../src/loop/budget.ts";
import { anthropicPrices, priceOf, replyCost } from "../../src/loop/prices.ts";
import { afterFailure, backoffMs } from "../../src/loop/retry.ts";
import { initialState } from "../../src/session/state.ts";
import { budget } from "../kit/given.ts";

const usage = (input: number, output: number, cacheRead = 0, cacheWrite = 0) => ({
  input,
  output,
  cacheRead,
  cacheWrite,
});

describe("the price of a reply", () => {
  it.each([
    ["claude-sonnet-5-5", usage(1e6, 0), 2],
    ["claude-sonnet-5-5", usage(0, 1e6), 10],
    ["claude-sonnet-5-5", usage(0, 0, 1e6), 0.1],
    ["claude-sonnet-5-5", usage(0, 0, 0, 1e6), 2.5],
    ["claude-haiku-4-5-20251001", usage(1e6, 0), 1],
    ["claude-haiku-5-5", usage(100_000, 1e6), 0.51],
    ["claude-haiku-5-5", usage(100_000, 1e6, 1), 2.55],
    ["somebody-elses", usage(1, 1), null],
  ])("of %s for %o is %s", (model, counts, cost) => {
    const got = replyCost(model, counts, anthropicPrices);
    if (cost === null) expect(got).toBeNull();
    else expect(got).toBeCloseTo(cost, 5);
  });

  it("is known for the model that is the default", () => {
    expect(priceOf("claude-sonnet-5-5", anthropicPrices)).not.toBeNull();
  });
});

describe("the budget that can be kept", () => {
  it.each([
    ["a known price", "claude-sonnet-5-5", false, { costUsd: 5, tokens: null }],
    ["an unknown price", "other", false, { costUsd: null, tokens: unpricedTokensMax }],
    ["an unknown price and a cost limit set on purpose", "other", true, { costUsd: 5, tokens: null }],
  ])("with %s", (_, model, costExplicit, kept) => {
    expect(budgetFor(budget, { model, prices: anthropicPrices, costExplicit })).toMatchObject(kept);
  });

  it.each([
    ["nothing", {}, null, false],
    ["most turns", { turns: 50 }, null, true],
    ["all turns", { turns: 60 }, "turns", true],
    ["all minutes", { minutes: 50 }, "minutes", true],
    ["all dollars", { costUsd: 5 }, "cost", true],
    ["many tokens without a limit", { tokens: 1e9 }, null, false],
  ])("after %s", (_, over, kind, told) => {
    const spent = { ...spentOf(initialState, 0), ...over };
    expect(exhausted(budget, spent)).toBe(kind);
    expect(budgetNote(budget, spent) !== null).toBe(told);
  });

  it("counts the open turn's time", () => {
    expect(spentOf({ ...initialState, activeMs: 60_000 }, 30_000).minutes).toBe(1.5);
  });
});

describe("the wait before another try", () => {
  it("has full jitter between one second and a window that doubles up to a minute", () => {
    expect([1, 2, 3, 4, 5, 6].map((tries) => backoffMs(tries, 0))).toEqual(Array(6).fill(1000));
    expect([1, 2, 3, 4, 5, 6].map((tries) => backoffMs(tries, 1))).toEqual([
      2000, 4000, 8000, 16_000, 32_000, 60_000,
    ]);
  });

  const failure = {
    kind: "failed",
    verdict: "again",
    reason: "busy",
    status: 529,
    retryAfterMs: null,
  } as const;
  const facts = { tries: 1, random: 0, remainingMs: 5000, nowMs: 1_000_000 };

  it.each([
    ["waits", {}, {}, { kind: "wait", ms: 1000 }],
    ["waits as long as it is told", { retryAfterMs: 5000 }, {}, { kind: "wait", ms: 5000 }],
    [
      "stops when that is too long",
      { retryAfterMs: 5001 },
      {},
      { kind: "stop", end: { kind: "provider", retryAtMs: 1_005_001 } },
    ],
    [
      "stops when no time is left",
      {},
      { remainingMs: 999 },
      { kind: "stop", end: { kind: "provider", retryAtMs: null } },
    ],
    ["stops after six tries", {}, { tries: 6 }, { kind: "stop", end: { kind: "provider" } }],
    ["stops at once when it is final", { verdict: "final" }, {}, { kind: "stop", end: { reason: "busy" } }],
    ["stops when cancelled", { verdict: "cancelled" }, {}, { kind: "stop", end: { kind: "cancelled" } }],
  ] as const)("%s", (_, failed, known, next) => {
    expect(afterFailure({ ...failure, ...failed }, { ...facts, ...known })).toMatchObject(next);
  });
});
