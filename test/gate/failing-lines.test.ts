import { expect, it } from "vitest";
import { failingLines } from "../../src/gate/failing-lines.ts";

it.each<[of: string, output: string, path: string, line: number]>([
  ["tsc", "src/a.ts(3,5): error TS2322: Type 'x'.", "src/a.ts", 3],
  ["tsc in colours of its own", "src/a.ts:3:5 - error TS2322: Type 'x'.", "src/a.ts", 3],
  [
    "eslint's unix format",
    "/home/x/checkout/src/a.js:12:7: Missing semicolon. [Error/semi]",
    "/home/x/checkout/src/a.js",
    12,
  ],
  ["node", "    at add (file:///tmp/checkout/src/a.mjs:3:9)", "/tmp/checkout/src/a.mjs", 3],
  ["vitest", " ❯ test/a.test.ts:20:13", "test/a.test.ts", 20],
  ["jest", "      at Object.<anonymous> (test/a.test.js:4:17)", "test/a.test.js", 4],
  ["pytest", "tests/test_a.py:12: AssertionError", "tests/test_a.py", 12],
  ["python", '  File "/x/app/a.py", line 7, in add', "/x/app/a.py", 7],
  ["go", "    a_test.go:15: got 1, want 2", "a_test.go", 15],
  ["rustc", "  --> src/lib.rs:3:5", "src/lib.rs", 3],
  ["gcc", "src/a.c:10:3: error: expected ';'", "src/a.c", 10],
  ["ruby", "  1) Failure: TestA#test_b [test/a_test.rb:9]:", "test/a_test.rb", 9],
])("finds the failing line in what %s prints", (_, output, path, line) => {
  expect(failingLines(`before\n${output}\nafter`)).toEqual([{ path, line, message: output.trim() }]);
});

it.each([
  "at 12:30:45 it began",
  "version 1.2.3:4",
  "https://example.com:8080/a",
  "http://localhost:3000",
  "3 passed, 1 failed",
  "a.ts:0",
])("finds none in %s", (output) => {
  expect(failingLines(output)).toEqual([]);
});

it("tells each place once, and not without end", () => {
  expect(failingLines("a.ts:1:2\na.ts:1:9\na.ts:2:1").map(({ line }) => line)).toEqual([1, 2]);
  expect(failingLines(Array.from({ length: 900 }, (_, i) => `a.ts:${i + 1}`).join("\n"))).toHaveLength(200);
});
