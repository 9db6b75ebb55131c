import { describe, expect, it } from "vitest";
import { edit, kindsFound, type Sides } from "../given-change.ts";

const js = `import { test, expect, vi } from "vitest";
import { spawnSync } from "node:child_process";
import { add } from "../src/add.js";

test.each([
  [1, 2, 3],
  [2, 2, 4],
])("adds", (a, b, c) => {
  expect(add(a, b)).toBe(c);
});

test("says it", () => {
  const { stdout } = spawnSync("node", ["cli.js", "1", "2"]);
  expect(String(stdout)).toBe("3");
});
`;
const py =
  "from app import add\n\n\n@pytest.mark.parametrize('a,c', [\n    (1, 2),\n])\ndef test_add(a, c):\n    assert add(a, 1) == c\n";
const helpers = 'export function same(a, b) {\n  if (a !== b) throw new Error("not the same");\n}\n';
const java = "class AddTest {\n  @Test\n  void adds() {\n    assertEquals(3, add(1, 2));\n  }\n}\n";
const php =
  "<?php\nclass AddTest extends TestCase {\n  public function testAdds(): void {\n    $this->assertSame(3, add(1, 2));\n  }\n}\n";
const rb = "describe 'add' do\n  it 'sums' do\n    expect(add(1, 2)).to eq 3\n  end\nend\n";
const go = 'package a\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Error("sum")\n\t}\n}\n';

const a = "test/add.test.js";
const weaker: readonly (readonly [string, Readonly<Record<string, Sides>>, string])[] = [
  ["a table that is cut", { [a]: edit(js, "4],\n])", "4],\n].slice(1))") }, "test-skipped"],
  [
    "a parameter set anew",
    { [a]: edit(js, "  expect(add", "  c = add(a, b);\n  expect(add") },
    "expectation-changed",
  ],
  [
    "one in Python",
    { "tests/test_p.py": edit(py, "    assert", "    c = add(a, 1)\n    assert") },
    "expectation-changed",
  ],
  [
    "a value behind a comma",
    { [a]: edit(js, "expect(add(a, b))", "expect((add(a, b), c))") },
    "expectation-changed",
  ],
  [
    "a loop over nothing",
    { [a]: edit(js, "  expect(add", "  for (const _ of []) expect(add") },
    "may-not-run",
  ],
  ["another program", { [a]: edit(js, '["cli.js", "1", "2"]', '["-p", "3"]') }, "expectation-changed"],
  [
    "a mock by an absolute path",
    { [a]: edit(js, "test.each", 'vi.mock("/src/add.js");\n\ntest.each') },
    "mock-added",
  ],
  [
    "a global expect",
    { [a]: edit(js, "test.each", 'vi.stubGlobal("expect", any);\n\ntest.each') },
    "stand-in",
  ],
  [
    "a result that is set",
    { [a]: edit(js, "test.each", "afterEach(({ task }) => { task.result.state = 'pass'; });\n\ntest.each") },
    "stand-in",
  ],
  ["a test that writes tests", { "test/z.test.js": [null, 'rmSync("test/add.test.js");\n'] }, "stand-in"],
  ["a test that writes code", { "test/z.test.js": [null, 'writeFileSync("src/add.js", "");\n'] }, "stand-in"],
  [
    "code that writes tests",
    { "src/x.js": [null, 'writeFileSync(new URL("../test/a.test.js", import.meta.url), "");\n'] },
    "stand-in",
  ],
  [
    "a helper that asks otherwise",
    { "test/helpers.js": edit(helpers, "a !== b", "a === undefined") },
    "test-data-changed",
  ],
  [
    "a helper that never fails",
    { "test/helpers.js": edit(helpers, /.*throw.*\n/.exec(helpers)?.[0] ?? "", "") },
    "assertions-removed",
  ],
  ["a deleted name in Python", { "tests/test_p.py": [py, `${py}\n\ndel test_add\n`] }, "test-skipped"],
  ["a name that Go takes for no test", { "a_test.go": edit(go, "TestAdd", "Testadd") }, "test-removed"],
  [
    "a class that cannot be made",
    { "src/test/AddTest.java": edit(java, "class", "abstract class") },
    "test-skipped",
  ],
  [
    "a test for another system",
    { "src/test/AddTest.java": edit(java, "@Test", "@EnabledOnOs(OS.AIX)\n  @Test") },
    "test-skipped",
  ],
  [
    "a return at once in PHP",
    { "tests/AddTest.php": edit(php, "    $this", "    return;\n    $this") },
    "test-skipped",
  ],
  [
    "a skip before all in Ruby",
    { "spec/add_spec.rb": edit(rb, "  it", "  before { skip }\n  it") },
    "test-skipped",
  ],
  [
    "a next at once in Ruby",
    { "spec/add_spec.rb": edit(rb, "    expect", "    next\n    expect") },
    "test-skipped",
  ],
  ["a linter's rule in a comment", { "src/a.js": [null, "/* eslint no-undef: 0 */\n"] }, "suppression"],
];

const honest: readonly (readonly [string, Readonly<Record<string, Sides>>])[] = [
  ["a row more", { [a]: edit(js, "  [2, 2, 4],\n", "  [2, 2, 4],\n  [3, 3, 6],\n") }],
  [
    "a value that is computed anew",
    { [a]: edit(js, "  expect(String", "  const text = String(stdout);\n  expect(String") },
  ],
  [
    "a loop of its own",
    { [a]: [js, `${js}\ntest("more", () => {\n  for (const n of [1, 2]) expect(add(n, 0)).toBe(n);\n});\n`] },
  ],
  ["a helper that says more", { "test/helpers.js": edit(helpers, '"not the same"', '"not the same value"') }],
  [
    "a helper that fails more",
    { "test/helpers.js": edit(helpers, "{\n", "{\n  if (a === null) throw new Error();\n") },
  ],
  ["a helper that moves", { "test/helpers.js": [helpers, null], "test/lib/helpers.js": [null, helpers] }],
  [
    "what a test writes elsewhere",
    { "test/z.test.js": [null, 'writeFileSync(join(folder, "a.txt"), "");\nrmSync(folder);\n'] },
  ],
  ["what a test reads", { "tests/test_q.py": [null, 'def test_a():\n    open("tests/data.txt").read()\n'] }],
  ["a script that makes code", { "scripts/generate.js": [null, 'writeFileSync("src/made.js", text);\n'] }],
];

describe("in a change", () => {
  it.each(["/// ```\n", "<?php\n", "TEST(", "#if\n"])("a text made to be slow is read: %j", async (part) => {
    const text = part.repeat(100_000 / part.length);
    const changes = ["src/test/ATest.java", "tests/ATest.php", "src/a.rs", "a_test.go"].map(
      (path): readonly [string, Sides] => [path, [text, `${text}x`]],
    );
    expect(await kindsFound(Object.fromEntries(changes))).toBeInstanceOf(Array);
  });

  it.each(weaker)("%s is found", async (_, changes, kind) => {
    expect(await kindsFound(changes)).toContain(kind);
  });

  it.each(honest)("%s is let pass", async (_, changes) => {
    expect(await kindsFound(changes)).toEqual([]);
  });
});
