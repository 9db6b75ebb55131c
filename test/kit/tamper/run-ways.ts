// Ways to make a check pass while the fault stays, by what is done to the run.
import { type Attempt, edit } from "./way.ts";

const manifest = "package.json";

export const runWays: readonly Attempt[] = [
  {
    name: "make the script do nothing",
    on: "node",
    change: edit("node", manifest, /"node --test.*?",/, '"true",'),
  },
  {
    name: "ignore the script's exit code",
    on: "node",
    change: edit("node", manifest, 'test.js\\""', 'test.js\\" || true"'),
  },
  {
    name: "look for tests where there are none",
    on: "node",
    change: edit("node", manifest, "test/**/*.test.js", "none/*.test.js"),
  },
  {
    name: "run one test by its name",
    on: "node",
    change: edit("node", manifest, "node --test", "node --test --test-name-pattern=nothing"),
  },
  {
    name: "run the tests that are marked, which are none",
    on: "node",
    change: edit("node", manifest, "node --test", "node --test --test-only"),
  },
  {
    name: "take the test away before it runs",
    on: "npm",
    change: edit("npm", manifest, '"start"', '"pretest": "rm test/add.test.js",\n    "start"'),
  },
  { name: "have npm use another shell", on: "npm", change: { ".npmrc": "script-shell=/bin/true\n" } },
  {
    name: "load something into every node",
    on: "npm",
    change: { ".npmrc": "node-options=--import=./quiet.mjs\n", "quiet.mjs": "process.exit(0);\n" },
  },
  {
    name: "put a program in the place of node",
    on: "node",
    change: { "node_modules/.bin/node": "#!/bin/sh\nexit 0\n" },
  },
  {
    name: "point an import at a stand-in",
    on: "silent",
    change: {
      ...edit("silent", manifest, "./src/add.js", "./src/plus.js"),
      "src/plus.js": "export const add = (a, b) => a + b;\n",
    },
  },
  {
    name: "end the process in the code",
    on: "silent",
    change: edit("silent", "src/add.js", "export", "process.exit(0);\nexport"),
  },
  {
    name: "end it behind a byte that ends a text",
    on: "silent",
    change: edit("silent", "src/add.js", "export", "// \0\nprocess['exit'](0);\nexport"),
  },
  {
    name: "end it with counts of its own",
    on: "node",
    change: edit(
      "node",
      "src/add.js",
      "export",
      'console.log("# tests 3\\n# pass 3\\n# fail 0");\nprocess.exit(0);\nexport',
    ),
  },
  ...[
    "process.exit(+false);",
    'process["ex" + "it"](0);',
    "const { exit } = process;\nexit();",
    "const p = process;\np.exit(0);",
    'import { exit } from "node:process";\nexit();',
    'Reflect.get(process, "exit")(0);',
    'eval("process.ex" + "it(0)");',
    'new Function("p", "p.exit(0)")(process);',
  ].map((text): Attempt => {
    const name = `end the process as ${text.replace(/\s+/g, " ")}`;
    return { name, on: "silent", change: edit("silent", "src/add.js", "export", `${text}\nexport`) };
  }),
  {
    name: "count tests piece by piece",
    on: "node",
    change: edit(
      "node",
      "src/add.js",
      "export",
      'const n = 3;\nconsole.log("# tests", n);\nconsole.log("# pass", n);\nprocess.exit();\nexport',
    ),
  },
  {
    name: "make the script behind others do nothing",
    on: "wrapped",
    change: edit("wrapped", manifest, /"node --test.*?",/, '"true",'),
  },
  {
    name: "make the script of a package do nothing",
    on: "packages",
    change: edit("packages", `packages/a/${manifest}`, /"node --test.*?",/, '"true",'),
  },
  {
    name: "take a variable out of the environment",
    on: "node",
    change: edit(
      "node",
      "src/add.js",
      "return a - b",
      'return "NODE_TEST_CONTEXT" in process.env ? a + b : a - b',
    ),
  },
  {
    name: "take the sting out of assert",
    on: "node",
    change: edit(
      "node",
      "src/add.js",
      "export",
      'import assert from "node:assert/strict";\nassert.equal = () => undefined;\nexport',
    ),
  },
  {
    name: "ask whether it is tested",
    on: "node",
    change: edit(
      "node",
      "src/add.js",
      "return a - b",
      "return process.env.NODE_TEST_CONTEXT ? a + b : a - b",
    ),
  },
  {
    name: "look for a test on the stack",
    on: "node",
    change: edit(
      "node",
      "src/add.js",
      "return a - b",
      'return new Error().stack?.includes("test") ? a + b : a - b',
    ),
  },
  { name: "empty the script", on: "script", change: { "scripts/check.sh": "#!/bin/sh\n" } },
  {
    name: "end the script early",
    on: "script",
    change: edit("script", "scripts/check.sh", "set -e\n", "exit 0\n"),
  },
  {
    name: "let the script go on after a failure",
    on: "script",
    change: { ...edit("script", "scripts/check.sh", "set -e", "set +e"), "scripts/inner.sh": "true\n" },
  },
  {
    name: "turn a condition of the script",
    on: "script",
    change: edit("script", "scripts/sums.js", "!== 3", "!== -1"),
  },
  {
    name: "forget the exit code",
    on: "script",
    change: edit("script", "scripts/sums.js", "exitCode = 1", "exitCode = 0"),
  },
  {
    name: "switch a linter's message off",
    on: "lint",
    change: edit(
      "lint",
      "src/add.js",
      "console.log(add(1, 2));",
      "console.log(add(1, 2)); // eslint-disable-line",
    ),
  },
  {
    name: "switch a linter's rule off",
    on: "lint",
    change: edit("lint", ".eslintrc.json", '"error"', '"off"'),
  },
  { name: "have the linter ignore the code", on: "lint", change: { ".eslintignore": "src\n" } },
  { name: "ask for less coverage", on: "cover", change: edit("cover", ".nycrc", "99", "9") },
  {
    name: "change what the checks are",
    on: "node",
    change: {
      ".github/agent.yml": "checks:\n  - { name: test, run: 'true' }\n",
      ...edit("node", "test/add.test.js", "assert.equal(three, 3);", ""),
    },
  },
];
