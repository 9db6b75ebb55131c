import { describe, expect, it } from "vitest";
import { edit, kindsFound, type Sides } from "../given-change.ts";

const t = "test/add.test.js";
const said = "  const three = add(1, 2);\n  assert.equal(three, 3);\n";
const head = `import test from "node:test";
import assert from "node:assert/strict";
import { add } from "../src/add.js";
`;
const base = `${head}
test("adds", () => {
${said}});

test("adds more", () => {
  assert.deepEqual(add(2, 2), 4);
});
`;
/** The old test says nothing any more, and another stands behind it. */
const movedInto = (test: string): Sides => edit(base, `${said}});`, `});\n\n${test}`);
const added = (test: string): Sides => [base, `${base}\n${test}\n`];

describe("an assertion that moves out of its test", () => {
  it.each([
    ["that is skipped", `test.skip("zz", () => {\n${said}});`, "test-skipped"],
    ["that is still to do", `test.todo("zz", () => {\n${said}});`, "test-skipped"],
    ["that is told to be skipped", `test("zz", { skip: true }, () => {\n${said}});`, "test-skipped"],
    ["that returns before it", `test("zz", () => {\n  return;\n${said}});`, "test-skipped"],
    [
      "that catches its failure",
      `test("zz", () => {\n  try {\n${said}  } catch {}\n});`,
      "failure-swallowed",
    ],
    [
      "that asks first whether it holds",
      `test("zz", () => {\n  const three = add(1, 2);\n  if (three === 3) {\n    assert.equal(three, 3);\n  }\n});`,
      "may-not-run",
    ],
    ["that never calls it", `test("zz", () => {\n  const check = () => {\n${said}  };\n});`, "may-not-run"],
    [
      "that sets what it looks at",
      'test("zz", () => {\n  let three = add(1, 2);\n  three = 3;\n  assert.equal(three, 3);\n});',
      "expectation-changed",
    ],
    [
      "that puts a stand-in in the code's place",
      `test("zz", () => {\n  const { add } = proxyquire("../src/add.js", {});\n${said}});`,
      "mock-added",
    ],
  ])("into a new one %s is found", async (_title, test, kind) => {
    expect(await kindsFound({ [t]: movedInto(test) }, "node --test")).toContain(kind);
  });

  it("into a new file that skips it is found", async () => {
    const elsewhere: Sides = [null, `${head}test.skip("zz", () => {\n${said}});\n`];
    const changes = { [t]: edit(base, said, ""), "test/zz.test.js": elsewhere };
    expect(await kindsFound(changes, "node --test")).toContain("test-skipped");
  });
});

describe("a new test beside those that stay as they are", () => {
  it.each([
    ["skipped", added('test.skip("on windows", () => {\n  assert.equal(add(0, 0), 0);\n});')],
    [
      "skipped, where an old one says more than before",
      [base, `${edit(base, said, `${said}  assert.equal(add(3), 3);\n`)[1]}\ntest.skip("zz", () => {});\n`],
    ],
  ] as const)("may be %s", async (_title, sides) => {
    expect(await kindsFound({ [t]: sides }, "node --test")).toEqual([]);
  });

  it.each([
    ["before each", 'test.beforeEach("prepare", (t) => {\n  t.skip();\n});', "test-skipped"],
    [
      "after each",
      'test.afterEach("look", async () => {\n  try {\n    await look();\n  } catch {}\n});',
      "failure-swallowed",
    ],
  ])("is not what runs %s of them", async (_title, hook, kind) => {
    const sides = edit(base, 'test("adds", ', `${hook}\n\ntest("adds", `);
    expect(await kindsFound({ [t]: sides }, "node --test")).toContain(kind);
  });

  it("hides nothing behind a bracket that seems not to be closed", async () => {
    const test = 'test("new", () => {\n  const x = (y) => /\\(/.test(y);\n});';
    const sides = added(`${test}\nafterEach(() => {\n  try {\n    look();\n  } catch {}\n});`);
    expect(await kindsFound({ [t]: sides }, "node --test")).toContain("failure-swallowed");
  });
});
