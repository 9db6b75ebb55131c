import { describe, expect, it } from "vitest";
import { countsIn, ranOf } from "../../src/gate/counts.ts";

/** `passed/failed/skipped`, or null. */
function shown(output: string): string | null {
  const counts = countsIn(output);
  if (counts === null) return null;
  const { passed, failed, skipped, total } = counts;
  expect(total).toBe(passed + failed + skipped);
  return `${passed}/${failed}/${skipped}`;
}

const outputs: readonly (readonly [string, string, string])[] = [
  [
    "vitest",
    " Test Files  1 failed | 2 passed (3)\n      Tests  2 failed | 5 passed | 1 skipped | 1 todo (9)\n",
    "5/2/2",
  ],
  [
    "vitest, in colours",
    "\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m1 passed\u001b[39m\u001b[22m\u001b[90m (1)\u001b[39m\n",
    "1/0/0",
  ],
  ["vitest without tests", "\nNo test files found, exiting with code 0\n", "0/0/0"],
  ["jest", "Test Suites: 1 failed, 1 total\nTests:       1 failed, 2 skipped, 3 passed, 6 total\n", "3/1/2"],
  ["jest without tests", "No tests found, exiting with code 0\n", "0/0/0"],
  ["mocha", "\n  5 passing (10ms)\n  1 pending\n  2 failing\n\n  1) adds\n", "5/2/1"],
  ["mocha without tests", "\n\n  0 passing (1ms)\n\n", "0/0/0"],
  [
    "node:test in words",
    "ℹ tests 5\nℹ suites 0\nℹ pass 1\nℹ fail 1\nℹ cancelled 1\nℹ skipped 1\nℹ todo 1\nℹ duration_ms 158.4\n",
    "1/2/2",
  ],
  [
    "node:test in TAP",
    "TAP version 13\n# Subtest: a\nok 1 - a\n1..1\n# tests 1\n# suites 0\n# pass 1\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n",
    "1/0/0",
  ],
  ["node:test without tests", "TAP version 13\n1..0\n# tests 0\n# suites 0\n# pass 0\n# fail 0\n", "0/0/0"],
  [
    "tape",
    "TAP version 13\n# adds\nok 1 should be strictly equal\nnot ok 2 x\n\n1..2\n# tests 2\n# pass  1\n# fail  1\n",
    "1/1/0",
  ],
  ["tap", "  🌈 TEST COMPLETE 🌈\n# { total: 4, pass: 2, fail: 1, skip: 1 }\n", "2/1/1"],
  ["TAP without a summary", "1..4\nok 1 - a\nok 2 - b # SKIP no net\nnot ok 3 - c\nok 4\n", "2/1/1"],
  ["ava", "\n  3 tests passed\n  1 test failed\n  2 tests skipped\n", "3/1/2"],
  ["pytest", "=== 3 passed, 1 failed, 2 skipped, 1 xfailed, 4 warnings in 0.12s ===\n", "3/1/3"],
  ["pytest, long", "======= 1 failed, 300 passed, 1 error in 75.10s (0:01:15) =======\n", "300/2/0"],
  ["pytest -q", "...\n3 passed in 0.01s\n", "3/0/0"],
  ["pytest without tests", "==== no tests ran in 0.01s ====\n", "0/0/0"],
  ["unittest", "Ran 6 tests in 0.002s\n\nFAILED (failures=1, errors=1, skipped=2)\n", "2/2/2"],
  [
    "unittest, with failures that are expected",
    "Ran 4 tests in 0.001s\n\nFAILED (failures=1, skipped=1, expected failures=1)\n",
    "1/1/2",
  ],
  [
    "unittest, with successes that are not",
    "Ran 2 tests in 0.001s\n\nFAILED (unexpected successes=1)\n",
    "1/1/0",
  ],
  [
    "TAP with tests in files",
    "1..1\nnot ok 1 - a.test.mjs # time=5ms {\n    1..3\n    not ok 1 - a # time=2ms\n    ok 2 - b # SKIP\n    ok 3 - c # time=0ms\n}\n",
    "1/1/1",
  ],
  ["node:test in XML", "\t<!-- tests 2 -->\n\t<!-- pass 1 -->\n\t<!-- fail 1 -->\n", "1/1/0"],
  ["unittest, all fine", "Ran 3 tests in 0.000s\n\nOK\n", "3/0/0"],
  ["unittest without tests", "Ran 0 tests in 0.000s\n\nNO TESTS RAN\n", "0/0/0"],
  [
    "go test -v",
    "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/one (0.00s)\n--- SKIP: TestB (0.00s)\n--- FAIL: TestC (0.00s)\nok  \texample.com/a\t0.003s\n",
    "2/1/1",
  ],
  [
    "go test -json",
    '{"Time":"x","Action":"pass","Package":"a","Test":"TestA","Elapsed":0}\n{"Action":"pass","Package":"a"}\n',
    "1/0/0",
  ],
  [
    "go test by packages",
    "ok  \texample.com/a\t0.003s\nok  \texample.com/b\t(cached)\nFAIL\texample.com/c\t0.1s\n?   \texample.com/d\t[no test files]\n",
    "2/1/0",
  ],
  [
    "go test without tests",
    "?   \texample.com/d\t[no test files]\nok  \texample.com/e\t0.002s [no tests to run]\n",
    "0/0/0",
  ],
  [
    "cargo test",
    "running 4 tests\ntest result: FAILED. 3 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
    "3/1/1",
  ],
  ["cargo nextest", "     Summary [   0.010s] 4 tests run: 3 passed, 1 failed, 2 skipped\n", "3/1/2"],
  ["rspec", "Finished in 0.1 seconds\n5 examples, 1 failure, 2 pending\n", "2/1/2"],
  ["minitest", "5 runs, 9 assertions, 1 failures, 1 errors, 1 skips\n", "2/2/1"],
  [
    "test-unit",
    "3 tests, 5 assertions, 0 failures, 0 errors, 1 pendings, 0 omissions, 0 notifications\n",
    "2/0/1",
  ],
  ["phpunit", "OK (3 tests, 5 assertions)\n", "3/0/0"],
  [
    "phpunit, with failures",
    "FAILURES!\nTests: 6, Assertions: 5, Failures: 1, Errors: 1, Skipped: 1, Incomplete: 1.\n",
    "2/2/2",
  ],
  ["phpunit without tests", "No tests executed!\n", "0/0/0"],
  [
    "maven",
    "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.05 s - in a.ATest\n[INFO] Results:\n[WARNING] Tests run: 4, Failures: 1, Errors: 0, Skipped: 1\n",
    "2/1/1",
  ],
  ["maven without tests", "[INFO] No tests to run.\n", "0/0/0"],
  ["gradle", "6 tests completed, 1 failed, 2 skipped\n", "3/1/2"],
  ["gradle, line by line", "> Task :test\nATest > adds() PASSED\nATest > subtracts() FAILED\n", "1/1/0"],
  ["gradle without tests", "> Task :test NO-SOURCE\nBUILD SUCCESSFUL in 1s\n", "0/0/0"],
  [
    "dotnet test",
    "Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4, Duration: 5 ms - a.dll (net8.0)\n",
    "3/0/1",
  ],
  [
    "dotnet test in short",
    "Test summary: total: 4, failed: 1, succeeded: 2, skipped: 1, duration: 1.0s\n",
    "2/1/1",
  ],
  ["playwright", "  1 failed\n  3 passed (1.2s)\n", "3/1/0"],
  ["bun", " 3 pass\n 1 fail\n 4 expect() calls\nRan 4 tests across 1 files. [8.00ms]\n", "3/1/0"],
  ["deno", "ok | 3 passed | 0 failed | 1 ignored (5ms)\n", "3/0/1"],
  [
    "two packages one after the other",
    "# tests 3\n# pass 3\n# fail 0\n# tests 2\n# pass 2\n# fail 0\n",
    "5/0/0",
  ],
  ["packages by name", "@a/x:test:       Tests  2 passed (2)\npackages/y test: # pass 4\n", "6/0/0"],
  ["a line that a progress bar overwrote", "running\r=== 2 passed in 0.01s ===\n", "2/0/0"],
];

describe("countsIn", () => {
  it.each(outputs)("reads %s", (_, output, expected) => {
    expect(shown(output)).toBe(expected);
  });

  it.each([
    "",
    "> demo@1.0.0 test\n> node check.js\n\nfine\n",
    "Checked 12 files in 30ms. No fixes applied.\n",
    "2 warnings in 3 files\n",
    "all tests passed\n",
    "webpack compiled with 3 warnings in 500ms\n",
    "BUILD SUCCESSFUL in 1s\n",
    "Compiled 3 files in 0.5s\n",
  ])("says nothing of %j", (output) => {
    expect(countsIn(output)).toBeNull();
  });

  it("says when an output was cut, and that go counts packages", () => {
    expect(countsIn("ok 1 - a\n[cut here: 1,024 bytes, 30 line ends]\nok 9 - b\n")).toMatchObject({
      passed: 2,
      isPartial: true,
      unit: "tests",
    });
    expect(countsIn("ok  \tx\t0.003s\n")).toMatchObject({ isPartial: false, unit: "packages" });
  });

  it("does not count what was skipped as run", () => {
    const counts = countsIn("Tests:       2 skipped, 2 total\n");
    expect(counts && ranOf(counts)).toBe(0);
  });
});
