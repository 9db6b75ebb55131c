import type { EvidenceRow } from "../../src/gate/evidence.ts";

export const counts = (passed: number, failed: number) =>
  ({ passed, failed, skipped: 0, total: passed + failed, unit: "tests", isPartial: false }) as const;

/** One check, red on base. */
export const row: EvidenceRow = {
  check: "test",
  command: "npm test | tee log",
  dir: "",
  onBase: "red",
  msOnBase: 510,
  countsOnBase: counts(9, 1),
  onTree: "green",
  msOnTree: 540,
  countsOnTree: counts(10, 0),
};
