import { describe, expect, it } from "vitest";
import { afterFailure, backoffMs, comeBackMs } from "../../src/loop/retry.ts";

describe("the wait before another try", () => {
  it("has full jitter between one second and a window that doubles up to a minute (F3)", () => {
    expect([1, 2, 3, 4, 5, 6].map((tries) => backoffMs(tries, 0))).toEqual(Array(6).fill(1000));
    expect([1, 2, 3, 4, 5, 6].map((tries) => backoffMs(tries, 1))).toEqual([
      2000, 4000, 8000, 16_000, 32_000, 60_000,
    ]);
  });
});

describe("after a failed request", () => {
  const nowMs = 1_000_000;
  const failure = {
    kind: "failed",
    verdict: "again",
    reason: "busy",
    status: 529,
    retryAfterMs: null,
  } as const;
  const facts = { tries: 1, random: 0, remainingMs: 5000, nowMs };
  const wait = (ms: number) => ({ kind: "wait", ms });
  const stop = (reason: string, retryAtMs: number | null) => ({
    kind: "stop",
    end: { kind: "provider", reason, retryAtMs },
  });
  const late = "busy; the next try would be after the time budget";
  const sixth = "6 requests failed, the last one: busy";

  it.each([
    ["it waits", {}, {}, wait(1000)],
    ["it waits as long as it is told", { retryAfterMs: 5000 }, {}, wait(5000)],
    ["it waits its own time when it is told none", { retryAfterMs: 0 }, { random: 1 }, wait(2000)],
    ["it waits its own time when it is told less than that", { retryAfterMs: 999 }, {}, wait(1000)],
    ["it stops when that is too long", { retryAfterMs: 5001 }, {}, stop(late, nowMs + 5001)],
    ["it stops when no time is left", {}, { remainingMs: 999 }, stop(late, nowMs + comeBackMs)],
    ["it goes on after five tries", {}, { tries: 5 }, wait(1000)],
    ["it stops after six tries", {}, { tries: 6 }, stop(sixth, nowMs + comeBackMs)],
    ["it stops after six, told when", { retryAfterMs: 9000 }, { tries: 6 }, stop(sixth, nowMs + 9000)],
    ["it stops after six, told no time", { retryAfterMs: 0 }, { tries: 6 }, stop(sixth, nowMs + comeBackMs)],
    ["it stops at once when it is final", { verdict: "final" }, {}, stop("busy", null)],
    ["it stops at a limit that ends", { verdict: "final", retryAfterMs: 70 }, {}, stop("busy", nowMs + 70)],
    ["it stops when it is too large", { verdict: "too-large" }, {}, stop("busy", null)],
    ["it stops when cancelled", { verdict: "cancelled" }, {}, { kind: "stop", end: { kind: "cancelled" } }],
  ] as const)("%s (F1, F2, F3)", (_, failed, known, next) => {
    expect(afterFailure({ ...failure, ...failed }, { ...facts, ...known })).toEqual(next);
  });
});
