import type { Budget, Usage } from "../session/event.ts";
import type { State } from "../session/state.ts";
import { costOf, dearest, type Prices, priceOf } from "./prices.ts";

export type Spent = {
  readonly turns: number;
  readonly minutes: number;
  readonly tokens: number;
  readonly costUsd: number;
};

export type BudgetKind = "turns" | "minutes" | "tokens" | "cost";

/** For a model without a known price, where no cost limit was set explicitly. */
export const unpricedTokensMax = 20_000_000;

const told = 0.8;

/**
 * The budget that can be kept with this model: without a known price the default cost limit means nothing and a
 * limit on tokens takes its place; an explicit one is kept, by the dearest price known.
 */
export function budgetFor(
  budget: Budget,
  { model, prices, costExplicit }: { model: string; prices: Prices; costExplicit: boolean },
): Budget {
  if (priceOf(model, prices) !== null || costExplicit) return budget;
  return { ...budget, costUsd: null, tokens: budget.tokens ?? unpricedTokensMax };
}

/** `openMs` is the active time of a turn that has not ended, ms. */
export function spentOf(state: State, openMs: number): Spent {
  return {
    turns: state.turn.number,
    minutes: (state.activeMs + openMs) / 60_000,
    tokens: tokensOf(state.usage),
    costUsd: state.costUsd ?? costOf(state.usage, dearest),
  };
}

/** All tokens the provider worked on, cached ones included. */
export function tokensOf({ input, output, cacheRead, cacheWrite }: Usage): number {
  return input + output + cacheRead + cacheWrite;
}

/** The first budget that is used up, or null. Asked before a turn begins; one begun within may end over it. */
export function exhausted(budget: Budget, spent: Spent): BudgetKind | null {
  return shares(budget, spent).find(({ share }) => share >= 1)?.kind ?? null;
}

/** What to tell the model once, when a budget nears its end; null while there is enough of all. */
export function budgetNote(budget: Budget, spent: Spent): string | null {
  const near = shares(budget, spent).filter(({ share }) => share >= told);
  if (near.length === 0) return null;
  const parts = near.map(({ kind, share }) => `${Math.floor(share * 100)} % of the ${words[kind]}`);
  const turns = budget.turns - spent.turns;
  return (
    `${parts.join(" and ")} of this session is used; at most ${turns} turns are left. ` +
    "Finish what you can verify, and leave the workspace in a state that passes the checks."
  );
}

/** What is left of the time, ms. */
export function remainingMs(budget: Budget, spent: Spent): number {
  return Math.max(0, (budget.minutes - spent.minutes) * 60_000);
}

const words: Readonly<Record<BudgetKind, string>> = {
  turns: "turns",
  minutes: "time",
  tokens: "tokens",
  cost: "money",
};

function shares(budget: Budget, spent: Spent): readonly { kind: BudgetKind; share: number }[] {
  const of = (used: number, limit: number | null) => (limit === null ? 0 : limit <= 0 ? 1 : used / limit);
  return [
    { kind: "turns", share: of(spent.turns, budget.turns) },
    { kind: "minutes", share: of(spent.minutes, budget.minutes) },
    { kind: "tokens", share: of(spent.tokens, budget.tokens) },
    { kind: "cost", share: of(spent.costUsd, budget.costUsd) },
  ];
}
