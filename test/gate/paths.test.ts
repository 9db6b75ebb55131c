import { describe, expect, it } from "vitest";
import { setupInputs } from "../../src/gate/dependencies/setup-inputs.ts";
import { matchesPath } from "../../src/gate/pattern.ts";
import { protection } from "../../src/gate/protected.ts";
import type { Change } from "../../src/workspace/workspace.ts";

function change(
  path: string,
  status: Change["status"] = "modified",
  mode: Change["mode"] = "100644",
): Change {
  const isGone = status === "deleted";
  return { path, status, mode: isGone ? null : mode, blob: null, addedLines: null, deletedLines: null };
}

const rules = {
  patterns: ["LICENSE", "src/secret/**", "*.sql"],
  config: ".github/agent.yml",
};

const refused: readonly Change[] = [
  change(".github/workflows/ci.yml"),
  change(".github/workflows/ci.yml", "added"),
  change(".github/workflows/ci.yml", "deleted"),
  change(".github/workflows/deep/er/ci.yml", "added"),
  change(".github/workflows", "added", "120000"),
  change(".github/workflows/link.yml", "added", "120000"),
  change(".github", "added", "120000"),
  change(".github", "added"),
  change(".GitHub/Workflows/CI.yml", "added"),
  change(".GITHUB/WORKFLOWS/x", "added"),
  change(".github/workflows./x", "added"),
  change(".github/work\u200cflows/x", "added"),
  change(".g\u0131thub/workflows/x".replace("\u0131", "i"), "added"),
  change(".ｇithub/workflows/x", "added"),
  change("caf\ufffd.txt", "added"),
  change("caf\ufffd/package.json"),
  change("caf\ufffd.txt", "deleted"),
];

const flagged: readonly (readonly [Change, string])[] = [
  [change(".github/agent.yml"), "it holds the checks"],
  [change(".github/Agent.yml", "added"), "it holds the checks"],
  [change("LICENSE"), "protected"],
  [change("packages/a/LICENSE"), "protected"],
  [change("src/secret/deep/x.ts"), "protected"],
  [change("db/x.sql"), "protected"],
  [change(".github/actions/x/action.yml"), "configures GitHub"],
  [change(".github/CODEOWNERS"), "who has to review"],
  [change("CODEOWNERS"), "who has to review"],
];

const free: readonly Change[] = [
  change("src/a.ts"),
  change("test/a.test.ts"),
  change("docs/.github/workflows/x.yml"),
  change("github/workflows/x.yml"),
  change("src/secrets/x.ts"),
  change("package.json"),
  change("test/a.test.ts", "deleted"),
  change("src/a.ts", "deleted"),
];

describe("protection", () => {
  it.each(refused)("refuses $path ($status)", (one) => {
    expect(protection([one], rules)).toEqual({
      refused: [{ path: one.path, why: expect.any(String) }],
      flagged: [],
    });
  });

  it.each(flagged)("flags %j", (one, why) => {
    expect(protection([one], rules)).toEqual({
      refused: [],
      flagged: [{ path: one.path, why: expect.stringContaining(why) }],
    });
  });

  it.each(free)("lets $path pass", (one) => {
    expect(protection([one], rules)).toEqual({ refused: [], flagged: [] });
  });
});

describe("matchesPath", () => {
  it.each([
    ["package.json", "package.json", true],
    ["package.json", "a/b/package.json", true],
    ["/package.json", "a/package.json", false],
    ["/package.json", "package.json", true],
    ["docs", "docs/a/b.md", true],
    ["docs/", "docs/a.md", true],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/a/b.ts", false],
    ["src/**/*.ts", "src/a/b/c.ts", true],
    ["src/**/*.ts", "src/a.ts", true],
    ["**/x", "a/b/x", true],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["*", ".hidden", true],
    ["a+b.(c)", "a+b.(c)", true],
    ["", "a", false],
    ["/", "a", false],
  ])("%j on %j is %s", (pattern, path, expected) => {
    expect(matchesPath(pattern, path)).toBe(expected);
  });

  it("copes with a pattern made to be slow", () => {
    expect(matchesPath("**/".repeat(200) + "*a".repeat(200), `${"x/".repeat(200)}${"a".repeat(199)}b`)).toBe(
      false,
    );
  });
});

describe("setupInputs", () => {
  const text = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  const none = { before: async () => null, after: async () => null };

  it.each([
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "npm-shrinkwrap.json",
    "requirements.txt",
    "requirements-dev.txt",
    "test-requirements.txt",
    "requirements/base.txt",
    "api/requirements/dev.txt",
    "pyproject.toml",
    "poetry.lock",
    "uv.lock",
    "go.mod",
    "go.sum",
    "Cargo.toml",
    "Cargo.lock",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Gemfile",
    "Gemfile.lock",
    "composer.json",
    "composer.lock",
    "bun.lock",
    "deno.lock",
    "pdm.lock",
    "pylock.toml",
    "packages.lock.json",
    "mix.lock",
    ".pnpmfile.cjs",
    "gradle/verification-metadata.xml",
    "packages/a/yarn.lock",
  ])("names %s, changed, added or deleted", async (path) => {
    for (const status of ["modified", "added", "deleted"] as const) {
      expect(await setupInputs([change(path, status)], none)).toEqual([path]);
    }
  });

  it.each([
    "src/a.ts",
    "README.md",
    "test/fixtures/x/package.json",
    "testdata/go.mod",
    "package.json.md",
    "myrequirements.txt",
    "docs/requirements/notes.md",
    "requirements/deep/notes.txt",
  ])("does not name %s", async (path) => {
    expect(await setupInputs([change(path)], none)).toEqual([]);
  });

  it.each([
    [{ version: "1", scripts: { test: "a" } }, { version: "2", scripts: { test: "b" } }, false],
    [{ dependencies: { a: "1", b: "2" } }, { dependencies: { b: "2", a: "1" } }, false],
    [{}, { dependencies: {} }, true],
    [{ dependencies: { a: "1" } }, { dependencies: { a: "2" } }, true],
    [{ devDependencies: { a: "1" } }, {}, true],
    [{}, { overrides: { a: { b: "1" } } }, true],
    [{}, { workspaces: ["a"] }, true],
    [{}, { packageManager: "pnpm@9" }, true],
    [{}, { trustedDependencies: ["a"] }, true],
    [{ scripts: { test: "a" } }, { scripts: { test: "a", postinstall: "b" } }, true],
    [{ scripts: { prepare: "a" } }, { scripts: { prepare: "b" } }, true],
    [{ scripts: { preinstall: "a" } }, {}, true],
    [{ scripts: "a" }, { scripts: { pretest: "a" } }, false],
    [[], [], true],
  ])("compares what package.json installs: %j, %j", async (before, after, isNamed) => {
    const contents = { before: async () => text(before), after: async () => text(after) };
    expect(await setupInputs([change("package.json")], contents)).toEqual(isNamed ? ["package.json"] : []);
  });

  it("names a package.json that nobody can read", async () => {
    const contents = { before: async () => text({}), after: async () => new TextEncoder().encode("{") };
    expect(await setupInputs([change("package.json")], contents)).toEqual(["package.json"]);
  });
});
