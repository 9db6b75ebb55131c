import { describe, expect, it } from "vitest";
import { sweepChanged } from "../kit/faults/mutant.ts";
import type { Tally } from "../kit/faults/sweep.ts";

const timeout = 60_000;

describe("the judge of the faults of a provider", () => {
  it.concurrent("notices calls that run though their reply never ended", { timeout }, async () => {
    const tally = await sweepChanged<Tally>(
      "faults",
      {
        file: "adapters/anthropic/assemble.ts",
        find: 'if (phase !== "stopped" || stopReason === null)',
        replace: "if (stopReason === null)",
      },
      ["work: end at byte", "--sample=60"],
    );
    expect(tally.toolsFromIncomplete).toBeGreaterThan(0);
    expect(tally.wrongOutcomes).toBeGreaterThan(0);
  });

  it.concurrent("notices tries that the next run begins to count anew", { timeout }, async () => {
    const tally = await sweepChanged<Tally>(
      "faults",
      { file: "loop/facts.ts", find: 'because: "resumed" }', replace: 'because: "resumed", tries: 0 }' },
      ["a storm at once, dies behind reply.failed 4, the storm goes on"],
    );
    expect(tally).toMatchObject({ cases: 1, wrongOutcomes: 1, hangs: 0 });
  });

  it.concurrent("notices a request that is waited for without end", { timeout }, async () => {
    const tally = await sweepChanged<Tally>(
      "faults",
      {
        file: "adapters/anthropic/silence.ts",
        find: "if (left <= 0) {",
        replace: "if (left <= Number.NEGATIVE_INFINITY) {",
      },
      ["talk: silence before any byte"],
    );
    expect(tally).toMatchObject({ cases: 1, hangs: 1 });
  });
});
