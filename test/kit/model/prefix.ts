import { createHash } from "node:crypto";
import { blocksOf, type WireBlock, type WireRequest } from "./wire.ts";

/** One unit of a prompt, in the order the API caches them: tools, then system, then messages. */
interface Unit {
  readonly bytes: string;
  readonly marked: boolean;
}

export interface PromptUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}

// The API looks at this many places for an earlier entry, the mark itself the first of them.
const lookbackPlaces = 20;

/** An entry is forgotten when nothing has read or written it for so long. */
export const cacheLifeMs = 5 * 60_000;

/**
 * Shorter prefixes are not kept, although they are marked. By model, from what is published as of 2026-10; what is not
 * listed is taken to need the most.
 */
const cacheableTokens: ReadonlyMap<string, number> = new Map([
  ["claude-opus-5", 512],
  ["claude-fable-5", 512],
  ["claude-mythos-5", 512],
  ["claude-opus-4-8", 1_024],
  ["claude-sonnet-5", 1_024],
  ["claude-opus-4-7", 2_048],
]);
const cacheableTokensMost = 4_096;

/**
 * True when `later` is `earlier` with nothing changed and possibly something added at its end.
 * Cache marks are ignored, and a string counts as the text block it stands for.
 */
export function extendsPrompt(earlier: WireRequest, later: WireRequest): boolean {
  const before = unitsOf(earlier);
  const after = unitsOf(later);
  return before.length <= after.length && before.every((unit, i) => unit.bytes === after[i]?.bytes);
}

/** A hash of everything the model reads, without the cache marks. */
export function promptHash(request: WireRequest): string {
  const hash = createHash("sha256");
  for (const unit of unitsOf(request)) hash.update(`${unit.bytes}\n`);
  return hash.digest("hex");
}

/**
 * A prompt cache that remembers the prefixes that were marked, and says what a request costs. `now` is monotonic time
 * in ms; entries belong to one model.
 */
export function promptCache(now: () => number = () => performance.now()): {
  use(request: WireRequest): PromptUsage;
} {
  const usedAt = new Map<string, number>();
  const lives = (prefix: string, at: number): boolean => at - (usedAt.get(prefix) ?? -Infinity) < cacheLifeMs;
  return {
    use(request) {
      const at = now();
      const units = unitsOf(request);
      const prefixes = prefixesOf(request.model, units);
      const marks = units.flatMap((unit, i) =>
        unit.marked && isLongEnough(request.model, prefixes[i]) ? [i] : [],
      );
      const hit = Math.max(-1, ...marks.map((mark) => longestEntry(prefixes, mark, (one) => lives(one, at))));
      const last = marks.at(-1) ?? -1;
      for (const mark of [hit, ...marks]) if (mark >= 0) usedAt.set(prefixes[mark]?.hash ?? "", at);
      return {
        input_tokens: tokensOf(units.slice(last + 1)),
        cache_creation_input_tokens: tokensOf(units.slice(hit + 1, last + 1)),
        cache_read_input_tokens: tokensOf(units.slice(0, hit + 1)),
      };
    },
  };
}

/** Tokens as the server counts them: four characters each. */
export function tokensOf(units: readonly { readonly bytes: string }[]): number {
  return units.reduce((sum, unit) => sum + Math.ceil(unit.bytes.length / 4), 0);
}

/** Tokens of a whole prompt. */
export function promptTokens(request: WireRequest): number {
  return tokensOf(unitsOf(request));
}

/** All of a prompt up to some block. */
interface Prefix {
  readonly hash: string;
  readonly tokens: number;
}

function longestEntry(prefixes: readonly Prefix[], mark: number, lives: (hash: string) => boolean): number {
  for (let i = mark; i > mark - lookbackPlaces && i >= 0; i--) {
    if (lives(prefixes[i]?.hash ?? "")) return i;
  }
  return -1;
}

function prefixesOf(model: string, units: readonly Unit[]): readonly Prefix[] {
  const hash = createHash("sha256").update(`${model}\n`);
  let tokens = 0;
  return units.map((unit) => {
    tokens += tokensOf([unit]);
    return { hash: hash.update(`${unit.bytes}\n`).copy().digest("hex"), tokens };
  });
}

function isLongEnough(model: string, prefix: Prefix | undefined): boolean {
  return (prefix?.tokens ?? 0) >= (cacheableTokens.get(model) ?? cacheableTokensMost);
}

function unitsOf(request: WireRequest): readonly Unit[] {
  const units = [
    ...(request.tools ?? []).map((tool) => unit("tool", tool)),
    ...blocksOf(request.system).map((block) => unit("system", block)),
    ...(request.messages ?? []).flatMap((m) => blocksOf(m.content).map((block) => unit(m.role, block))),
  ];
  // A mark at the top of the request stands for one on its last block.
  if (!request.cache_control) return units;
  return units.map((u, i) => (i === units.length - 1 ? { ...u, marked: true } : u));
}

function unit(role: string, block: Markable): Unit {
  return { bytes: `${role} ${JSON.stringify(withoutMarks(block))}`, marked: countMarks(block) > 0 };
}

interface Markable {
  readonly cache_control?: unknown;
  readonly content?: string | readonly WireBlock[];
}

/** How many cache marks a tool or a block carries, the blocks inside a tool result included. */
export function countMarks(block: Markable): number {
  const inner = Array.isArray(block.content) ? block.content : [];
  return inner.reduce((sum, child) => sum + countMarks(child), block.cache_control ? 1 : 0);
}

function withoutMarks(block: Markable): unknown {
  const { cache_control: _, ...rest } = block;
  return Array.isArray(rest.content) ? { ...rest, content: rest.content.map(withoutMarks) } : rest;
}
