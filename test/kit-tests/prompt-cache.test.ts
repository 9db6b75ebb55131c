import { describe, expect, it } from "vitest";
import { cacheLifeMs, promptCache } from "../kit/model/prefix.ts";
import type { WireBlock, WireRequest } from "../kit/model/wire.ts";

const mark = { cache_control: { type: "ephemeral" } } as const;

/** A prompt of blocks of a thousand tokens each, those at `marks` marked. */
function prompt(blocks: number, marks: readonly number[], model = "claude-sonnet-5"): WireRequest {
  const content = Array.from({ length: blocks }, (_, i): WireBlock => {
    const text = String(i).padStart(4000 - 35, "x");
    return { type: "text", text, ...(marks.includes(i) ? mark : {}) };
  });
  return { model, max_tokens: 1, messages: [{ role: "user", content }] };
}

/** Thousands of tokens: read from the cache, written to it, neither. */
function costs(cache: ReturnType<typeof promptCache>, request: WireRequest): readonly number[] {
  const used = cache.use(request);
  const counts = [used.cache_read_input_tokens, used.cache_creation_input_tokens, used.input_tokens];
  return counts.map((count) => Math.round(count / 1000));
}

describe("the simulated prompt cache", () => {
  it("reads what a request before wrote up to a mark, and writes the rest up to the last mark", () => {
    const cache = promptCache();
    expect(costs(cache, prompt(3, [1]))).toEqual([0, 2, 1]);
    expect(costs(cache, prompt(5, [1, 3]))).toEqual([2, 2, 1]);
    expect(costs(cache, prompt(5, []))).toEqual([0, 0, 5]);
  });

  it.each([
    [20, 2],
    [21, 0],
  ])("looks at twenty places from a mark backwards, itself the first (the mark at block %i)", (at, read) => {
    const cache = promptCache();
    costs(cache, prompt(2, [1]));
    expect(costs(cache, prompt(at + 1, [at]))[0]).toBe(read);
  });

  it.each([
    ["claude-opus-5", 1, 1],
    ["claude-opus-4-7", 1, 0],
    ["claude-opus-4-7", 3, 3],
    ["somebody-elses", 4, 0],
    ["somebody-elses", 5, 5],
  ])("of %s keeps no prefix that is too short: of %i thousand tokens %i", (model, blocks, kept) => {
    const cache = promptCache();
    costs(cache, prompt(blocks, [blocks - 1], model));
    expect(costs(cache, prompt(blocks, [blocks - 1], model))[0]).toBe(kept);
  });

  it("forgets what nothing has used for five minutes", () => {
    let now = 0;
    const cache = promptCache(() => now);
    const asked = () => costs(cache, prompt(2, [1]))[0];
    const read: unknown[] = [asked()];
    for (const ms of [cacheLifeMs - 1, cacheLifeMs - 1, cacheLifeMs]) {
      now += ms;
      read.push(asked());
    }
    expect(read).toEqual([0, 2, 2, 0]);
  });

  it("gives one model nothing of another's", () => {
    const cache = promptCache();
    costs(cache, prompt(2, [1]));
    expect(costs(cache, prompt(2, [1], "claude-opus-5"))[0]).toBe(0);
  });
});
