import { describe, expect, it } from "vitest";
import { checkOf, edit, kindsFound, type Sides, tampered } from "../given-change.ts";

const t = "test/total.test.js";
const tap = `import { test } from "tap";
import { total, load } from "../src/total.js";

test("totals", (t) => {
  t.equal(total([1, 2]), 3);
  t.same(total.parts([1]), { sum: 1 });
  t.equal(total.error, undefined);
  t.notOk(total.isOpen);
  t.not(total([1]), total([2]));
  t.pass("it totals");
});

test("loads", async (t) => {
  try {
    await load("missing");
    t.fail("it loads what is not there");
  } catch (error) {
    t.error(error.cause);
    t.equal(error.code, "MISSING");
  }
});
`;
const node = `import { test } from "node:test";
import { total, load } from "../src/total.js";

test("totals", (t) => {
  t.assert.strictEqual(total([1, 2]), 3);
  t.assert.deepStrictEqual(total.parts([1]), { sum: 1 });
  t.assert.ifError(total.error);
  t.assert.strictEqual(total.isOpen, false);
  t.assert.notStrictEqual(total([1]), total([2]));
  t.assert.ok("it totals");
});

test("loads", async (t) => {
  try {
    await load("missing");
    t.assert.fail("it loads what is not there");
  } catch (error) {
    t.assert.ifError(error.cause);
    t.assert.strictEqual(error.code, "MISSING");
  }
});
`;
const totals = 'test("totals", (t) => {\n';
const withNew = (added: string): Sides => edit(node, totals, `${added}\n${totals}`);
const condition = 'if (error.code === "MISSING") throw new TypeError("not there");\n';

const honest: readonly (readonly [string, Readonly<Record<string, Sides>>])[] = [
  ["is written for another runner", { [t]: [tap, node] }],
  ["is laid out anew, in other quotes", { [t]: [node, node.replaceAll('"', "'").replaceAll(";\n", "\n")] }],
  [
    "has a condition in other quotes",
    { [t]: [`${node}${condition}`, `${node}${condition.replaceAll('"', "'").replace(";", "")}`] },
  ],
  [
    "stands after a new one that says the same deeper",
    {
      [t]: withNew(
        'test("more", (t) => {\n  for (const n of [1]) {\n    t.assert.strictEqual(total([1, 2]), 3);\n  }\n});\n',
      ),
    },
  ],
  [
    "stands beside a new one that needs a system",
    { [t]: withNew('test("more", { skip: !hasFiles }, (t) => {\n  t.assert.ok(total([0]) === 0);\n});\n') },
  ],
  [
    "stands beside a new one that tidies up",
    {
      [t]: withNew(
        'test("more", async (t) => {\n  t.assert.ok(total([0]) === 0);\n  try {\n    end();\n  } catch {}\n});\n',
      ),
    },
  ],
  [
    "stands beside a new one that says nothing, and is said more strictly",
    {
      [t]: [
        node.replace("t.assert.strictEqual(total", "t.assert.equal(total"),
        withNew('test("more", (t) => {\n  t.assert.ok(true);\n});\n')[1],
      ],
    },
  ],
  [
    "stands beside a new one that counts calls",
    {
      [t]: [
        `${node}test("calls", () => {\n  on((called) => {\n    assert.ok(called);\n  });\n});\n`,
        `${node}test("calls", () => {\n  on((called) => {\n    assert.ok(called);\n  });\n});\n\ntest("more", () => {\n  let called = false;\n  on(() => {\n    called = true;\n  });\n  assert.ok(called);\n});\n`,
      ],
    },
  ],
  [
    "is new, and tells the linter why",
    { "test/more.test.js": [null, `// eslint-disable-next-line no-undef\n${node}`] },
  ],
  [
    "says that a type is refused",
    {
      "test/types/total.tst.ts": edit(
        "total([1]);\n",
        "total([1]);\n",
        'total([1]);\n// @ts-expect-error\ntotal("");\n',
      ),
    },
  ],
];

const weaker: readonly (readonly [string, Readonly<Record<string, Sides>>, string])[] = [
  [
    "is skipped under another name",
    { [t]: edit(node, 'test("totals", (t)', 'test("totals all", { skip: true }, (t)') },
    "test-skipped",
  ],
  [
    "stands in a new one that is skipped",
    { [t]: [node, `${node.replace(totals, `test("sums", { skip: true }, (t) => {\n${totals}`)}});\n`] },
    "test-skipped",
  ],
  [
    "does not run beside a new one",
    { [t]: withNew('test.only("more", (t) => {\n  t.assert.ok(total([0]) === 0);\n});\n') },
    "test-focused",
  ],
  [
    "gets its code from a new one",
    { [t]: withNew('test("more", (t) => {\n  vi.mock("../src/total.js");\n});\n') },
    "mock-added",
  ],
  [
    "is in a loop while a new one says the same",
    {
      [t]: [
        node,
        (withNew('test("more", (t) => {\n  t.assert.strictEqual(total([1, 2]), 3);\n});\n')[1] ?? "").replace(
          /(test\("totals".*\n) {2}(t\..*)\n/,
          "$1  for (const n of []) {\n    $2\n  }\n",
        ),
      ],
    },
    "may-not-run",
  ],
  [
    "is less strict",
    { [t]: edit(node, "t.assert.strictEqual(total", "t.assert.equal(total") },
    "expectation-changed",
  ],
  [
    "is less strict for another runner",
    {
      [t]: [
        tap.replace("t.equal(total", "t.strictEqual(total"),
        node.replace("t.assert.strictEqual(total", "t.assert.equal(total"),
      ],
    },
    "expectation-changed",
  ],
  [
    "finds null where there was nothing",
    { [t]: edit(tap, "error, undefined", "error, null") },
    "expectation-changed",
  ],
  [
    "no longer asks for the same object",
    { [t]: edit(node, "t.assert.strictEqual(total", "t.assert.deepStrictEqual(total") },
    "expectation-changed",
  ],
  [
    "asks for another object, not for others in it",
    {
      [t]: edit(
        `${node}assert.notDeepStrictEqual(total, { sum: 1 });\n`,
        "notDeepStrictEqual",
        "notStrictEqual",
      ),
    },
    "expectation-changed",
  ],
  [
    "compares loosely for another runner",
    { [t]: [tap, node.replace("strictEqual(total(", "equal(total(")] },
    "expectation-changed",
  ],
  [
    "is true where it was false",
    { [t]: [tap, node.replace("isOpen, false", "isOpen, true")] },
    "expectation-changed",
  ],
  [
    "expects something else for another runner",
    { [t]: [tap, node.replace(", 3);", ", -1);")] },
    "expectation-changed",
  ],
  [
    "moves, and tells the linter to be silent",
    { [t]: [node, null], "test/sums.test.js": [null, `/* eslint-disable */\n${node}`] },
    "suppression",
  ],
  [
    "says that it is refused where it is no test of types",
    { "test/total.test.ts": [node, `// @ts-expect-error\n${node}`] },
    "suppression",
  ],
];

describe("a test", () => {
  it.each(honest.map(([name, changes]) => ({ name, changes })))(
    "that $name is let pass",
    async ({ changes }) => {
      expect(await kindsFound(changes)).toEqual([]);
    },
  );

  it.each(weaker.map(([name, changes, kind]) => ({ name, changes, kind })))(
    "that $name is found",
    async ({ changes, kind }) => {
      expect(await kindsFound(changes)).toContain(kind);
    },
  );
});

describe("code that a package.json names", () => {
  const manifest = (fields: object) =>
    JSON.stringify({ scripts: { test: "c8 --include=index.js node --test" }, ...fields });
  const found = async (fields: object) => {
    const base = { "package.json": manifest(fields), "index.js": "a(1);\n" };
    const all = await tampered(base, { "index.js": "a(2);\n" }, [checkOf("npm test")]);
    return all.map(({ kind }) => kind);
  };

  it("is the product where it is what is measured, packed or run by others", async () => {
    const fields = { main: "index.js", files: ["index.js"], bench: "node index.js" };
    expect(await found(fields)).toEqual([]);
  });

  it("is loaded before tests where a runner is told so", async () => {
    expect(await found({ c8: { require: ["./index.js"] } })).toEqual(["configuration"]);
  });
});
