import { describe, expect, it } from "vitest";
import { evidenceTable } from "../../src/delivery/evidence.ts";
import type { EvidenceRow } from "../../src/gate/evidence.ts";
import { counts, row } from "./given-evidence.ts";

describe("the evidence", () => {
  it.each<[Partial<EvidenceRow>, string]>([
    [{}, "red | green | 9 passed, 1 failed → 10 passed"],
    [{ countsOnBase: null, countsOnTree: null }, "red | green | exit code only"],
    [{ countsOnBase: null }, "red | green | exit code only → 10 passed"],
    [
      { onTree: "ran nothing", countsOnTree: { ...counts(0, 0), skipped: 2, total: 2 } },
      "red | ran nothing | 9 passed, 1 failed → 2 skipped",
    ],
    [
      { onTree: "ran nothing", countsOnTree: counts(0, 0) },
      "red | ran nothing | 9 passed, 1 failed → 0 passed",
    ],
    [
      {
        countsOnBase: { ...counts(3, 0), unit: "packages" },
        countsOnTree: { ...counts(30, 0), isPartial: true },
      },
      "red | green | packages: 3 passed → at least 30 passed",
    ],
  ])("shows the counts of %j", (part, cells) => {
    expect(evidenceTable([{ ...row, ...part }])).toContain(`</code> | ${cells} | 540 ms |`);
  });

  it("names a check that ran fewer tests than on base", () => {
    const fewer = { ...row, countsOnTree: counts(9, 0) };
    expect(evidenceTable([fewer])).toContain(
      "- Fewer tests than on base, look closely: <code>test</code>: its runner reported 10 tests on base and 9 on this tree.",
    );
    expect(evidenceTable([row])).not.toContain("Fewer");
  });
});
