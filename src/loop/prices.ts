import type { Usage } from "../session/event.ts";

/** US dollars for a million tokens. `cacheWrite` is the five-minute kind, the only one that is asked for. */
export type Price = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
};

/** By model id without a date. `long` replaces `price` for every token of a request whose prompt is over `above` tokens. */
export type Prices = Readonly<
  Record<string, { readonly price: Price; readonly long?: { readonly above: number; readonly price: Price } }>
>;

/** The day that the list below was last compared with the published prices. */
export const pricesAsOf = "2026-10-24";

/**
 * Anthropic's list prices as of `pricesAsOf`, from copies of platform.claude.com/docs/en/about-claude/pricing;
 * model ids from @anthropic-ai/sdk 1.14.0, whose newest (fable-5-2, mythos-5-2) those copies do not price yet.
 * Sonnet 5.5's cache reads have cost 0.10 instead of 0.20 since 2026-10-07.
 */
export const anthropicPrices: Prices = {
  "claude-fable-5-1": flat(10, 50, 0.25),
  "claude-mythos-5-1": flat(10, 50, 0.25),
  "claude-fable-5": flat(10, 50, 1),
  "claude-mythos-5": flat(10, 50, 1),
  "claude-opus-5-5": flat(4, 20, 0.2),
  "claude-opus-5": flat(5, 25, 0.5),
  "claude-opus-4-8": flat(5, 25, 0.5),
  "claude-opus-4-7": flat(5, 25, 0.5),
  "claude-opus-4-6": flat(5, 25, 0.5),
  "claude-opus-4-5": flat(5, 25, 0.5),
  "claude-sonnet-5-5": flat(2, 10, 0.1),
  "claude-sonnet-5": flat(2, 10, 0.2),
  "claude-sonnet-4-6": flat(3, 15, 0.3),
  "claude-sonnet-4-5": flat(3, 15, 0.3),
  "claude-haiku-5-5": {
    ...flat(0.1, 0.5, 0.01),
    long: { above: 100_000, ...flat(0.5, 2.5, 0.05) },
  },
  "claude-haiku-4-5": flat(1, 5, 0.1),
};

/** What a token of an unknown model is taken to cost where a limit in dollars has to be kept all the same. */
export const dearest: Price = { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 };

/** Null for a model without a known price. A date at the end of the id does not matter. */
export function priceOf(model: string, prices: Prices, promptTokens = 0): Price | null {
  const entry = prices[model] ?? prices[model.replace(/-\d{8}$/, "")];
  if (entry === undefined) return null;
  return entry.long !== undefined && promptTokens > entry.long.above ? entry.long.price : entry.price;
}

/** US dollars. */
export function costOf(usage: Usage, price: Price): number {
  const { input, output, cacheRead, cacheWrite } = usage;
  return (
    (input * price.input +
      output * price.output +
      cacheRead * price.cacheRead +
      cacheWrite * price.cacheWrite) /
    1_000_000
  );
}

/** US dollars for one reply, or null where the model has no known price. */
export function replyCost(model: string, usage: Usage, prices: Prices): number | null {
  const price = priceOf(model, prices, usage.input + usage.cacheRead + usage.cacheWrite);
  return price === null ? null : costOf(usage, price);
}

function flat(input: number, output: number, cacheRead: number): { readonly price: Price } {
  return { price: { input, output, cacheRead, cacheWrite: input * 1.25 } };
}

/** What a failed try cost, as its record says it; nothing where the provider had not begun. */
export function paidFor(
  { usage }: { readonly usage?: Usage },
  { request: { model }, prices }: { readonly request: { readonly model: string }; readonly prices: Prices },
): { readonly usage?: Usage; readonly costUsd?: number | null } {
  return usage === undefined ? {} : { usage, costUsd: replyCost(model, usage, prices) };
}
