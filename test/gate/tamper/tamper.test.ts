import { describe, expect, it } from "vitest";
import { tamperText } from "../../../src/gate/tamper/tamper.ts";
import { checkOf, tampered } from "../given-change.ts";

const manifest = (scripts: Record<string, string>, rest: object = {}) =>
  JSON.stringify({ name: "demo", version: "1.0.0", scripts, ...rest }, null, 2);

const scripts = {
  test: "npm run build && node --test test/ && run-s test:*",
  build: "node scripts/build.js",
  "test:types": "tsc -p config/types.json",
  start: "node src/main.js",
};
const base = {
  "package.json": manifest(scripts, { dependencies: { a: "1" }, jest: { bail: true } }),
  "packages/core/package.json": manifest({ test: "node test.js" }),
  "scripts/build.js": "build();\n",
  "scripts/lint.sh": "#!/bin/sh\n./scripts/inner.sh src\n",
  "scripts/inner.sh": "#!/bin/sh\nexit 3\n",
  "config/types.json": "{}\n",
  Makefile:
    "test: build\n\t@sh scripts/lint.sh\n\nbuild:\n\tpython3 tools/make.py\n\ndeploy:\n\tsh deploy.sh\n",
  "tools/make.py": "print(1)\n",
  "deploy.sh": "x\n",
  "test/run.js": "check(1);\ncheck(2);\n",
  "src/main.js": "start();\n",
  "src/a.js": "export const a = 1;\n",
  "src/old.js": "// eslint-disable-next-line no-undef\nf();\n",
  "vitest.config.ts": "export default { test: { coverage: { thresholds: { lines: 90, branches: 80 } } } };\n",
  ".nycrc": '{ "check-coverage": true, "lines": 90 }\n',
  "pyproject.toml": '[project]\nname = "a"\nversion = "1"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n',
  "test/__snapshots__/a.test.js.snap": "// v1\n\nexports[`adds 1`] = `3`;\n\nexports[`adds 2`] = `\n4\n`;\n",
  "test/golden/out.golden": "one\ntwo\n",
  "test/fixtures/in.json": '{\n  "a": 1\n}\n',
  "README.md": "demo\n",
};
const checks = [
  checkOf("npm test"),
  checkOf("make test"),
  checkOf("node ./test/run.js"),
  checkOf("npm run -w packages/core test"),
];
const found = async (changes: Record<string, string | null>) =>
  (await tampered(base, changes, checks)).map(({ path, kind }) => `${kind} ${path}`);
const replaced = (path: keyof typeof base, from: string, to: string) => {
  expect(base[path]).toContain(from);
  return { [path]: base[path].replace(from, to) };
};

const suspicious: readonly (readonly [string, Record<string, string | null>, readonly string[]])[] = [
  [
    "the script of a check",
    replaced("package.json", "npm run build && node --test test/", "true"),
    ["check-script package.json"],
  ],
  [
    "a script that it calls",
    replaced("package.json", "node scripts/build.js", "node scripts/build.js || true"),
    ["check-script package.json"],
  ],
  [
    "a script that a pattern names",
    replaced("package.json", "tsc -p", "tsc --version; echo"),
    ["check-script package.json"],
  ],
  [
    "a hook before it",
    replaced("package.json", '"start"', '"pretest": "rm -r test",\n    "start"'),
    ["check-script package.json"],
  ],
  [
    "a hook after what it calls",
    replaced("package.json", '"start"', '"postbuild": "sh x.sh",\n    "start"'),
    ["check-script package.json"],
  ],
  [
    "a script in a package of a monorepo",
    replaced("packages/core/package.json", "node test.js", "true"),
    ["check-script packages/core/package.json"],
  ],
  [
    "a tool's settings in package.json",
    replaced("package.json", '"bail": true', '"testMatch": []'),
    ["configuration package.json"],
  ],
  [
    "how modules are loaded",
    replaced("package.json", '"name"', '"type": "module",\n  "name"'),
    ["configuration package.json"],
  ],
  [
    "a package.json that is none any more",
    { "package.json": "{" },
    ["check-script package.json", "configuration package.json"],
  ],
  ["a file that a script runs", { "scripts/build.js": "" }, ["check-script scripts/build.js"]],
  ["a file that a recipe runs", { "scripts/lint.sh": "#!/bin/sh\n" }, ["check-script scripts/lint.sh"]],
  ["a file that such a file runs", { "scripts/inner.sh": "exit 0\n" }, ["check-script scripts/inner.sh"]],
  ["what a target needs", { "tools/make.py": "" }, ["check-script tools/make.py"]],
  [
    "a configuration that a script names",
    { "config/types.json": '{ "files": [] }\n' },
    ["check-script config/types.json"],
  ],
  [
    "the Makefile",
    replaced("Makefile", "test: build", "test:"),
    ["check-script Makefile", "configuration Makefile"],
  ],
  ["a Makefile that comes first", { GNUmakefile: "test:\n\ttrue\n" }, ["configuration GNUmakefile"]],
  [
    "a test runner of the repository's own",
    replaced("test/run.js", "check(2);\n", ""),
    ["check-script test/run.js"],
  ],
  ["a file that a check runs, taken away", { "test/run.js": null }, ["check-script test/run.js"]],
  [
    "a runner's settings",
    replaced("vitest.config.ts", "test: {", "test: { passWithNoTests: true,"),
    ["configuration vitest.config.ts"],
  ],
  [
    "a threshold",
    replaced("vitest.config.ts", "90", "10"),
    ["threshold-lowered vitest.config.ts", "configuration vitest.config.ts"],
  ],
  [
    "a threshold that is gone",
    replaced(".nycrc", ', "lines": 90', ""),
    ["threshold-lowered .nycrc", "configuration .nycrc"],
  ],
  [
    "coverage that is not asked for",
    replaced(".nycrc", "true", "false"),
    ["threshold-lowered .nycrc", "configuration .nycrc"],
  ],
  [
    "pytest's settings",
    replaced("pyproject.toml", '"-q"', '"-q --ignore=tests"'),
    ["configuration pyproject.toml"],
  ],
  ...[
    "conftest.py",
    "tests/conftest.py",
    "tox.ini",
    "setup.cfg",
    ".mocharc.yml",
    "jest.config.js",
    "eslint.config.mjs",
    ".eslintignore",
    "biome.jsonc",
    "tsconfig.json",
    "tsconfig.build.json",
    ".npmrc",
    ".nvmrc",
    ".env",
    ".gitattributes",
    "spec/spec_helper.rb",
    "phpunit.xml",
    ".golangci.yml",
    "ruff.toml",
    ".cargo/config.toml",
    ".yarn/releases/yarn-4.cjs",
    ".husky/pre-commit",
    "turbo.json",
  ].map((path) => [`a new ${path}`, { [path]: "x\n" }, [`configuration ${path}`]] as const),
  ["another system's checks", { ".gitlab-ci.yml": "x\n" }, ["ci .gitlab-ci.yml"]],
  [
    "an installed package",
    { "node_modules/vitest/index.js": "x\n" },
    ["stand-in node_modules/vitest/index.js"],
  ],
  ["an installed program", { "node_modules/.bin/tsc": "exit 0\n" }, ["stand-in node_modules/.bin/tsc"]],
  ["a module of a runner's name", { "pytest.py": "x\n" }, ["stand-in pytest.py"]],
  [
    "a library's name beside the tests",
    { "tests/unittest/__init__.py": "x\n" },
    ["stand-in tests/unittest/__init__.py"],
  ],
  ["what Python runs first", { "src/sitecustomize.py": "x\n" }, ["stand-in src/sitecustomize.py"]],
  ["a program of a tool's name", { "bin/node": "x\n" }, ["stand-in bin/node"]],
  [
    "a rewritten snapshot",
    replaced("test/__snapshots__/a.test.js.snap", "`3`", "`-1`"),
    ["snapshot-rewritten test/__snapshots__/a.test.js.snap"],
  ],
  [
    "a snapshot taken out",
    replaced("test/__snapshots__/a.test.js.snap", "exports[`adds 1`] = `3`;\n", ""),
    ["snapshot-rewritten test/__snapshots__/a.test.js.snap"],
  ],
  [
    "a deleted snapshot",
    { "test/__snapshots__/a.test.js.snap": null },
    ["snapshot-rewritten test/__snapshots__/a.test.js.snap"],
  ],
  [
    "a golden file",
    replaced("test/golden/out.golden", "two", "three"),
    ["snapshot-rewritten test/golden/out.golden"],
  ],
  [
    "what tests read",
    replaced("test/fixtures/in.json", "1", "2"),
    ["test-data-changed test/fixtures/in.json"],
  ],
];

const honest: readonly (readonly [string, Record<string, string | null>])[] = [
  ["a fix in the code", { "src/a.js": "export const a = 2;\n" }],
  ["a version", replaced("package.json", "1.0.0", "1.0.1")],
  ["another script", replaced("package.json", "node src/main.js", "node src/main.js --fast")],
  ["a recipe's file that no check reaches", { "deploy.sh": "y\n" }],
  ["a project's version in Python", replaced("pyproject.toml", '"1"', '"2"')],
  ["documents", { "README.md": "demo 2\n", "docs/testing.md": "Run `npm test || true`.\n" }],
  [
    "a new snapshot",
    replaced(
      "test/__snapshots__/a.test.js.snap",
      "exports[`adds 2`]",
      "exports[`adds 0`] = `0`;\n\nexports[`adds 2`]",
    ),
  ],
  ["a new file of snapshots", { "test/__snapshots__/b.test.js.snap": "exports[`b 1`] = `1`;\n" }],
  [
    "a snapshot that moves",
    {
      "test/__snapshots__/a.test.js.snap": null,
      "test/unit/__snapshots__/a.test.js.snap": base["test/__snapshots__/a.test.js.snap"],
    },
  ],
  ["new test data", { "test/fixtures/more.json": "{}\n" }],
  ["more test data", replaced("test/fixtures/in.json", '"a": 1', '"a": 1,\n  "b": 2')],
  ["more in a test that a check runs by name", replaced("test/run.js", "check(2);", "check(2);\ncheck(3);")],
  ["a test's words", replaced("test/run.js", "check(1);", "// The first.\ncheck(1);")],
  ["a linter's message that moves", { "src/old.js": null, "src/new.js": base["src/old.js"] }],
  ["a failing exit", { "src/a.js": "process.exit(1);\n" }],
  ["a file of data", { "src/table.json": '{ "skip": true }\n' }],
];

describe("tamper", () => {
  it.each(suspicious)("finds %s", async (_, changes, expected) => {
    expect(await found(changes)).toEqual(expected);
  });

  it.each(honest)("lets pass %s", async (_, changes) => {
    expect(await found(changes)).toEqual([]);
  });

  it.each([
    "import ",
    "test(",
    "def test_a(",
    "catch ",
    "exports[`a`] = `",
    "(/[",
    "expect(",
    "/* */ ",
    "\n \n",
    "{ skip",
    '"a" > ',
    "except ",
    "it test ",
    "lines ",
    "process.argv ",
    "\u0020",
  ])("is done with a text made to be slow: %j", async (part) => {
    const text = part.repeat(Math.ceil(200_000 / part.length));
    const paths = [
      "test/a.test.js",
      "tests/test_a.py",
      "test/a.test.js.snap",
      "vitest.config.ts",
      "src/a.rb",
    ];
    const before = Object.fromEntries(paths.map((path) => [path, text]));
    const after = Object.fromEntries(paths.map((path) => [path, `${text}x`]));
    expect(await tampered(before, after, checks)).toBeInstanceOf(Array);
  });

  it("finds what stands behind a byte that ends a text, and what is too long", async () => {
    expect(await found({ "src/a.js": "// \0\nprocess.exit(0);\n" })).toEqual(["early-exit src/a.js"]);
    expect(await found({ "src/a.js": `//${"x".repeat(600_000)}\n` })).toEqual(["not-read src/a.js"]);
    expect(await found({ "logo.png": "\0".repeat(600_000) })).toEqual([]);
  });

  it("says what a script was and is", async () => {
    const [one] = await tampered(base, replaced("package.json", "node scripts/build.js", "true"), checks);
    expect(one?.why).toBe(
      'a check runs its script "build", which was `node scripts/build.js` and is `true` now',
    );
  });

  it("tells the model what to undo, with what was changed quoted", async () => {
    const all = await tampered(base, { "scripts/build.js": "" }, checks);
    const text = tamperText(all, (label, inner) => `<${label}>${inner}</>`);
    expect(text).toMatch(/^The change cannot be published, because/);
    expect(text).toContain("<what was found in the change>- scripts/build.js: a check runs it</>");
  });
});
