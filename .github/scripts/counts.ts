// What vitest's JSON report and its exit code come to. Whatever went wrong without a failed test counts as one.

export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };

/** What of the report is read; the names are vitest's. */
export type Report = {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
};

/** `report` is null when vitest wrote none; `checks` are the ones that passed before. */
export function countsOf(
  report: Report | null,
  { passed, checks }: { readonly passed: boolean; readonly checks: number },
): Counts {
  if (report === null) return { passed: checks, failed: 1, skipped: 0 };
  const emptyFailures = report.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed"),
  ).length;
  const failed = report.numFailedTests + emptyFailures;
  return {
    passed: report.numPassedTests + checks,
    failed: failed === 0 && !passed ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

export function lineOf({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
