import { describe, expect, it } from "vitest";
import type { Tally } from "../kit/delivery/sweep.ts";
import { sweepChanged } from "../kit/faults/mutant.ts";

const timeout = 60_000;

describe("the judge of a delivery that GitHub fails", () => {
  it.concurrent("notices what is made again without a look for it", { timeout }, async () => {
    const tally = await sweepChanged<Tally>(
      "delivery",
      {
        file: "delivery/effect.ts",
        find: "const seen = await lookAgain(effect, tools);",
        replace: "const seen: Awaited<ReturnType<typeof lookAgain<T>>> = null;",
      },
      ["issue: POST /issues/N/comments #1: applied, then cut"],
    );
    expect(tally).toMatchObject({ cases: 2, duplicates: 1, missing: 0 });
  });

  it.concurrent("notices comments of ours that are taken for one another", { timeout }, async () => {
    const tally = await sweepChanged<Tally>(
      "delivery",
      {
        file: "adapters/github/comments.ts",
        find: '(comment.body ?? "").includes(marker)',
        replace: "marker !== null",
      },
      ["issue: POST /git/refs #1: cut before"],
    );
    expect(tally.cases).toBe(2);
    expect(tally.missing).toBeGreaterThan(0);
  });
});
