import { describe, expect, it } from "vitest";
import { budgetFor, budgetNote, exhausted, spentOf, unpricedTokensMax } from "../../src/loop/budget.ts";
import { anthropicPrices, priceOf, replyCost } from "../../src/loop/prices.ts";
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
