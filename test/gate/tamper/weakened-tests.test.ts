import { describe, expect, it } from "vitest";
import { weakenedTests } from "../../../src/gate/tamper/weakened-tests.ts";
import { changedFile, edit, editAll, type Sides, weakened } from "../given-change.ts";

const js = `import { test } from "node:test";
import assert from "node:assert/strict";
import { add } from "../src/add.js";

test("adds", () => {
  assert.equal(add(1, 2), 3);
  assert.equal(add(0, 0), 0, "zero");
});

test("is the same in both orders", () => {
  assert.deepEqual(
    [add(1, 2), add(2, 1)],
    [3, 3],
  );
});
`;
const spec = `import { expect, it } from "vitest";
import { parse } from "./parse";

describe("parse", () => {
  it.each([
    ["one", "1", 1],
    ["two", "2", 2],
  ])("reads %s", (_, text, value) => {
    expect(parse(text)).toBe(value);
  });

  it("refuses what is no number", () => {
    expect(() => parse("x")).toThrow("no number");
  });
});
`;
const a = "test/add.test.js";
const b = "src/parse.test.ts";
const weaker: readonly (readonly [string, Readonly<Record<string, Sides>>, readonly string[]])[] = [
  ["a deleted test", { [a]: [js, null] }, ["test-removed"]],
  ["an emptied test", { [a]: [js, ""] }, ["test-removed"]],
  ["a test out of the runner's pattern", { [a]: [js, null], "test/add.js": [null, js] }, ["test-removed"]],
  [
    "a test in a file of another kind",
    { [a]: [js, null], "test/add.test.js.txt": [null, js] },
    ["test-removed"],
  ],
  [
    "a test commented out",
    { [a]: editAll(js, /^test\("is the same[\s\S]*$/m, "/* $& */") },
    ["test-removed", "assertions-removed"],
  ],
  [
    "a test made a text",
    { [a]: editAll(js, /^test\("is the same[\s\S]*$/m, "const old = `$&`;") },
    ["test-removed", "assertions-removed"],
  ],
  [
    "an assertion commented out",
    { [a]: edit(js, "assert.equal(add(1", "// assert.equal(add(1") },
    ["assertions-removed"],
  ],
  [
    "an assertion taken out",
    { [a]: edit(js, "  assert.equal(add(1, 2), 3);\n", "") },
    ["assertions-removed"],
  ],
  [
    "an assertion that always holds",
    { [a]: edit(js, "assert.equal(add(1, 2), 3)", "assert.ok(true)") },
    ["assertions-removed", "assertions-removed"],
  ],
  [
    "another one that does",
    { [a]: edit(js, "assert.equal(add(1, 2), 3)", "assert.equal(3, 3)") },
    ["assertions-removed", "assertions-removed"],
  ],
  [
    "an assertion about something else",
    { [a]: edit(js, "assert.equal(add(1, 2), 3)", 'assert.equal(Number("3"), 3)') },
    ["assertions-removed"],
  ],
  ["another expected value", { [a]: edit(js, "add(1, 2), 3)", "add(1, 2), -1)") }, ["expectation-changed"]],
  [
    "another expected value over lines",
    { [a]: edit(js, "[3, 3],", "[4, 4],") },
    ["expectation-changed", "expectation-changed"],
  ],
  ["another input", { [a]: edit(js, "add(1, 2), 3)", "add(3, 0), 3)") }, ["expectation-changed"]],
  [
    "another comparison",
    { [a]: edit(js, "assert.equal(add(1, 2), 3)", "assert.notEqual(add(1, 2), 3)") },
    ["expectation-changed"],
  ],
  ["a weaker matcher", { [b]: edit(spec, ".toBe(value)", ".toBeDefined()") }, ["expectation-changed"]],
  ["a turned matcher", { [b]: edit(spec, ".toThrow", ".not.toThrow") }, ["expectation-changed"]],
  ["another row of values", { [b]: edit(spec, '"2", 2]', '"2", 3]') }, ["expectation-changed"]],
  ["test.skip", { [a]: edit(js, 'test("adds"', 'test.skip("adds"') }, ["test-skipped"]],
  ["a skip option", { [a]: edit(js, '"adds", ()', '"adds", { skip: true }, ()') }, ["test-skipped"]],
  ["test.todo", { [a]: edit(js, 'test("adds"', 'test.todo("adds"') }, ["test-skipped"]],
  [
    "t.skip()",
    { [a]: edit(js, 'test("adds", () => {', 'test("adds", (t) => {\n  t.skip();') },
    ["test-skipped"],
  ],
  [
    "an early return",
    { [a]: edit(js, 'test("adds", () => {', 'test("adds", () => {\n  return;') },
    ["test-skipped"],
  ],
  [
    "an impossible condition",
    { [a]: edit(js, "  assert.equal(add(1", "  if (false) assert.equal(add(1") },
    ["may-not-run", "test-skipped"],
  ],
  ["xit", { [b]: edit(spec, 'it("refuses', 'xit("refuses') }, ["test-removed", "test-skipped"]],
  ["describe.skip", { [b]: edit(spec, "describe(", "describe.skip(") }, ["test-skipped"]],
  ["it.fails", { [b]: edit(spec, 'it("refuses', 'it.fails("refuses') }, ["test-skipped"]],
  ["it.only", { [b]: edit(spec, 'it("refuses', 'it.only("refuses') }, ["test-focused"]],
  [
    "it.only in a new test",
    { "src/b.test.ts": [null, 'it.only("x", () => { expect(f()).toBe(1); });'] },
    ["test-focused"],
  ],
  ["fdescribe", { [b]: edit(spec, "describe(", "fdescribe(") }, ["test-focused"]],
  [
    "a swallowed failure",
    { [a]: edit(js, "assert.equal(add(1, 2), 3);", "try { assert.equal(add(1, 2), 3); } catch {}") },
    ["may-not-run", "failure-swallowed"],
  ],
  ["a row less", { [b]: edit(spec, '    ["two", "2", 2],\n', "") }, ["assertions-removed"]],
  [
    "a skip that is spelled otherwise",
    { [a]: edit(js, 'test("adds"', 'test["skip"]("adds"') },
    ["test-skipped"],
  ],
  ["a skip in escapes", { [a]: edit(js, 'test("adds"', 'test.sk\\u0069p("adds"') }, ["test-skipped"]],
  [
    "a test where nobody would look for one",
    { "checks/add.mjs": edit(js, 'test("adds"', 'test.skip("adds"') },
    ["test-skipped"],
  ],
  [
    "an assertion in a condition",
    { [a]: edit(js, "  assert.equal(add(1", "  if (globalThis.slow) assert.equal(add(1") },
    ["may-not-run"],
  ],
  [
    "an assertion in a function that nobody calls",
    { [a]: editAll(js, /assert\.equal\(add\(1, 2\), 3\);/, "const later = () => { $& };") },
    ["may-not-run"],
  ],
  [
    "an assertion in a block",
    { [a]: editAll(js, /assert\.equal\(add\(1, 2\), 3\);/, "if (globalThis.slow) { $& }") },
    ["may-not-run"],
  ],
  [
    "an assertion after its test",
    { [a]: editAll(js, /assert\.equal\(add\(1, 2\), 3\);/, "setTimeout(() => $&);") },
    ["may-not-run"],
  ],
  [
    "a promise that nobody waits for",
    {
      "test/b.test.js": edit(
        'test("x", async () => {\n  await assert.rejects(f(), /no/);\n});\n',
        "await ",
        "",
      ),
    },
    ["expectation-changed"],
  ],
  [
    "a mock of the code under test",
    { [b]: edit(spec, "describe(", 'vi.mock("./parse", () => ({ parse: Number }));\ndescribe(') },
    ["mock-added"],
  ],
  [
    "a test that moves without what it asserts",
    { [a]: [js, null], "test/b.test.js": [null, js.replace(/^ .*\n/gm, "")] },
    ["assertions-removed"],
  ],
  [
    "a skipped test that moves",
    { [a]: [js, null], "test/b.test.js": [null, js.replace('test("adds"', 'test.skip("adds"')] },
    ["test-skipped"],
  ],
];

const asStrong: readonly (readonly [string, Readonly<Record<string, Sides>>])[] = [
  ["a new test", { [a]: [js, `${js}\ntest("negative", () => {\n  assert.equal(add(-1, -2), -3);\n});\n`] }],
  ["a new file of tests", { "test/b.test.js": [null, js] }],
  [
    "a new assertion",
    { [a]: edit(js, "  assert.equal(add(0", "  assert.equal(add(2, 2), 4);\n  assert.equal(add(0") },
  ],
  ["a new row", { [b]: edit(spec, '["two", "2", 2],', '["two", "2", 2],\n    ["three", "3", 3],') }],
  ["a typo in a title", { [a]: edit(js, '"adds"', '"adds two numbers"') }],
  ["a typo in a message", { [a]: edit(js, '"zero"', '"nought"') }],
  ["a typo in a comment", { [a]: edit(js, "test(", "// Adds.\ntest(") }],
  ["a typo in a row's name", { [b]: edit(spec, '["two"', '["the two"') }],
  ["a test that moves", { [a]: [js, null], "test/unit/add.test.js": [null, js] }],
  ["a test that moves by its place", { "test/add.js": [js, null], "test/unit/add.js": [null, js] }],
  [
    "half of a file's tests that move",
    {
      [a]: [js, js.slice(0, js.indexOf('test("is'))],
      "test/orders.test.js": [null, js.slice(js.indexOf('test("is'))],
    },
  ],
  [
    "a test laid out anew",
    { [a]: edit(js, "assert.equal(add(1, 2), 3);", "assert.equal(\n    add(1, 2),\n    3,\n  );") },
  ],
  [
    "rows laid out anew",
    {
      [b]: edit(
        spec,
        '    ["one", "1", 1],\n    ["two", "2", 2],\n',
        '    ["one", "1", 1], ["two", "2", 2],\n',
      ),
    },
  ],
  ["a renamed function", { [a]: editAll(js, /\badd\b/g, "sum") }],
  ["a renamed function in a spec", { [b]: editAll(spec, /\bparse\b/g, "parseNumber") }],
  ["a stricter comparison", { [a]: edit(js, "assert.equal(add(1, 2)", "assert.strictEqual(add(1, 2)") }],
  [
    "tests in a group of their own",
    { [a]: editAll(js, /^test\([\s\S]*$/m, 'describe("add", () => {\n$&});\n') },
  ],
  [
    "a promise that is waited for",
    {
      "test/b.test.js": edit(
        'test("x", async () => {\n  assert.rejects(f(), /no/);\n});\n',
        "assert",
        "await assert",
      ),
    },
  ],
  [
    "a changed helper",
    {
      "test/helpers.js": [
        "export const wait = (ms) => later(ms);\n",
        "export const wait = async (ms) => {\n  await later(ms * 2);\n};\n",
      ],
    },
  ],
  [
    "another time limit",
    { [b]: edit(spec, '  it("refuses', '  vi.setConfig({ testTimeout: 20_000 });\n  it("refuses') },
  ],
  ["an assertion in a text", { "test/lint.test.js": edit('const code = `it.skip("x")`;\n', "x", "y") }],
  ["code that is no test", { "src/add.js": edit("export const add = (a, b) => a - b;\n", "-", "+") }],
  ["a skip that is taken out", { [a]: [js.replace('test("adds"', 'test.skip("adds"'), js] }],
];

describe("weakenedTests", () => {
  it.each(weaker)("finds %s", (_, files, kinds) => {
    expect(weakened(files).map(({ kind }) => kind)).toEqual(kinds);
  });

  it.each(asStrong)("lets pass %s", (_, files) => {
    expect(weakened(files)).toEqual([]);
  });

  it("finds a test that became a link", () => {
    const file = changedFile(a, [js, null]);
    const link = { ...file, change: { ...file.change, status: "modified", mode: "120000" } as const };
    expect(weakenedTests([link], () => false)).toEqual([
      { path: a, kind: "test-removed", why: "a test is a link now" },
    ]);
  });

  it("says what was there and what is", () => {
    expect(weakened({ [a]: edit(js, "add(1, 2), 3)", "add(1, 2), -1)") })).toEqual([
      {
        path: a,
        kind: "expectation-changed",
        why: "an existing test expects something else: `assert.equal(add(1, 2), 3)` is `assert.equal(add(1, 2), -1)` now",
        at: "assert.equal(add(1, 2), -1)",
      },
    ]);
    expect(weakened({ [a]: [js, ""] }).map(({ why }) => why)).toEqual([
      'it had 2 tests and has 0: "adds", "is the same in both orders"',
    ]);
  });
});
