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

// The model is told when a budget is as far used up as this, and again at the second share or before its last turn.
const shareNear = 0.8;
const shareLast = 0.95;

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

/** How near the end is: 0 while there is enough of all, 1 when a budget runs short, 2 when one is nearly used up. */
export function nearness(budget: Budget, spent: Spent): 0 | 1 | 2 {
  const highest = Math.max(...shares(budget, spent).map(({ share }) => share));
  if (highest >= shareLast || budget.turns - spent.turns <= 1) return 2;
  return highest >= shareNear ? 1 : 0;
}

/** What to tell the model once it is nearer to the end than the `told` notes before this one say; else null. */
export function budgetNote(budget: Budget, spent: Spent, told: number): string | null {
  if (nearness(budget, spent) <= told) return null;
  const short = shares(budget, spent).filter(({ kind, share }) => kind === "turns" || share >= shareNear);
  const left = leftOf(
    budget,
    spent,
    short.map(({ kind }) => kind),
  );
  return (
    `Left of this session's budget: ${left.join(", ")}. When one of these is used up, the session stops as it is then. ` +
    "Finish what you can verify, and leave the workspace in a state that passes the checks."
  );
}

/** What is left of each limit there is, such as `12 of 60 turns`; parts are rounded down. */
export function leftOf(
  budget: Budget,
  spent: Spent,
  kinds: readonly BudgetKind[] = ["turns", "minutes", "tokens", "cost"],
): readonly string[] {
  const left: Readonly<Record<BudgetKind, string | null>> = {
    turns: `${wholeLeft(budget.turns, spent.turns)} of ${budget.turns} turns`,
    minutes: `${wholeLeft(budget.minutes, spent.minutes)} of ${budget.minutes} minutes`,
    tokens:
      budget.tokens === null ? null : `${wholeLeft(budget.tokens, spent.tokens)} of ${budget.tokens} tokens`,
    cost:
      budget.costUsd === null
        ? null
        : `$${(wholeLeft(budget.costUsd * 100, spent.costUsd * 100) / 100).toFixed(2)} of $${budget.costUsd.toFixed(2)}`,
  };
  return kinds.flatMap((kind) => left[kind] ?? []);
}

function wholeLeft(limit: number, used: number): number {
  return Math.max(0, Math.floor(limit - used));
}

/** What is left of the time, ms. */
export function remainingMs(budget: Budget, spent: Spent): number {
  return Math.max(0, (budget.minutes - spent.minutes) * 60_000);
}

function shares(budget: Budget, spent: Spent): readonly { kind: BudgetKind; share: number }[] {
  const of = (used: number, limit: number | null) => (limit === null ? 0 : limit <= 0 ? 1 : used / limit);
  return [
    { kind: "turns", share: of(spent.turns, budget.turns) },
    { kind: "minutes", share: of(spent.minutes, budget.minutes) },
    { kind: "tokens", share: of(spent.tokens, budget.tokens) },
    { kind: "cost", share: of(spent.costUsd, budget.costUsd) },
  ];
}
