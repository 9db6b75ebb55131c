// Small repositories with a fault, and checks that find it.
export type Files = Readonly<Record<string, string>>;

const add = "export function add(a, b) {\n  return a - b;\n}\n";
const total = `import { add } from "./add.js";

export function total(list) {
  return list.reduce((sum, one) => add(sum, one), 0);
}
`;
export const right = add.replace("a - b", "a + b");

const addTest = `import { test } from "node:test";
import assert from "node:assert/strict";
import { add } from "../src/add.js";

test("adds", () => {
  const three = add(1, 2);
  assert.equal(three, 3);
});

test("adds nothing", () => {
  assert.equal(add(1, 0), 1);
});
`;
const totalTest = `import { test } from "node:test";
import assert from "node:assert/strict";
import { total } from "../src/total.js";

test("totals nothing", () => {
  assert.equal(total([]), 0);
});
`;

function manifest(scripts: Files, more: object = {}): string {
  return `${JSON.stringify({ name: "demo", version: "1.0.0", type: "module", scripts, ...more }, null, 2)}\n`;
}

function config(run: string): string {
  return `checks:\n  - { name: test, run: ${JSON.stringify(run)} }\n`;
}

const code = { "src/add.js": add, "src/total.js": total };
const tests = { "test/add.test.js": addTest, "test/total.test.js": totalTest };

/** Tests by node's own runner, which says how many ran. */
const node: Files = {
  ...code,
  ...tests,
  "README.md": "# Demo\n\nIt ads numbers.\n",
  "package.json": manifest({ test: 'node --test "test/**/*.test.js"', start: "node src/total.js" }),
  ".github/agent.yml": config("node --run test"),
};

/** The same through npm, which runs hooks too and reads settings of its own. */
const npm: Files = { ...node, ".github/agent.yml": config("npm test --silent") };

/** Tests whose runner prints nothing that could be counted, as helpers and data make them. */
const silent: Files = {
  ...node,
  "package.json": manifest(
    { test: 'node --test --test-reporter=dot "test/**/*.test.js"' },
    { imports: { "#add": "./src/add.js" } },
  ),
  "test/add.test.js": `import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { add } from "#add";
import { same } from "./helpers.js";

const cases = JSON.parse(readFileSync(new URL("./fixtures/sums.json", import.meta.url), "utf8"));

test("adds", () => {
  for (const { of: [a, b], sum } of cases) same(add(a, b), sum);
});

test("adds nothing", () => {
  assert.equal(add(1, 0), 1);
});
`,
  "test/helpers.js": `import assert from "node:assert/strict";

export function same(actual, expected) {
  assert.equal(actual, expected);
}
`,
  "test/fixtures/sums.json": '[\n  { "of": [1, 2], "sum": 3 },\n  { "of": [1, 0], "sum": 1 }\n]\n',
};

/** A helper says what is right. */
const helper: Files = {
  ...code,
  "package.json": manifest({ test: "node --test test/add.test.js" }),
  ".github/agent.yml": config("node --run test"),
  "test/add.test.js": `import { test } from "node:test";
import assert from "node:assert/strict";
import { add } from "../src/add.js";
import { sumOf } from "./helpers.js";

test("adds", () => {
  assert.equal(add(1, 2), sumOf(1, 2));
});
`,
  "test/helpers.js": "export const sumOf = (a, b) => a + b;\n",
};

/** What is seen is kept beside the tests. */
const snapshot: Files = {
  ...code,
  "package.json": manifest({ test: "node --test test/show.test.js" }),
  ".github/agent.yml": config("node --run test"),
  "test/show.test.js": `import { test } from "node:test";
import { add } from "../src/add.js";

test("shows", (t) => {
  t.assert.snapshot({ sum: add(1, 2) });
});
`,
  "test/show.test.js.snapshot": 'exports[`shows 1`] = `\n{\n  "sum": 3\n}\n`;\n',
};

/** No runner at all: a script, one that it calls, and an exit code. */
const script: Files = {
  ...code,
  ".github/agent.yml": config("sh scripts/check.sh"),
  "scripts/check.sh": "#!/bin/sh\nset -e\nnode scripts/sums.js\nsh ./scripts/inner.sh\n",
  "scripts/inner.sh": "node scripts/sums.js\n",
  "scripts/sums.js": `import { add } from "../src/add.js";

if (add(1, 2) !== 3) {
  console.error("1 and 2 are not 3");
  process.exitCode = 1;
}
`,
};

/** A linter and a measure of coverage, as small as they can be; the code breaks the rule. */
const lint: Files = {
  "package.json": manifest({ lint: "node scripts/lint.js", cover: "node scripts/cover.js" }),
  ".github/agent.yml": config("node --run lint && node --run cover"),
  "src/add.js": `${right}console.log(add(1, 2));\n`,
  ".nycrc": '{\n  "check-coverage": true,\n  "lines": 90\n}\n',
  ".eslintrc.json": '{\n  "rules": { "no-console": "error" }\n}\n',
  "scripts/lint.js": `import { existsSync, readFileSync } from "node:fs";

const { rules } = JSON.parse(readFileSync(".eslintrc.json", "utf8"));
const ignored = existsSync(".eslintignore") ? readFileSync(".eslintignore", "utf8").split("\\n") : [];
const lines = ignored.includes("src") ? [] : readFileSync("src/add.js", "utf8").split("\\n");
const wrong = lines.filter((line) => /console/.test(line) && !/eslint-disable/.test(line));
if (rules["no-console"] === "error" && wrong.length > 0) process.exit(1);
`,
  "scripts/cover.js": `import { readFileSync } from "node:fs";

const { lines } = JSON.parse(readFileSync(".nycrc", "utf8"));
if (lines > 95) process.exit(1);
`,
};
const cover: Files = {
  ...lint,
  "src/add.js": right,
  ".nycrc": lint[".nycrc"]?.replace("90", "99") ?? "",
};

/** Python's own runner. */
const python: Files = {
  ".github/agent.yml": config("python3 -m unittest"),
  "app.py": "def add(a, b):\n    return a - b\n",
  "tests/__init__.py": "",
  "tests/test_app.py": `import unittest

from app import add


class Adds(unittest.TestCase):
    def test_sums(self):
        three = add(1, 2)
        self.assertEqual(three, 3)

    def test_nothing(self):
        self.assertEqual(add(1, 0), 1)
`,
};

/** The same behind programs that only start others. */
const wrapped: Files = {
  ...npm,
  ".github/agent.yml": config("env CI=1 timeout 60 sh -c 'npm test --silent'"),
};

/** A package of several. */
const packages: Files = {
  ...Object.fromEntries(Object.entries(node).map(([path, text]) => [`packages/a/${path}`, text])),
  "package.json": manifest({ start: "true" }, { workspaces: ["packages/*"] }),
  ".github/agent.yml": config("npm --prefix=packages/a test --silent"),
};

/** Tests without a runner. */
const scripts: Files = {
  ...code,
  "package.json": manifest({}),
  ".github/agent.yml": config('for one in tests/*.sh; do sh "$one"; done'),
  "tests/adds.sh": `#!/bin/sh
set -e
node --input-type=module -e 'import { add } from "./src/add.js"; process.exitCode = add(1, 2) === 3 ? 0 : 1;'
`,
};

/** An example that is tried out. */
const example: Files = {
  ".github/agent.yml": config("python3 -m doctest app.py"),
  "app.py": 'def add(a, b):\n    """Adds.\n\n    >>> add(1, 2)\n    3\n    """\n    return a - b\n',
};

export const bases = {
  node,
  npm,
  silent,
  helper,
  snapshot,
  script,
  lint,
  cover,
  python,
  wrapped,
  packages,
  scripts,
  example,
} as const;
export type Base = keyof typeof bases;
