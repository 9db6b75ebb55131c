import { describe, expect, it } from "vitest";
import { restMs } from "../../src/app/looks.ts";

describe("the looks at a thread", () => {
  it.each([
    [1, 0],
    [0.5, 0],
    [0.25, 60_000],
    [0.1, 150_000],
    [0, 600_000],
  ])("with %d of the allowance left rest for %d ms", (left, ms) => {
    expect(restMs({ left })).toBe(ms);
  });
});
