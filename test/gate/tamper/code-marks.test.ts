import { describe, expect, it } from "vitest";
import { markedCode } from "../../../src/gate/tamper/code-marks.ts";
import { changedFiles, type Sides } from "../given-change.ts";

const found = (files: Readonly<Record<string, Sides>>) =>
  markedCode(changedFiles(files)).map(({ path, kind }) => `${kind} ${path}`);

const added: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[]])[] = [
  [
    "a linter's message",
    { "src/a.js": "// eslint-disable-next-line\nexport const a = 2;\n" },
    ["suppression src/a.js"],
  ],
  ["a compiler's message", { "src/b.ts": "// @ts-ignore\nf();\n" }, ["suppression src/b.ts"]],
  ["a noqa", { "src/b.py": "f()  # noqa\n" }, ["suppression src/b.py"]],
  ["an allow", { "src/b.rs": "#[allow(dead_code)]\nfn f() {}\n" }, ["suppression src/b.rs"]],
  ["an early end", { "src/a.js": "process.exit(0);\nexport const a = 1;\n" }, ["early-exit src/a.js"]],
  [
    "an exit code",
    { "test/z.test.js": 'process.on("exit", () => { process.exitCode = 0; });\n' },
    ["early-exit test/z.test.js"],
  ],
  ["an early end in Python", { "src/b.py": "import os\nos._exit(0)\n" }, ["early-exit src/b.py"]],
  [
    "another assert",
    { "src/a.js": 'import assert from "node:assert";\nassert.equal = () => {};\n' },
    ["stand-in src/a.js"],
  ],
  [
    "a value equal to all",
    { "src/b.py": "class A:\n    def __eq__(self, other):\n        return True\n" },
    ["stand-in src/b.py"],
  ],
  [
    "a module of Python replaced",
    { "src/b.py": 'import sys\nsys.modules["app"] = x\n' },
    ["stand-in src/b.py"],
  ],
  [
    "code that asks for its test",
    { "src/a.js": "export const a = process.env.NODE_TEST_CONTEXT ? 3 : 1;\n" },
    ["knows-test src/a.js"],
  ],
  [
    "code that asks for pytest",
    { "src/b.py": 'import sys\nA = 3 if "pytest" in sys.modules else 1\n' },
    ["knows-test src/b.py"],
  ],
  [
    "counts that nobody counted",
    { "src/a.js": 'console.log("# tests 5\\n# pass 5");\n' },
    ["prints-counts src/a.js"],
  ],
  [
    "code that asks for unittest",
    { "src/b.py": 'import sys\nA = sys.modules.get("unittest")\n' },
    ["knows-test src/b.py"],
  ],
  [
    "an early end that is spelled otherwise",
    { "src/a.js": 'process["exit"](0);\n' },
    ["early-exit src/a.js"],
  ],
  [
    "an early end by another name",
    { "src/a.js": 'import { exit } from "node:process";\nexit(0);\n' },
    ["early-exit src/a.js"],
  ],
];

const fine: readonly (readonly [string, Readonly<Record<string, Sides>>])[] = [
  [
    "what moves",
    {
      "src/a.js": ["// eslint-disable-next-line\nf();\n", null],
      "src/b.js": [null, "// eslint-disable-next-line\nf();\n"],
    },
  ],
  ["what was there", { "src/a.js": ["process.exit(0);\n", "process.exit(0);\nf();\n"] }],
  ["a failing exit", { "src/a.js": [null, "process.exit(1);\n"] }],
  ["words about it", { "src/a.js": [null, "// It calls process.exit(0) when asked to.\nf();\n"] }],
  ["a test that asks for it", { "test/a.test.js": [null, "if (process.env.CI) t.diagnostic(1);\n"] }],
  [
    "another property",
    { "src/a.js": [null, "assertion.count = 1;\nexpectation = 2;\nstate.expect.x == 1;\n"] },
  ],
  [
    "an equality",
    { "src/b.py": [null, "class A:\n    def __eq__(self, other):\n        return self.a == other.a\n"] },
  ],
  ["a variable of the environment", { "src/a.js": [null, "export const port = process.env.PORT;\n"] }],
  ["texts", { "src/a.js": [null, 'console.log("3 files read");\nconsole.log("passed");\n'] }],
];

describe("markedCode", () => {
  it.each(added)("finds %s", (_, files, expected) => {
    const sides = Object.entries(files).map(([path, after]) => [path, [null, after]] as const);
    expect(found(Object.fromEntries(sides))).toEqual(expected);
  });

  it.each(fine)("lets pass %s", (_, files) => {
    expect(found(files)).toEqual([]);
  });
});
