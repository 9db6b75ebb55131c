import { describe, expect, it } from "vitest";
import { evidenceTable } from "../../src/delivery/evidence.ts";
import { type EvidenceRow, heldAgainst } from "../../src/gate/evidence.ts";
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

  it.each<[EvidenceRow["proof"], string]>([
    [
      { kind: "proved", how: "1 of 5 tests, 0 without those tests" },
      "- **Red to green** by <code>test</code>: with the tests of the change alone it failed on base (1 of 5 tests, 0 without those tests), and it passes on this tree.",
    ],
    [{ kind: "not-proved", why: "it passes" }, "- **No proof** by <code>test</code>: it passes."],
    [
      { kind: "not-provable", why: "it is slow" },
      "- **No proof** by <code>test</code>, and none can be had: it is slow.",
    ],
  ])("says below the table whether the fix is proved, as by %j", (proof, line) => {
    expect(evidenceTable([{ ...row, ...(proof && { proof }) }])).toContain(`\n\n${line}`);
    expect(evidenceTable([row])).not.toMatch(/proof|Red to green/i);
  });

  it("says by what rule a check that was red before is not held against the change", () => {
    const red: EvidenceRow = { ...row, check: "lint", onTree: "red" };
    expect(evidenceTable([row, red])).toContain(
      "\n\nRed without the change too, and not worse with it, so not held against it: <code>lint</code>.",
    );
    expect(evidenceTable([row])).not.toContain("without the change");
    expect(evidenceTable(heldAgainst([row, red], [{ check: "lint" }]))).not.toContain("without the change");
  });
});
