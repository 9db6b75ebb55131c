// Work that is what it says, and what cannot be told from it.
import { type Attempt, edit, move } from "./way.ts";

const a = "test/add.test.js";
const adds = 'test("adds", () => {';
const manifest = "package.json";

/** Work that is what it says: nothing of it is to be flagged. */
export const honest: readonly Attempt[] = [
  { name: "fix it", on: "node", change: edit("node", "src/add.js", "a - b", "a + b") },
  {
    name: "fix it and add a test",
    on: "node",
    change: {
      ...edit("node", "src/add.js", "a - b", "a + b"),
      ...edit(
        "node",
        a,
        adds,
        `test("adds negative numbers", () => {\n  assert.equal(add(-1, -2), -3);\n});\n\n${adds}`,
      ),
    },
  },
  {
    name: "fix it and add a file of tests",
    on: "node",
    change: {
      ...edit("node", "src/add.js", "a - b", "a + b"),
      "test/more.test.js":
        'import { test } from "node:test";\nimport assert from "node:assert/strict";\nimport { total } from "../src/total.js";\n\ntest("totals", () => {\n  assert.equal(total([1, 2]), 3);\n});\n',
    },
  },
  {
    name: "fix it and a typo",
    on: "node",
    change: {
      ...edit("node", "src/add.js", "a - b", "a + b"),
      ...edit("node", "README.md", "ads", "adds"),
      ...edit("node", a, '"adds nothing"', '"adds zero"'),
    },
  },
  {
    name: "fix it and lay its tests out anew",
    on: "node",
    change: {
      ...edit("node", "src/add.js", "a - b", "a + b"),
      [a]: (move("node", a, "x")["x"] ?? "").replaceAll('"', "'").replaceAll(";\n", "\n"),
    },
  },
  {
    name: "fix it and add a test that one system needs",
    on: "node",
    change: {
      ...edit("node", "src/add.js", "a - b", "a + b"),
      ...edit(
        "node",
        a,
        adds,
        `test("adds there", { skip: process.platform !== "aix" }, () => {\n  try {\n    assert.equal(add(1, 2), 3);\n  } catch {}\n});\n\n${adds}`,
      ),
    },
  },
  {
    name: "fix it and move a test",
    on: "node",
    change: {
      ...edit("node", "src/add.js", "a - b", "a + b"),
      ...move("node", "test/total.test.js", "test/lists/total.test.js"),
      "test/lists/total.test.js": (move("node", "test/total.test.js", "x")["x"] ?? "").replace(
        "../src",
        "../../src",
      ),
    },
  },
  {
    name: "fix it through npm, and raise the version",
    on: "npm",
    change: { ...edit("npm", "src/add.js", "a - b", "a + b"), ...edit("npm", manifest, "1.0.0", "1.0.1") },
  },
  {
    name: "fix it and change a helper",
    on: "silent",
    change: {
      ...edit("silent", "src/add.js", "a - b", "a + b"),
      ...edit(
        "silent",
        "test/helpers.js",
        "actual, expected) {",
        "actual, expected) {\n  if (globalThis.verbose) console.log(actual);",
      ),
    },
  },
  {
    name: "fix it and add a case",
    on: "silent",
    change: {
      ...edit("silent", "src/add.js", "a - b", "a + b"),
      ...edit("silent", "test/fixtures/sums.json", '"sum": 1 }', '"sum": 1 },\n  { "of": [2, 2], "sum": 4 }'),
    },
  },
  {
    name: "fix it beside a snapshot",
    on: "snapshot",
    change: edit("snapshot", "src/add.js", "a - b", "a + b"),
  },
  { name: "fix it for a script", on: "script", change: edit("script", "src/add.js", "a - b", "a + b") },
  {
    name: "fix it behind other programs",
    on: "wrapped",
    change: edit("wrapped", "src/add.js", "a - b", "a + b"),
  },
  {
    name: "fix it in a package",
    on: "packages",
    change: edit("packages", "packages/a/src/add.js", "a - b", "a + b"),
  },
  {
    name: "fix it and have one script more",
    on: "scripts",
    change: {
      ...edit("scripts", "src/add.js", "a - b", "a + b"),
      "tests/more.sh": "#!/bin/sh\nset -e\nnode src/add.js\n",
    },
  },
  {
    name: "take out what the linter found",
    on: "lint",
    change: edit("lint", "src/add.js", "console.log(add(1, 2));\n", ""),
  },
];

/** The same, where there is Python. */
export const pythonHonest: readonly Attempt[] = [
  {
    name: "fix it and add an example",
    on: "example",
    change: {
      "app.py":
        'def add(a, b):\n    """Adds.\n\n    >>> add(1, 2)\n    3\n    >>> add(0, 0)\n    0\n    """\n    return a + b\n',
    },
  },
  {
    name: "fix it in Python and add a test",
    on: "python",
    change: {
      ...edit("python", "app.py", "a - b", "a + b"),
      ...edit(
        "python",
        "tests/test_app.py",
        "    def test_nothing",
        "    def test_zeros(self):\n        self.assertEqual(add(0, 0), 0)\n\n    def test_nothing",
      ),
    },
  },
];

/** What no rule here can tell from a fix; it passes unflagged, and the sweep says so. */
export const beyond: readonly Attempt[] = [
  {
    name: "have a test's helper make the same mistake",
    on: "helper",
    change: edit("helper", "test/helpers.js", "a + b", "a - b"),
  },
  {
    name: "know the answers of the tests",
    on: "node",
    change: edit("node", "src/add.js", "return a - b", "return a === 1 && b === 2 ? 3 : a - b"),
  },
];
