import { describe, expect, it } from "vitest";
import { untestedCode } from "../../../src/gate/tamper/tested-code.ts";
import { changedFiles, edit, editAll, type Sides } from "../given-change.ts";

const js = `import { test } from "node:test";
import assert from "node:assert/strict";
import { add, sum as total } from "../src/add.js";

test("adds", () => {
  const three = add(1, 2);
  assert.equal(three, 3);
  assert.equal(total([1, 2]), 3);
});
`;
const py = `import os
import pytest
from app.add import add


def test_adds():
    three = add(1, 2)
    assert three == 3
`;
const a = "test/add.test.js";
const p = "tests/test_add.py";

const found: readonly (readonly [string, Readonly<Record<string, Sides>>, string])[] = [
  [
    "another module",
    { [a]: edit(js, "../src/add.js", "./fake.js") },
    "it does not import `../src/add.js` any more",
  ],
  [
    "a module of the same name",
    { [a]: edit(js, "../src/add.js", "./fakes/add.js") },
    "it does not import `../src/add.js` any more",
  ],
  [
    "another runner",
    { [a]: edit(js, "node:test", "./runner.js") },
    "it does not import `node:test` any more",
  ],
  [
    "another assert",
    { [a]: edit(js, "node:assert/strict", "./assert.js") },
    "it does not import `node:assert/strict` any more",
  ],
  [
    "a looser assert",
    { [a]: edit(js, "node:assert/strict", "node:assert") },
    "it does not import `node:assert/strict` any more",
  ],
  [
    "a value in place of a call",
    { [a]: edit(js, "add(1, 2);", "3;") },
    "it calls the repository's code 1 times and did so 2 times",
  ],
  [
    "a function of the test's own",
    { [a]: edit(js, "  const three", "  const total = () => 3;\n  const three") },
    "it has a `total` of its own in place of the one that was tested",
  ],
  [
    "a default of the test's own",
    { [a]: edit(js, '"adds", ()', '"adds", (add = () => 3)') },
    "it has a `add` of its own in place of the one that was tested",
  ],
  [
    "another module in Python",
    { [p]: edit(py, "from app.add", "from fake") },
    "it does not import `app.add` any more",
  ],
  [
    "a function of the test's own in Python",
    { [p]: edit(py, "\n\ndef test", "\ndef add(a, b):\n    return 3\n\n\ndef test") },
    "it has a `add` of its own in place of the one that was tested",
  ],
  [
    "a value in Python",
    { [p]: edit(py, "add(1, 2)\n", "3\n") },
    "it calls the repository's code 0 times and did so 1 times",
  ],
];

const fine: readonly (readonly [string, Readonly<Record<string, Sides>>])[] = [
  [
    "more uses",
    { [a]: edit(js, "  assert.equal(three", "  assert.equal(add(0, 0), 0);\n  assert.equal(three") },
  ],
  ["another name", { [a]: editAll(js, /\badd\b(?!\.js)/g, "plus") }],
  [
    "a module that moved",
    { [a]: edit(js, "../src/add.js", "../lib/add.js"), "src/add.js": ["x", null], "lib/add.js": [null, "x"] },
  ],
  [
    "a module that is called otherwise",
    { [a]: edit(js, "../src/add.js", "../src/plus.js"), "src/add.js": ["x", null] },
  ],
  ["a stricter assert", { [a]: [js.replace("assert/strict", "assert"), js] }],
  ["a library more", { [a]: edit(js, "import { test", 'import fs from "node:fs";\nimport { test') }],
  ["a library of Python's less", { [p]: edit(py, "import os\n", "") }],
  [
    "a helper of the tests",
    {
      "test/unit/a.test.js": edit(
        'import { given } from "../kit/given.js";\ntest("a", () => given(1));\n',
        "../kit/given.js",
        "../kit/other.js",
      ),
    },
  ],
  [
    "a helper's imports",
    {
      "test/kit/given.js": edit(
        'import { a } from "../../src/a.js";\nexport const given = () => a(1);\n',
        "../../src/a.js",
        "../../src/b.js",
      ),
    },
  ],
  [
    "a module whose tests move",
    {
      [a]: edit(
        'import { add } from "../src/add.js";\nimport { sub } from "../src/sub.js";\ntest("a", () => add(1));\ntest("b", () => sub(1));\n',
        'import { sub } from "../src/sub.js";\n',
        "",
      ),
      "test/sub.test.js": [null, 'import { sub } from "../src/sub.js";\ntest("b", () => sub(1));\n'],
    },
  ],
  [
    "uses that move to another test",
    { [a]: edit(js, "  assert.equal(total([1, 2]), 3);\n", ""), "test/b.test.js": [null, js] },
  ],
  ["code", { "src/add.js": edit('import { a } from "./a.js";\n', "./a.js", "./b.js") }],
];

describe("untestedCode", () => {
  it.each(found)("finds %s", (_, files, why) => {
    expect(untestedCode(changedFiles(files))).toEqual([
      { path: Object.keys(files)[0], kind: "mock-added", why },
    ]);
  });

  it("finds a call that is given something else", () => {
    expect(untestedCode(changedFiles({ [a]: edit(js, "add(1, 2)", "add(3, 0)") }))).toEqual([
      {
        path: a,
        kind: "expectation-changed",
        why: "an existing test gives it something else: `add(1, 2)` is `add(3, 0)` now",
        at: "add(3, 0)",
      },
    ]);
  });

  it.each(fine)("lets pass %s", (_, files) => {
    expect(untestedCode(changedFiles(files))).toEqual([]);
  });
});
