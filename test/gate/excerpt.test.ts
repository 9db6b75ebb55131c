import { describe, expect, it } from "vitest";
import { excerptOf } from "../../src/gate/excerpt.ts";

const filler = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `  ok step ${from + at} went as it should have gone`);
const around = (...lines: readonly string[]) =>
  `${[...filler(0, 200), ...lines, ...filler(200, 400)].join("\n")}\n`;

const failures: readonly (readonly [string, string])[] = [
  ["node", "✖ adds two numbers (1.2ms)"],
  ["tap", "not ok 3 - adds two numbers"],
  ["jest", "  ● sum › adds two numbers"],
  ["vitest", " FAIL  test/sum.test.ts > adds two numbers"],
  ["vitest, in colours", "\u001b[31m FAIL \u001b[0m test/sum.test.ts"],
  ["mocha", "  1) adds two numbers"],
  ["bun", "(fail) adds two numbers [0.10ms]"],
  ["pytest", "E       assert 3 == 4"],
  ["pytest's list", "FAILED test_sum.py::test_adds - assert 3 == 4"],
  ["unittest", "FAIL: test_adds (test_sum.SumTest)"],
  ["python", "ModuleNotFoundError: No module named 'sum'"],
  ["go", "--- FAIL: TestAdds (0.00s)"],
  ["rust", "thread 'adds' panicked at src/lib.rs:7:9:"],
  ["rust's compiler", "error[E0425]: cannot find value `x` in this scope"],
  ["gradle", "SumTest > adds FAILED"],
  ["maven", "[ERROR] SumTest.adds:12 expected:<3> but was:<4>"],
  ["tsc", "src/sum.ts(3,7): error TS2322: Type 'string' is not assignable"],
  ["eslint", "  3:7  error  'x' is never used  no-unused-vars"],
  ["what was compared", "+ actual: 3"],
  ["a place", "    at sum (src/sum.ts:3:7)"],
];

describe("an output that is too long for the model", () => {
  it("stays as it is where it fits", () => {
    expect(excerptOf("a\nb\n", 4)).toBe("a\nb\n");
  });

  it.each(failures)("keeps the line in its middle by which %s says what failed", (_, line) => {
    const shown = excerptOf(around(line), 2_000).split("\n");
    expect(shown).toContain(line);
    expect(shown[0]).toContain("step 0 ");
    expect(shown.at(-2)).toContain("step 399 ");
  });

  it("keeps no line that says nothing of a failure, and counts what it leaves out", () => {
    const output = around("Error: one", "nothing", "Error: two");
    const shown = excerptOf(output, 2_000);
    expect(shown.slice(shown.indexOf("[cut"), shown.indexOf("[the end"))).toMatchInlineSnapshot(`
      "[cut here: 15,706 bytes, 377 line ends; 2 lines here say what failed, and of these all are shown]
      Error: one
      Error: two
      "
    `);
    expect(accounted(output, shown)).toBe(true);
  });

  it("keeps what names a failure before what names a place where not all fit, and says how many there are", () => {
    const places = Array.from({ length: 200 }, (_, at) => `    at f (src/a.ts:${at}:1)`);
    const shown = excerptOf(
      around(...places.slice(100), "TypeError: x is no function", ...places.slice(0, 100)),
      2_000,
    );
    expect(shown).toContain("TypeError: x is no function");
    expect(shown).toMatch(/201 lines here say what failed, and of these \d\d are shown\]/);
  });

  it("keeps the line of a cut that was made before", () => {
    const mark = "[cut here: 900,000 bytes, 12,000 line ends]";
    expect(excerptOf(around(mark), 2_000)).toContain(mark);
  });

  it.each([
    ["one line", "x".repeat(20_000)],
    ["one line of pairs", "\u{1f600}".repeat(5_000)],
    ["line ends", "\n".repeat(20_000)],
    ["failures", "Error: no\n".repeat(2_000)],
    ["lines without a last end", around("Error: no").trimEnd()],
  ])("accounts for every byte and stays within its bounds where it is nothing but %s", (_, output) => {
    for (const bytesMax of [400, 1_000, 5_000]) {
      const shown = excerptOf(output, bytesMax);
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(bytesMax);
      expect(accounted(output, shown)).toBe(true);
    }
  });
});

/** Whether what is shown and what is said to be cut is all there was. */
function accounted(output: string, shown: string): boolean {
  const [mark = "", cut = ""] = /\[cut here: ([\d,]+) bytes?.*\]\n/.exec(shown) ?? [];
  const own = [mark, "[the end of the output:]\n"].reduce((text, line) => text.replace(line, ""), shown);
  const missing = Buffer.byteLength(output) - Number(cut.replaceAll(",", ""));
  // A part of a line that stands before a line of ours gets an end.
  return Buffer.byteLength(own) - missing >= 0 && Buffer.byteLength(own) - missing <= 1;
}
