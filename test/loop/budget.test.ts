import { describe, expect, it } from "vitest";
import {
  budgetFor,
  budgetNote,
  exhausted,
  leftOf,
  nearness,
  spentOf,
  unpricedTokensMax,
} from "../../src/loop/budget.ts";
import { anthropicPrices, dearest, priceOf, pricesAsOf, replyCost } from "../../src/loop/prices.ts";
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

  it("is never more than what a model of unknown price is taken to cost", () => {
    const known = Object.values(anthropicPrices).flatMap(({ price, long }) => [price, long?.price ?? price]);
    for (const kind of ["input", "output", "cacheRead", "cacheWrite"] as const)
      expect(Math.max(...known.map((price) => price[kind]))).toBeLessThanOrEqual(dearest[kind]);
  });

  it("comes from a list that names its day", () => {
    expect(new Date(pricesAsOf).toISOString().slice(0, 10)).toBe(pricesAsOf);
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
    ["nothing", {}, null],
    ["all turns but one", { turns: 59 }, null],
    ["all turns", { turns: 60 }, "turns"],
    ["more turns than there are", { turns: 61 }, "turns"],
    ["nearly all minutes", { minutes: 49.99 }, null],
    ["all minutes", { minutes: 50 }, "minutes"],
    ["nearly all dollars", { costUsd: 4.99 }, null],
    ["all dollars", { costUsd: 5 }, "cost"],
    ["many tokens without a limit", { tokens: 1e9 }, null],
  ])("after %s", (_, over, kind) => {
    expect(exhausted(budget, { ...spentOf(initialState, 0), ...over })).toBe(kind);
  });

  it.each([
    ["a limit on tokens", { tokens: 1000 }, { tokens: 1000 }, "tokens"],
    ["a limit of nothing at all", { costUsd: 0 }, {}, "cost"],
  ])("with %s", (_, limit, over, kind) => {
    expect(exhausted({ ...budget, ...limit }, { ...spentOf(initialState, 0), ...over })).toBe(kind);
  });

  it("takes a model of unknown price for the dearest one, never for free", () => {
    const state = { ...initialState, costUsd: null, usage: usage(1e6, 1e5, 1e6, 1e5) };
    expect(spentOf(state, 0).costUsd).toBeCloseTo(10 + 5 + 1 + 1.25, 5);
  });

  it("counts every token that the provider worked on", () => {
    expect(spentOf({ ...initialState, usage: usage(1, 2, 4, 8) }, 0).tokens).toBe(15);
  });

  it("counts the open turn's time", () => {
    expect(spentOf({ ...initialState, activeMs: 60_000 }, 30_000).minutes).toBe(1.5);
  });
});

describe("what the model is told of its budget", () => {
  const spent = (over: object) => ({ ...spentOf(initialState, 0), ...over });

  it.each([
    ["nothing is used", budget, {}, 0],
    ["most turns are used", budget, { turns: 48 }, 1],
    ["nearly all turns are used", budget, { turns: 57 }, 2],
    ["one turn of few is left", { ...budget, turns: 3 }, { turns: 2 }, 2],
    ["there was only one turn", { ...budget, turns: 1 }, {}, 2],
    ["most of the time is used", budget, { minutes: 40 }, 1],
    ["nearly all of the time is used", budget, { minutes: 47.5 }, 2],
    ["most tokens are used", { ...budget, tokens: 1000 }, { tokens: 800 }, 1],
    ["many tokens are used without a limit", budget, { tokens: 1e9 }, 0],
    ["most of the money is used", budget, { costUsd: 4 }, 1],
    ["nearly all of the money is used", budget, { costUsd: 4.75 }, 2],
  ])("comes nearer as %s", (_, limits, over, near) => {
    expect(nearness(limits, spent(over))).toBe(near);
  });

  it.each([
    ["nothing while there is enough", { turns: 47 }, 0, null],
    ["the turns alone", { turns: 48, minutes: 39 }, 0, "12 of 60 turns."],
    [
      "each one that runs short, and the turns",
      { turns: 10, minutes: 41.5, costUsd: 4.333 },
      0,
      "50 of 60 turns, 8 of 50 minutes, $0.66 of $5.00.",
    ],
    ["nothing again while it is as near", { turns: 52 }, 1, null],
    ["told again before the end", { turns: 58 }, 1, "2 of 60 turns."],
    ["nothing a third time", { turns: 59 }, 2, null],
  ])("is %s", (_, over, told, left) => {
    const note = budgetNote(budget, spent(over), told);
    if (left === null) expect(note).toBeNull();
    else expect(note).toContain(`Left of this session's budget: ${left} When one`);
  });

  it("names every limit there is, rounded down and never below nothing", () => {
    const limits = { turns: 60, minutes: 50, tokens: 1000, costUsd: 5 };
    const used = spent({ turns: 61, minutes: 0.5, tokens: 1, costUsd: 4.999 });
    expect(leftOf(limits, used)).toEqual([
      "0 of 60 turns",
      "49 of 50 minutes",
      "999 of 1000 tokens",
      "$0.00 of $5.00",
    ]);
    expect(leftOf({ ...limits, tokens: null, costUsd: null }, spent({}))).toEqual([
      "60 of 60 turns",
      "50 of 50 minutes",
    ]);
  });
});
