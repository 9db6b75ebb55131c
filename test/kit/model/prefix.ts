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

// The API looks for an earlier entry at most this many blocks before each mark.
const lookbackBlocks = 20;

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

/** A prompt cache that remembers the prefixes that were marked, and says what a request costs. */
export function promptCache(): { use(request: WireRequest): PromptUsage } {
  const entries = new Set<string>();
  return {
    use(request) {
      const units = unitsOf(request);
      const prefixes = prefixHashes(units);
      const marks = units.flatMap((unit, i) => (unit.marked ? [i] : []));
      const hit = Math.max(-1, ...marks.map((mark) => longestEntry(prefixes, mark, entries)));
      const last = marks.at(-1) ?? -1;
      for (const mark of marks) entries.add(prefixes[mark] ?? "");
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

function longestEntry(prefixes: readonly string[], mark: number, entries: ReadonlySet<string>): number {
  for (let i = mark; i >= Math.max(0, mark - lookbackBlocks); i--) {
    if (entries.has(prefixes[i] ?? "")) return i;
  }
  return -1;
}

function prefixHashes(units: readonly Unit[]): readonly string[] {
  const hash = createHash("sha256");
  return units.map((unit) => hash.update(`${unit.bytes}\n`).copy().digest("hex"));
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
