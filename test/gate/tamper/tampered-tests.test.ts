import { describe, expect, it } from "vitest";
import { edit, kindsFound, type Sides } from "../given-change.ts";

const js = `import { test, expect } from "vitest";
import * as mod from "../src/mod.js";
import { add } from "../src/add.js";

test("adds", () => {
  let three = add(1, 2);
  expect(three).toBe(3);
  expect(add(2, 2)).toBe(4);
});
`;
const globals = js.replace(/^.*vitest.*\n/, "");
const py = `import unittest
import pytest
import app
from app import add


class Adds(unittest.TestCase):
    def test_sums(self):
        three = add(1, 2)
        self.assertEqual(three, 3)


def test_adds():
    assert app.add(1, 2) == 3
`;
const go =
  'package a\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Error("sum")\n\t}\n}\n';
const exs = 'defmodule AddTest do\n  test "adds" do\n    assert Add.add(1, 2) == 3\n  end\nend\n';
const cc = "TEST(Add, Sums) {\n  EXPECT_EQ(add(1, 2), 3);\n}\n";
const scala = 'class AddSpec extends AnyFunSuite {\n  test("adds") {\n    assert(add(1, 2) == 3)\n  }\n}\n';
const junit3 =
  "public class OldTest extends TestCase {\n  public void testAdds() {\n    assertEquals(3, add(1, 2));\n  }\n}\n";
const kotest = 'class KTest : StringSpec({\n  "adds" {\n    add(1, 2) shouldBe 3\n  }\n})\n';
const pest = "<?php\nit('adds', function () {\n  expect(add(1, 2))->toBe(3);\n});\n";
const smoke = "#!/bin/sh\nset -e\nnode cli.js 1 2 | grep -q 3\n";
const example = "package a\n\nfunc ExampleAdd() {\n\tfmt.Println(Add(1, 2))\n\t// Output: 3\n}\n";
const rust = "/// Adds.\n///\n/// ```\n/// assert_eq!(a::add(1, 2), 3);\n/// ```\npub fn add() {}\n";
const doc = 'def add(a, b):\n    """Adds.\n\n    >>> add(1, 2)\n    3\n    """\n    return a - b\n';
const cases = "export const cases = [\n  [1, 2, 3],\n];\n";

const a = "test/add.test.js";
const p = "tests/test_app.py";
const weaker: readonly (readonly [string, Readonly<Record<string, Sides>>, string, string?])[] = [
  ["changes a result", { [a]: edit(js, "= add(1, 2)", "= add(1, 2) + 4") }, "expectation-changed"],
  ["puts a value first", { [a]: edit(js, "= add(1, 2)", "= 3 || add(1, 2)") }, "expectation-changed"],
  ["sets the result", { [a]: edit(js, "add(1, 2);", "add(1, 2);\n  three = 3;") }, "expectation-changed"],
  ["changes what it asserts of", { [a]: edit(js, "(add(2, 2))", "(add(2, 2) + 4)") }, "expectation-changed"],
  ["changes a result in Python", { [p]: edit(py, "= add(1, 2)", "= add(1, 2) + 4") }, "expectation-changed"],
  [
    "ends on a condition",
    { [a]: edit(js, "let three", "if (process.env.X) return;\n  let three") },
    "test-skipped",
  ],
  [
    "ends on one in Python",
    { [p]: edit(py, "        three", "        if X:\n            return\n        three") },
    "test-skipped",
  ],
  ["asserts behind a value", { [a]: edit(js, "expect(three)", "false && expect(three)") }, "may-not-run"],
  [
    "asserts behind a value in Python",
    { [p]: edit(py, "self.assertEqual", "True or self.assertEqual") },
    "may-not-run",
  ],
  [
    "asserts on a condition",
    { [a]: edit(js, "expect(three)", "if (globalThis.x)\n    expect(three)") },
    "may-not-run",
  ],
  [
    "is declared in a function",
    { [a]: edit(js, 'test("adds"', 'export const later = () => test("adds"') },
    "may-not-run",
  ],
  [
    "is declared on a condition",
    { [a]: edit(js, 'test("adds"', 'globalThis.x && test("adds"') },
    "may-not-run",
  ],
  [
    "does not return what it waits for",
    { [a]: edit(js.replace("expect(three)", "return expect(three)"), "return ", "") },
    "expectation-changed",
  ],
  [
    "is expected to fail by an option",
    { [a]: edit(js, '"adds", ', '"adds", { fails: true }, ') },
    "test-skipped",
  ],
  ["skips itself by another name", { [a]: edit(js, "() => {", "(it) => {\n  it.skip();") }, "test-skipped"],
  ["has an environment of its own", { [a]: [js, `// @vitest-environment ./env.js\n${js}`] }, "test-skipped"],
  [
    "has an expect of its own",
    { [a]: edit(globals, 'test("', 'const expect = () => ({ toBe() {} });\ntest("') },
    "stand-in",
  ],
  [
    "imports an expect of the repository",
    {
      [a]: [globals, `import { expect } from "./x.js";\n${globals}`],
      "test/x.js": [null, "export const expect = 1;\n"],
    },
    "mock-added",
  ],
  [
    "replaces what it calls",
    { [a]: edit(js, "let", 'vi.spyOn(mod, "add").mockReturnValue(3);\n  let') },
    "expectation-changed",
  ],
  [
    "replaces what it calls in Python",
    { [p]: edit(py, "    assert app", '    monkeypatch.setattr(app, "add", sum)\n    assert app') },
    "expectation-changed",
  ],
  [
    "sets what it calls in Python",
    { [p]: edit(py, "    assert app", "    app.add = lambda a, b: 3\n    assert app") },
    "expectation-changed",
  ],
  ["is in a class of another kind", { [p]: edit(py, "(unittest.TestCase)", "(object)") }, "test-skipped"],
  ["is a fixture", { [p]: edit(py, "def test_adds", "@pytest.fixture\ndef test_adds") }, "test-skipped"],
  ["is built on request only", { "a_test.go": [go, `//go:build integration\n\n${go}`] }, "test-skipped"],
  [
    "expects another output",
    { "ex_test.go": edit(example, "Output: 3", "Output: -1") },
    "expectation-changed",
  ],
  ["expects no output", { "ex_test.go": edit(example, "\t// Output: 3\n", "") }, "expectation-changed"],
  ["is another example", { "src/lib.rs": edit(rust, "2), 3)", "2), -1)") }, "expectation-changed"],
  [
    "is an example that is ignored",
    { "src/lib.rs": edit(rust, "```\n/// assert", "```ignore\n/// assert") },
    "expectation-changed",
  ],
  [
    "is another example in Python",
    { "app.py": edit(doc, "    3\n", "    -1\n") },
    "expectation-changed",
    "pytest --doctest-modules",
  ],
  [
    "is a feature that is gone",
    { "features/add.feature": ["Then 1 and 2 are 3\n", null] },
    "test-data-changed",
  ],
  [
    "is in a language that is not read",
    { "src/add_test.clj": ["(is (= 3 (add 1 2)))\n", "(is true)\n"] },
    "test-data-changed",
  ],
  ["is in one and gone", { "lib/add_test.zig": ["try expect(x);\n", null] }, "test-data-changed"],
  [
    "expects another value in Elixir",
    { "test/a_test.exs": edit(exs, "== 3", "== -1") },
    "expectation-changed",
  ],
  ["is gone in Elixir", { "test/a_test.exs": [exs, "defmodule AddTest do\nend\n"] }, "test-removed"],
  ["has a tag in Elixir", { "test/a_test.exs": edit(exs, "  test", "  @tag :skip\n  test") }, "test-skipped"],
  ["is disabled in C++", { "test/a_test.cc": edit(cc, "Sums", "DISABLED_Sums") }, "test-skipped"],
  ["is ignored in Scala", { "src/test/AddSpec.scala": edit(scala, "test(", "ignore(") }, "test-skipped"],
  [
    "has another name in JUnit 3",
    { "src/test/OldTest.java": edit(junit3, "testAdds", "checkAdds") },
    "test-removed",
  ],
  ["is put off in Kotest", { "src/test/KTest.kt": edit(kotest, '"adds"', '"!adds"') }, "test-skipped"],
  [
    "expects another value in Kotest",
    { "src/test/KTest.kt": edit(kotest, "shouldBe 3", "shouldBe -1") },
    "expectation-changed",
  ],
  ["is skipped in Pest", { "tests/AddPest.php": edit(pest, "});\n", "})->skip();\n") }, "test-skipped"],
  [
    "is a script without its line",
    { "tests/smoke.sh": edit(smoke, "node cli.js 1 2 | grep -q 3\n", "") },
    "expectation-changed",
  ],
  [
    "is a script that cannot fail",
    { "tests/smoke.sh": edit(smoke, "-q 3", "-q 3 || true") },
    "expectation-changed",
  ],
  ["is a script that is gone", { "tests/smoke.sh": [smoke, null] }, "test-removed"],
  [
    "is a script that asks for less",
    { "tests/smoke.sh": edit(smoke, "cli.js 1 2", "cli.js") },
    "expectation-changed",
  ],
  ["reads other rows", { "test/data/cases.js": edit(cases, "1, 2, 3", "1, 2, -1") }, "test-data-changed"],
  ["reads other data elsewhere", { "expected/out.txt": ["3\n", "-1\n"] }, "test-data-changed"],
];

const honest: readonly (readonly [string, Readonly<Record<string, Sides>>])[] = [
  [
    "stands in a function that others call, and is new",
    {
      "test/contract.ts": [
        "export function holds(f) {}\n",
        'export function holds(f) {\n  it("adds", () => {});\n}\n',
      ],
    },
  ],
  [
    "computes in a new test",
    { [a]: [js, `${js}\ntest("more", () => {\n  expect(add(1, 2) + add(2, 2)).toBe(7);\n});\n`] },
  ],
  ["waits for a result", { [a]: edit(js, "= add(1, 2)", "= await add(1, 2)") }],
  ["unpacks a result", { [a]: edit(js, "= add(1, 2)", "= unpack(add(1, 2))") }],
  [
    "watches what the code calls",
    { [a]: edit(js, "  let", '  vi.spyOn(console, "log").mockReturnValue();\n  let') },
  ],
  [
    "is put into a group",
    {
      [a]: [
        js,
        js
          .replace('test("adds"', 'describe("sums", () => {\n  test("adds"')
          .replace(/\}\);\n$/, "});\n});\n"),
      ],
    },
  ],
  [
    "is one line now",
    {
      [a]: edit(
        js.replace(/ {2}expect\(add[^\n]*\n/, "").replace(/ {2}let three = .*\n/, ""),
        "() => {\n  expect(three).toBe(3);\n}",
        "() => expect(three).toBe(3)",
      ),
    },
  ],
  [
    "has a guard in a helper",
    {
      "test/helpers.js": [
        "export function a() {\n  f();\n}\n",
        "export function a(x) {\n  if (!x) return;\n  f();\n}\n",
      ],
    },
  ],
  [
    "is one class more",
    {
      [p]: [
        py,
        `${py}\n\nclass More(unittest.TestCase):\n    def test_more(self):\n        self.assertEqual(add(0, 0), 0)\n`,
      ],
    },
  ],
  ["is one class for two", { [p]: [py, py.replace("class Adds", "class Sums")] }],
  [
    "mocks what the code calls in Python",
    { [p]: edit(py, "def test_adds", '@patch("app.requests.get")\ndef test_adds') },
  ],
  ["is a script with one line more", { "tests/smoke.sh": [smoke, `${smoke}node cli.js 2 2 | grep -q 4\n`] }],
  ["helps scripts", { "tests/helpers.sh": ["a() { b; }\n", "a() { c; }\n"] }],
  [
    "is one example more",
    { "src/lib.rs": edit(rust, "/// ```\npub", "/// assert_eq!(a::add(0, 0), 0);\n/// ```\npub") },
  ],
  ["is described otherwise", { "src/lib.rs": edit(rust, "Adds.", "Adds up.") }],
  ["is an example that nothing tries out", { "app.py": edit(doc, "    3\n", "    -1\n") }],
  ["has one row more", { "test/data/cases.js": edit(cases, "[1, 2, 3],", "[1, 2, 3],\n  [2, 2, 4],") }],
  ["is one scenario more", { "features/a.feature": ["Then 3\n", "Then 3\nThen 4\n"] }],
  [
    "stands where tests are named otherwise",
    { "src/latest/a.js": ["a(1);\n", "a(2);\n"], "contest/b.js": ["[1, 2],\n", "[1, 3],\n"] },
  ],
];

describe("a test", () => {
  it.each(weaker.map(([name, changes, kind, run]) => ({ name, changes, kind, run })))(
    "that $name is found",
    async ({ changes, kind, run }) => {
      expect(await kindsFound(changes, run)).toContain(kind);
    },
  );

  it.each(honest.map(([name, changes]) => ({ name, changes })))(
    "that $name is let pass",
    async ({ changes }) => {
      expect(await kindsFound(changes)).toEqual([]);
    },
  );
});
