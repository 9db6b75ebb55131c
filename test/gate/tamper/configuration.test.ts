import { describe, expect, it } from "vitest";
import { checkOf, tampered } from "../given-change.ts";

const found = async (
  path: string,
  { run = "npm test", before }: { readonly run?: string; readonly before?: string } = {},
) =>
  (await tampered(before === undefined ? {} : { [path]: before }, { [path]: "x\n" }, [checkOf(run)])).map(
    ({ kind }) => kind,
  );

describe("files that decide how checks run", () => {
  it.each(
    `jest.setup.js src/setupTests.ts vitest.setup.ts test/global-setup.ts test/setup.js .pytest.ini tox.toml toxfile.py
    nose2.cfg behave.ini features/environment.py features/support/env.rb cucumber.js testem.js next.config.js angular.json craco.config.js
    gulpfile.js phpcs.xml .php-cs-fixer.php .swiftlint.yml .yamllint .markdownlint.json .shellcheckrc .clang-tidy
    .credo.exs .scalafmt.conf staticcheck.conf sonar-project.properties .lintstagedrc .remarkrc.mjs .dependency-cruiser.js
    .sqlfluff .isort.cfg tslint.json dprint.json cspell.json .simplecov codeception.yml infection.json5 xunit.runner.json
    uv.toml pixi.toml pnpm-workspace.yaml bunfig.toml tests/Pest.php project.json go.work patches/vitest+5.0.0.patch
    .yarn/patches/vitest.patch .yarn/cache/vitest.zip .config .cargo .husky
    src/test/resources/META-INF/services/org.junit.platform.launcher.PostDiscoveryFilter`.split(/\s+/),
  )("hold a new %s", async (path) => {
    expect(await found(path)).toEqual(["configuration"]);
  });

  it.each([
    ["bazel test //...", "tests/BUILD"],
    ["ctest", "cmake/tests.cmake"],
    ["sbt test", "project/plugins.sbt"],
    ["swift test", "Package.swift"],
    ["docker compose run app test", "compose.yaml"],
    ["docker build .", "Dockerfile"],
    ["stack test", "demo.cabal"],
    ["ant test", "build.xml"],
    ["meson test", "meson.build"],
    ["zig build test", "build.zig"],
    ["invoke test", "tasks.py"],
    ["clojure -M:test", "deps.edn"],
    ["rebar3 eunit", "rebar.config"],
    ["dune test", "dune"],
    ["mise run test", "mise/tasks/test"],
    ["./gradlew test", "gradle/test.gradle"],
    ["./gradlew test", "build-logic/src/main/kotlin/x.kts"],
    ["dotnet test", "Demo.targets"],
    ["cargo xtask test", "xtask/src/main.rs"],
    ["tox", "setup.py"],
  ])("are, for %s, those like %s, and for others none", async (run, path) => {
    expect(await found(path, { run })).toContain("configuration");
    if (!/build-logic|xtask|mise/.test(path)) expect(await found(path, { run: "npm test" })).toEqual([]);
  });

  it.each([
    ".dockerignore",
    ".bashrc",
    "src/app.config.ts",
    "tailwind.config.js",
    "src/setup.md",
    "src/database/setup-database.ts",
    "docs/patches/one.patch",
    "src/environment.py",
    "src/tasks.py",
    "src/test-runner.ts",
  ])("are none like %s", async (path) => {
    expect(await found(path)).toEqual([]);
  });
});

describe("what stands in another's place", () => {
  it.each(
    `__pycache__/app.cpython-313.pyc tests/__pycache__/test_app.cpython-313-pytest-9.0.0.pyc node_modules .venv .tox
    demo.egg-info/entry_points.txt x.dist-info/entry_points.txt difflib.py src/logging.py pluggy/__init__.py argparse.py
    math.cpython-313-x86_64-linux-gnu.so vendor/github.com/stretchr/testify/assert/assertions.go vendor/autoload.php
    third_party/googletest/include/gtest/gtest.h tsconfig.tsbuildinfo .eslintcache .turbo/cache/one.tar.zst
    .phpunit.result.cache .pytest_cache/v/cache/lastfailed __mocks__/axios.js packages/a/__mocks__/chai.js
    target/debug/deps/demo`.split(/\s+/),
  )("is a new %s", async (path) => {
    expect(await found(path)).toEqual(["stand-in"]);
  });

  it.each(["node_modules/chai/index.js", "vendor/github.com/stretchr/testify/assert/assertions.go"])(
    "is what was there before as well: %s",
    async (path) => {
      expect(await found(path, { before: "y\n" })).toEqual(["stand-in"]);
    },
  );

  it.each([
    "src/app/logging.py",
    "src/demo/types.py",
    "app/assets/vendor/jquery.js",
    "src/components/__mocks__/api.js",
    "src/node_modules.md",
    "lib/target.rs",
    "src/next/page.js",
    "docs/third_party/notes.md",
  ])("is no %s", async (path) => {
    expect(await found(path)).toEqual([]);
  });
});

describe("a package.json", () => {
  const manifest = (fields: object) => JSON.stringify({ name: "demo", ...fields });
  const before = manifest({ main: "./a.js", exports: { ".": "./a.js" }, workspaces: ["packages/*"] });
  const kinds = async (after: string) =>
    (await tampered({ "package.json": before }, { "package.json": after }, [checkOf("npm test")])).map(
      ({ why }) => why,
    );

  it.each([
    ["main", { main: "./b.js", exports: { ".": "./a.js" }, workspaces: ["packages/*"] }],
    ["exports", { main: "./a.js", exports: { ".": "./b.js" }, workspaces: ["packages/*"] }],
    ["workspaces", { main: "./a.js", exports: { ".": "./a.js" }, workspaces: ["packages/*", "!packages/a"] }],
    ["workspaces", { main: "./a.js", exports: { ".": "./a.js" } }],
  ])("that points elsewhere is found: %s", async (key, fields) => {
    expect(await kinds(manifest(fields))).toEqual([`its settings for tools were changed: ${key}`]);
  });

  it("that has one entry more is not", async () => {
    const fields = { exports: { ".": "./a.js", "./b": "./b.js" }, workspaces: ["packages/*", "tools"] };
    expect(await kinds(manifest({ main: "./a.js", ...fields }))).toEqual([]);
  });
});

describe("a threshold", () => {
  it.each([
    ["a check of coverage that was off", ".nycrc", '{ "check-coverage": false }', "{}"],
    ["a rule of a linter", ".eslintrc", '{ "max-lines": [1, { "lines": 2 }] }', "{}"],
  ])("is not %s", async (_, path, before, after) => {
    const found = await tampered({ [path]: before }, { [path]: after }, [checkOf("npm test")]);
    expect(found.map(({ kind }) => kind)).toEqual(["configuration"]);
  });
});
