import { describe, expect, it } from "vitest";
import { isOutOfSight, reachOf } from "../../../src/gate/tamper/reach.ts";
import { checkOf, tampered } from "../given-change.ts";

const manifest = (test: string) => JSON.stringify({ name: "demo", scripts: { test, lint: "eslint ." } });
const base = {
  "package.json": manifest("vitest run"),
  "packages/a/package.json": manifest("vitest run"),
  "src/add.js": "export const add = (a, b) => a - b;\n",
  "src/main.py": "print(1)\n",
  "vitest.config.js": `export default { test: {
  include: ["test/**/*.{test,spec}.js"],
  setupFiles: ["./test/support/boot.js", "<rootDir>/tools/globals.js"],
  coverage: { exclude: ["src/add.js"] },
} };
`,
  "test/support/boot.js": "start();\n",
  "tools/globals.js": "start();\n",
  "tox.ini": "[testenv]\ncommands =\n  bash {toxinidir}/ci/tox.sh\n  python src/main.py\n",
  "noxfile.py": 'def tests(session):\n    session.run("bash", "ci/nox.sh")\n',
  "Taskfile.yml": "tasks:\n  test:\n    cmds: [bash ci/task.sh]\n",
  "project.json": '{ "targets": { "test": { "command": "bash ci/nx-test.sh" } } }',
  "composer.json": '{ "scripts": { "test": "bash ci/php.sh" } }',
  ".pre-commit-config.yaml": "repos:\n  - hooks:\n      - entry: ci/hook.sh\n",
  Rakefile: "task :test do\n  sh 'ci/rake.sh'\nend\n",
  "deno.json": '{ "tasks": { "lint": "bash ci/deno.sh" } }',
  Makefile: "include build/common.make\ntest:\n\t./ci/make.sh\n",
  "build/common.make": "A = 1\n",
  ...Object.fromEntries(
    ["tox", "nox", "task", "nx-test", "php", "hook", "rake", "deno", "make", "inner"].map((name) => [
      `ci/${name}.sh`,
      "#!/bin/sh\nsh ci/inner.sh\n",
    ]),
  ),
};
const found = async (run: string, changes: Readonly<Record<string, string | null>>) =>
  (await tampered(base, changes, [checkOf(run)])).map(({ path, kind }) => `${kind} ${path}`);

describe("what a check runs", () => {
  it.each([
    "sh -c 'npm run lint && npm test'",
    'bash -ec "npm test"',
    "timeout 600 npm test",
    "xvfb-run -a npm test",
    "sudo -E npm test",
    "env -u X npm test",
    "docker compose run --rm app npm test",
    "corepack npm test",
    "mise exec -- npm test",
    "nix develop -c npm test",
    "npm ci && npm it",
    "npm cit",
    "nohup npm test",
    "dotenv -e .env.test -- npm test",
    "start-server-and-test start 3000 test",
    "bash <<< 'npm test'",
    "node --run=test",
  ])("is followed through %s", async (run) => {
    expect(await found(run, { "package.json": manifest("true") })).toEqual(["check-script package.json"]);
  });

  it.each([
    "yarn workspace a test",
    "npm --prefix=packages/a test",
    "yarn --cwd=packages/a test",
    "pnpm --dir=packages/a test",
    "pushd packages/a && npm test",
    "nx run a:test",
    "nx run-many --target=lint,test",
    "moon run a:test",
    "npx --no-install lerna run test",
    "for one in packages/*; do (cd $one && npm test); done",
    "find packages -maxdepth 1 -exec npm --prefix {} test \\;",
  ])("is followed into a package by %s", async (run) => {
    const changes = { "packages/a/package.json": manifest("true") };
    expect(await found(run, changes)).toEqual(["check-script packages/a/package.json"]);
  });

  it.each([
    ["tox", "ci/tox.sh"],
    ["python3 -m tox -e py", "ci/tox.sh"],
    ["nox -s tests", "ci/nox.sh"],
    ["task test", "ci/task.sh"],
    ["nx test demo", "ci/nx-test.sh"],
    ["composer test", "ci/php.sh"],
    ["pre-commit run -a", "ci/hook.sh"],
    ["bundle exec rake test", "ci/rake.sh"],
    ["deno task lint", "ci/deno.sh"],
    ["make --directory=. test", "ci/make.sh"],
    ["nix-shell --run 'make test'", "ci/make.sh"],
    ["make test", "build/common.make"],
    ["tox", "ci/inner.sh"],
  ])("is what %s is told to run: %s", async (run, path) => {
    expect(await found(run, { [path]: "exit 0\n" })).toContain(`check-script ${path}`);
  });

  it("is also what a runner loads before its tests, however it is changed", async () => {
    const changes = {
      "test/support/boot.js": "start();\nmore();\n",
      "tools/globals.js": "start();\nmore();\n",
    };
    expect(await found("npm test", changes)).toEqual([
      "configuration test/support/boot.js",
      "configuration tools/globals.js",
    ]);
  });

  it.each([
    ["npm test", { "src/add.js": "export const add = (a, b) => a + b;\n" }],
    ["tox", { "src/main.py": "print(2)\n", "ci/nox.sh": "exit 1\n" }],
    ["pytest", { "package.json": manifest("true") }],
    ["yarn workspace a test", { "packages/a/package.json": `${manifest("vitest run")}\n` }],
  ])("is not the product, nor what other checks run: %s", async (run, changes) => {
    expect(await found(run, changes)).toEqual([]);
  });
});

describe("a test that is moved", () => {
  it.each([
    ["out of the runner's patterns", "test/add.test.js", "old/add.test.js", true],
    ["within the runner's patterns", "test/add.test.js", "test/deep/add.spec.js", false],
    ["into a hidden directory", "lib/add.test.js", ".old/add.test.js", true],
    ["into what is built", "lib/add.test.js", "dist/add.test.js", true],
    ["into what Go takes for data", "add_test.go", "testdata/add_test.go", true],
    ["behind what Go takes for a sign", "add_test.go", "_add_test.go", true],
    ["to another system", "add_test.go", "add_windows_test.go", true],
    ["to another package", "add_test.go", "sums/add_test.go", false],
    ["beside the code", "lib/test/add.test.js", "lib/add.test.js", false],
  ])("%s is out of sight: %s → %s, %s", async (_, from, to, expected) => {
    const bytes = (text: string | undefined) => (text === undefined ? null : new TextEncoder().encode(text));
    const read = async (path: string) => bytes((base as Readonly<Record<string, string>>)[path]);
    expect(isOutOfSight(await reachOf([checkOf("npm test")], read), from, to)).toBe(expected);
  });
});
