import { describe, expect, it } from "vitest";
import { parseYaml } from "../../src/adapters/yaml/parse.ts";
import { readConfig } from "../../src/gate/config.ts";
import { guessConfig } from "../../src/gate/guess.ts";

async function guess(files: Readonly<Record<string, string>>) {
  const text = await guessConfig({
    list: async () => Object.keys(files),
    file: async (path) => (Object.hasOwn(files, path) ? new TextEncoder().encode(files[path]) : null),
  });
  const parsed = parseYaml(new TextEncoder().encode(text), "agent.yml");
  if (parsed.kind === "refused") throw new Error(parsed.why);
  const read = readConfig(parsed, "agent.yml");
  if (read.kind === "refused") throw new Error(read.why);
  const { setup, checks } = read.config;
  return {
    text,
    setup,
    checks: checks.map(({ name, run }) => `${name}: ${run}`),
    flagged: read.config.protected,
  };
}

const json = (value: unknown) => JSON.stringify(value);
const scripts = { test: "vitest", lint: "eslint .", typecheck: "tsc", evil: "$(id)" };

const cases: readonly (readonly [string, Record<string, string>, readonly string[], readonly string[]])[] = [
  [
    "npm with a lockfile",
    { "package.json": json({ scripts }), "package-lock.json": "{}" },
    ["npm ci"],
    ["test: npm test", "lint: npm run lint", "typecheck: npm run typecheck"],
  ],
  [
    "npm without a lockfile",
    { "package.json": json({ scripts: { test: "x" }, devDependencies: { a: "1" } }) },
    ["npm install"],
    ["test: npm test"],
  ],
  [
    "npm without dependencies",
    { "package.json": json({ scripts: { test: "node --test" } }) },
    [],
    ["test: npm test"],
  ],
  [
    "yarn 1",
    { "package.json": json({ scripts: { test: "x" } }), "yarn.lock": "" },
    ["corepack enable", "yarn install --frozen-lockfile"],
    ["test: yarn test"],
  ],
  [
    "yarn 4",
    { "package.json": json({ scripts: { test: "x" }, packageManager: "yarn@4.1.0" }), "yarn.lock": "" },
    ["corepack enable", "yarn install --immutable"],
    ["test: yarn test"],
  ],
  [
    "pnpm",
    { "package.json": json({ scripts }), "pnpm-lock.yaml": "" },
    ["corepack enable", "pnpm install --frozen-lockfile"],
    ["test: pnpm test", "lint: pnpm run lint", "typecheck: pnpm run typecheck"],
  ],
  [
    "the test that `npm init` writes",
    { "package.json": json({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }) },
    [],
    ["test: false"],
  ],
  ["a package.json that is not JSON", { "package.json": "{" }, [], ["test: false"]],
  [
    "a pyproject",
    { "pyproject.toml": "[project]\nname='x'\n" },
    ["python3 -m venv .venv", ".venv/bin/pip install -e . pytest"],
    ["test: .venv/bin/python -m pytest"],
  ],
  [
    "requirements",
    { "requirements.txt": "", "requirements-dev.txt": "" },
    ["python3 -m venv .venv", ".venv/bin/pip install -r requirements.txt -r requirements-dev.txt pytest"],
    ["test: .venv/bin/python -m pytest"],
  ],
  ["poetry", { "pyproject.toml": "", "poetry.lock": "" }, ["poetry install"], ["test: poetry run pytest"]],
  ["uv", { "pyproject.toml": "", "uv.lock": "" }, ["uv sync --frozen"], ["test: uv run --offline pytest"]],
  ["go", { "go.mod": "" }, ["go mod download"], ["test: go test ./...", "vet: go vet ./..."]],
  ["rust", { "Cargo.toml": "", "Cargo.lock": "" }, ["cargo fetch --locked"], ["test: cargo test --offline"]],
  [
    "maven",
    { "pom.xml": "", mvnw: "" },
    ["./mvnw --batch-mode --quiet verify -DskipTests"],
    ["test: ./mvnw --batch-mode --offline test"],
  ],
  [
    "gradle",
    { "build.gradle.kts": "", gradlew: "" },
    ["./gradlew --no-daemon testClasses"],
    ["test: ./gradlew --no-daemon --offline test"],
  ],
  [
    "a Makefile",
    { Makefile: "all:\n\ntest: all\n\techo\nlint:\n" },
    [],
    ["test: make test", "lint: make lint"],
  ],
  ["a Makefile with only a variable", { Makefile: "test := x\n" }, [], ["test: false"]],
  [
    "two ecosystems",
    { "go.mod": "", "package.json": json({ scripts: { test: "x" } }) },
    ["go mod download"],
    ["test: npm test", "test (go): go test ./...", "vet: go vet ./..."],
  ],
  ["nothing known", { "README.md": "" }, [], ["test: false"]],
  ["manifests below the top only", { "examples/package.json": json({ scripts }) }, [], ["test: false"]],
];

describe("guessConfig", () => {
  it.each(cases)("guesses a file that reads well from %s", async (_, files, setup, checks) => {
    expect(await guess(files)).toMatchObject({ setup, checks });
  });

  it("says what each part is for", async () => {
    const { text } = await guess({ "package.json": json({ scripts }), "package-lock.json": "{}" });
    expect(text).toMatchInlineSnapshot(`
      "# How Baton prepares this repository and checks its own work. Save as .github/agent.yml.
      # Runs with network access, on the untouched base commit, before the work begins.
      setup:
        - npm ci
      # Run without network on base and on the result; nothing is published unless these pass.
      checks:
        - { name: test, run: npm test, minutes: 10 }
        - { name: lint, run: npm run lint, minutes: 10 }
        - { name: typecheck, run: npm run typecheck, minutes: 10 }
      # May change, but the pull request points it out.
      protected:
        - package.json
      budget: { turns: 60, minutes: 50, cost-usd: 5 }
      "
    `);
  });

  it("asks for the command where it knows none", async () => {
    expect((await guess({})).text).toContain("# replace with the command that runs your tests");
  });

  it("holds no text of the repository", async () => {
    const { text } = await guess({
      "package.json": json({ name: "EVIL", scripts: { test: "EVIL", EVIL: "EVIL" }, packageManager: "EVIL" }),
      Makefile: "EVIL:\n",
    });
    expect(text).not.toContain("EVIL");
  });
});
