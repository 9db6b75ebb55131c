import type { Usage } from "./event.ts";

export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
  };
}

/** US dollars; null once a part is unknown, since a sum without it would be too low. */
export function addCost(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other;
}
