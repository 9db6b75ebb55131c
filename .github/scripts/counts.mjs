// What vitest's JSON report and its exit code come to. Whatever went wrong without a failed test counts as one.

/** `report` is null when vitest wrote none; `checks` are the ones that passed before. */
export function countsOf(report, { passed, checks }) {
  if (report === null) return { passed: checks, failed: 1, skipped: 0 };
  const emptyFailures = report.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed"),
  ).length;
  const failed = report.numFailedTests + emptyFailures;
  return {
    passed: report.numPassedTests + checks,
    failed: failed === 0 && !passed ? 1 : failed,
    skipped: (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0),
  };
}

export function lineOf({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
