import { describe, expect, it } from "vitest";
import { memoryChecks } from "../../src/adapters/memory/checks.ts";
import { countsIn } from "../../src/gate/counts.ts";
import { newFailures } from "../../src/gate/failed-tests.ts";
import { judge } from "../../src/gate/gate.ts";
import { base, gate, outcomes } from "./given-gate.ts";

const told = (output: string) => ({ exitCode: 1, timedOut: false, ms: 5, output, counts: countsIn(output) });
const summary = "# tests 5\n# pass 4\n# fail 1\n";
const failing = (lines: string) => told(`${lines}\n${summary}`);

/** What each runner prints of the test `adds`, and of `subtracts`, in runs that are not alike in anything else. */
const runners: readonly (readonly [string, string, string, string])[] = [
  ["tap", "not ok 3 - adds # time=12ms", "not ok 4 - adds # time=7ms", "not ok 5 - subtracts"],
  ["node", "✖ adds (1.25ms)", "✖ adds (0.9ms)", "✖ subtracts (1ms)"],
  [
    "node, of a file",
    "✖ /tmp/a1/checkout/test/adds.test.mjs (41ms)",
    "✖ /tmp/b2/checkout/test/adds.test.mjs (38ms)",
    "✖ /tmp/b2/checkout/test/subtracts.test.mjs (2ms)",
  ],
  [
    "vitest",
    " FAIL  test/sum.test.ts > adds",
    " FAIL  test/sum.test.ts > adds",
    " FAIL  test/sum.test.ts > subtracts",
  ],
  ["vitest's list", "   × adds 12ms", "   × adds 3ms", "   × subtracts 4ms"],
  ["jest", "  ● sum › adds", "  ● sum › adds", "  ● sum › subtracts"],
  ["mocha", "    1) adds", "    2) adds", "    3) subtracts"],
  ["bun", "(fail) sum > adds [0.10ms]", "(fail) sum > adds [2.00ms]", "(fail) sum > subtracts [1.00ms]"],
  ["deno", "adds ... FAILED (3ms)", "adds ... FAILED (12ms)", "subtracts ... FAILED (1ms)"],
  [
    "pytest",
    "FAILED t.py::test_adds - assert 3 == 4",
    "FAILED t.py::test_adds - assert 5 == 4",
    "FAILED t.py::test_subtracts",
  ],
  [
    "unittest",
    "FAIL: test_adds (t.SumTest.test_adds)",
    "FAIL: test_adds (t.SumTest.test_adds)",
    "ERROR: test_subtracts (t.SumTest)",
  ],
  [
    "go",
    "--- FAIL: TestAdds (0.00s)",
    "--- FAIL: TestAdds (0.12s)",
    "    --- FAIL: TestSubtracts/of_two (0.00s)",
  ],
  ["cargo", "test adds ... FAILED", "test adds ... FAILED", "test subtracts ... FAILED"],
  [
    "rspec",
    "rspec ./sum_spec.rb:4 # Sum adds",
    "rspec ./sum_spec.rb:9 # Sum adds",
    "rspec ./sum_spec.rb:12 # Sum subtracts",
  ],
  ["phpunit", "1) SumTest::testAdds", "2) SumTest::testAdds", "1) SumTest::testSubtracts"],
  ["gradle", "SumTest > adds FAILED", "SumTest > adds FAILED", "SumTest > subtracts FAILED"],
  [
    "maven",
    "[ERROR]   SumTest.adds:12 expected:<3>",
    "[ERROR]   SumTest.adds:19 expected:<3>",
    "[ERROR]   SumTest.subtracts:30 no",
  ],
  [
    "dotnet",
    "  Failed Sum.Tests.Adds [12 ms]",
    "  Failed Sum.Tests.Adds [3 ms]",
    "  Failed Sum.Tests.Subtracts [1 ms]",
  ],
];

describe("the tests that fail only with a change", () => {
  it.each(runners)(
    "are told by the names that %s prints, whatever else is another",
    (_, before, now, other) => {
      expect(newFailures(failing(before), failing(now))).toEqual([]);
      expect(newFailures(failing(before), failing(`${other}\n${now}`))).toHaveLength(1);
      expect(newFailures(failing(before), failing(other))[0]).toMatch(/subtracts/i);
    },
  );

  it("are not known where base named none, or not all", () => {
    expect(newFailures(failing("1 test failed"), failing("✖ adds (1ms)"))).toEqual([]);
    const cut = "✖ adds (1ms)\n[cut here: 9 bytes, 1 line end]";
    expect(newFailures(failing(cut), failing("✖ subtracts (1ms)"))).toEqual([]);
  });

  it("are no lines of a linter", () => {
    const lint = (count: number) =>
      `  ${count}:7  error  no\n\n✖ ${count} problems (${count} errors, 0 warnings)`;
    expect(newFailures(told(lint(4)), told(lint(3)))).toEqual([]);
    expect(newFailures(failing(`${lint(4)}\n✖ adds`), failing(`${lint(3)}\n✖ adds`))).toEqual([]);
  });

  it("go back to the model by name where as many failed before, and others do now", async () => {
    const run = (name: string) => ({ ...outcomes.failing, output: `✖ ${name} (1ms)\n${summary}` });
    const { asked } = gate({ test: ["failing", "failing"], lint: ["green", "green"] });
    const port = (now: string) =>
      memoryChecks(({ name }, tree) => {
        if (name === "lint") return outcomes.green;
        return tree === base ? run("adds") : run(now);
      });
    expect((await judge({ ...asked, port: port("adds") })).kind).toBe("passed");
    const verdict = await judge({ ...asked, port: port("subtracts") });
    expect(verdict).toMatchObject({ findings: [{ kind: "broke", newFailures: ["subtracts"] }] });
    expect(verdict.kind === "failed" && verdict.text).toContain(
      "exit code 1, and 1 test fails that did not without the change.\n<tests that fail only with your change>subtracts</>",
    );
  });
});
