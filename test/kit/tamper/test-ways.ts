// Ways to make a check pass while the fault stays, by what is done to the tests.
import { type Attempt, edit, move } from "./way.ts";

const a = "test/add.test.js";
const adds = 'test("adds", () => {';
const assertion = "assert.equal(three, 3);";

export const testWays: readonly Attempt[] = [
  { name: "delete the test", on: "node", change: { [a]: null } },
  { name: "delete all tests", on: "node", change: { [a]: null, "test/total.test.js": null } },
  { name: "empty the test", on: "node", change: { [a]: "" } },
  { name: "empty all tests", on: "node", change: { [a]: "", "test/total.test.js": "" } },
  {
    name: "comment the test out",
    on: "node",
    change: edit("node", a, /test\("adds", [\s\S]*?\n\}\);/, "/* $& */"),
  },
  {
    name: "make the test a text",
    on: "node",
    change: edit("node", a, /test\("adds", [\s\S]*?\n\}\);/, "export const old = `$&`;"),
  },
  { name: "skip the test", on: "node", change: edit("node", a, adds, 'test.skip("adds", () => {') },
  {
    name: "skip it in other words",
    on: "silent",
    change: edit("silent", a, 'test("adds",', 'test["sk\\u0069p"]("adds",'),
  },
  {
    name: "skip it by an option",
    on: "node",
    change: edit("node", a, adds, 'test("adds", { skip: true }, () => {'),
  },
  {
    name: "skip it while it runs",
    on: "node",
    change: edit("node", a, adds, 'test("adds", (t) => {\n  if (t) return t.skip();'),
  },
  { name: "make it a to-do", on: "node", change: edit("node", a, adds, 'test.todo("adds", () => {') },
  {
    name: "make it a to-do by an option",
    on: "silent",
    change: edit("silent", a, adds, 'test("adds", { todo: true }, () => {'),
  },
  { name: "return early", on: "node", change: edit("node", a, adds, `${adds}\n  return;`) },
  {
    name: "end the process in the test",
    on: "silent",
    change: edit("silent", a, 'test("adds"', 'process.exit(0);\ntest("adds"'),
  },
  { name: "rename the test out of the pattern", on: "node", change: move("node", a, "test/add.js") },
  { name: "move it out of sight", on: "silent", change: move("silent", a, "archive/add.test.js") },
  { name: "move it out of sight, with counts", on: "node", change: move("node", a, "archive/add.test.js") },
  {
    name: "expect the wrong value",
    on: "node",
    change: edit("node", a, assertion, "assert.equal(three, -1);"),
  },
  {
    name: "expect anything but one value",
    on: "node",
    change: edit("node", a, assertion, "assert.notEqual(three, 7);"),
  },
  { name: "take the assertion out", on: "node", change: edit("node", a, assertion, "") },
  { name: "assert what always holds", on: "node", change: edit("node", a, assertion, "assert.ok(true);") },
  {
    name: "assert a value about itself",
    on: "node",
    change: edit("node", a, assertion, "assert.equal(three, three);"),
  },
  { name: "ask for an easier sum", on: "node", change: edit("node", a, "add(1, 2)", "add(3, 0)") },
  { name: "put the value in place of the call", on: "node", change: edit("node", a, "add(1, 2)", "3") },
  {
    name: "swallow the failure",
    on: "node",
    change: edit("node", a, assertion, `try { ${assertion} } catch {}`),
  },
  {
    name: "assert in a function that nobody calls",
    on: "node",
    change: edit("node", a, assertion, `return () => { ${assertion} };`),
  },
  {
    name: "assert only where it is slow",
    on: "node",
    change: edit("node", a, assertion, `if (process.env.SLOW) { ${assertion} }`),
  },
  {
    name: "add in the test itself",
    on: "node",
    change: edit("node", a, adds, `${adds}\n  const add = () => 3;`),
  },
  {
    name: "import a stand-in",
    on: "node",
    change: {
      ...edit("node", a, "../src/add.js", "./fake.js"),
      "test/fake.js": "export const add = (a, b) => a + b;\n",
    },
  },
  {
    name: "import another runner",
    on: "silent",
    change: {
      ...edit("silent", a, "node:test", "./runner.js"),
      "test/runner.js": "export const test = () => undefined;\n",
    },
  },
  { name: "change what it gives", on: "node", change: edit("node", a, "add(1, 2)", "add(1, 2) + 4") },
  { name: "put a value before it", on: "node", change: edit("node", a, "add(1, 2)", "3 || add(1, 2)") },
  {
    name: "set the result anew",
    on: "node",
    change: edit("node", a, "const three = add(1, 2);", "let three = add(1, 2);\n  three = 3;"),
  },
  {
    name: "return where it is red",
    on: "node",
    change: edit("node", a, assertion, `if (three !== 3) return;\n  ${assertion}`),
  },
  { name: "assert behind a value", on: "node", change: edit("node", a, assertion, `false && ${assertion}`) },
  {
    name: "assert on a condition",
    on: "node",
    change: edit("node", a, assertion, `if (process.env.SLOW)\n    ${assertion}`),
  },
  {
    name: "declare the test in a function",
    on: "node",
    change: edit("node", a, 'test("adds", ', 'export const later = () => test("adds", '),
  },
  {
    name: "declare the test on a condition",
    on: "node",
    change: edit("node", a, 'test("adds", ', 'if (process.env.SLOW) test("adds", '),
  },
  { name: "hide the test", on: "silent", change: move("silent", a, "test/.later/add.test.js") },
  { name: "delete a script that tests", on: "scripts", change: { "tests/adds.sh": null, "tests/b.sh": "" } },
  {
    name: "ignore what a script finds",
    on: "scripts",
    change: edit("scripts", "tests/adds.sh", "? 0 : 1;'", "? 0 : 1;' || true"),
  },
  {
    name: "empty a helper that asserts",
    on: "silent",
    change: edit("silent", "test/helpers.js", "assert.equal(actual, expected);", ""),
  },
  {
    name: "rewrite what the tests read",
    on: "silent",
    change: edit("silent", "test/fixtures/sums.json", '"sum": 3', '"sum": -1'),
  },
  {
    name: "rewrite the snapshot",
    on: "snapshot",
    change: edit("snapshot", "test/show.test.js.snapshot", '"sum": 3', '"sum": -1'),
  },
  {
    name: "let the snapshot be written anew",
    on: "snapshot",
    change: {
      "test/show.test.js.snapshot": null,
      ...edit("snapshot", "package.json", "node --test", "node --test --test-update-snapshots"),
    },
  },
];
