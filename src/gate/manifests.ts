import { objectIn } from "../base/json.ts";

/** The files of the commit that configuration comes from. `Workspace` has both methods. */
export type Manifests = {
  readonly list: () => Promise<readonly string[]>;
  readonly file: (path: string) => Promise<Uint8Array | null>;
};

export type Guess = {
  readonly setup: readonly string[];
  readonly checks: readonly { readonly name: string; readonly run: string; readonly note?: string }[];
  readonly protected: readonly string[];
};

/** What the top level tells about how the repository is prepared and tested; several ecosystems add up. */
export async function guessFrom({ list, file }: Manifests): Promise<Guess> {
  const names = new Set((await list()).filter((path) => !path.includes("/")));
  const read = async (name: string) => {
    const bytes = names.has(name) ? await file(name) : null;
    return bytes === null ? "" : new TextDecoder().decode(bytes);
  };
  const found = [
    node(names, await read("package.json")),
    python(names, await read("pyproject.toml")),
    go(names),
    rust(names),
    maven(names),
    gradle(names),
  ].filter((guess) => guess !== null);
  // A Makefile usually wraps the others, so it only speaks where they have nothing to test.
  const makes = found.some((guess) => guess.checks.length > 0)
    ? null
    : makefile(await read(makefileName(names)));
  const all = makes === null ? found : [...found, makes];
  return {
    setup: all.flatMap((guess) => guess.setup),
    checks: withUniqueNames(all.flatMap((guess) => guess.checks)),
    protected: all.flatMap((guess) => guess.protected),
  };
}

function node(names: ReadonlySet<string>, text: string): Guess | null {
  if (!names.has("package.json")) return null;
  const manifest = jsonObject(text);
  const scripts = objectIn(manifest["scripts"]);
  const manager = nodeManager(names, manifest);
  const checks = ["test", "lint", "typecheck", "types"]
    .filter((name) => isRealScript(scripts[name]))
    .map((name) => ({ name, run: name === "test" ? `${manager.name} test` : `${manager.name} run ${name}` }));
  return { setup: manager.setup, checks, protected: ["package.json"] };
}

/** `npm init` writes a test that always fails; it tests nothing. */
function isRealScript(script: unknown): boolean {
  return typeof script === "string" && script.trim() !== "" && !script.includes("no test specified");
}

function nodeManager(
  names: ReadonlySet<string>,
  manifest: Readonly<Record<string, unknown>>,
): { readonly name: string; readonly setup: readonly string[] } {
  if (names.has("pnpm-lock.yaml")) {
    return { name: "pnpm", setup: ["corepack enable", "pnpm install --frozen-lockfile"] };
  }
  if (names.has("yarn.lock")) {
    const isModern = names.has(".yarnrc.yml") || /^yarn@[2-9]/.test(String(manifest["packageManager"] ?? ""));
    const flag = isModern ? "--immutable" : "--frozen-lockfile";
    return { name: "yarn", setup: ["corepack enable", `yarn install ${flag}`] };
  }
  if (names.has("bun.lock") || names.has("bun.lockb")) {
    return { name: "bun", setup: ["bun install --frozen-lockfile"] };
  }
  if (names.has("package-lock.json") || names.has("npm-shrinkwrap.json"))
    return { name: "npm", setup: ["npm ci"] };
  const needs = ["dependencies", "devDependencies", "optionalDependencies"];
  const hasAny = needs.some((key) => Object.keys(objectIn(manifest[key])).length > 0);
  return { name: "npm", setup: hasAny ? ["npm install"] : [] };
}

function python(names: ReadonlySet<string>, pyproject: string): Guess | null {
  const requirements = ["requirements.txt", "requirements-dev.txt", "requirements_dev.txt"].filter((name) =>
    names.has(name),
  );
  const isProject = names.has("pyproject.toml") || names.has("setup.py") || names.has("setup.cfg");
  if (!isProject && requirements.length === 0) return null;
  const flagged = [...requirements, ...["pyproject.toml"].filter((name) => names.has(name))];
  if (names.has("uv.lock")) return pythonGuess(["uv sync --frozen"], "uv run --offline pytest", flagged);
  if (names.has("poetry.lock")) return pythonGuess(["poetry install"], "poetry run pytest", flagged);
  const isInstallable = names.has("setup.py") || /^\[(?:project|build-system)\]/m.test(pyproject);
  const what = [...requirements.map((name) => `-r ${name}`), ...(isInstallable ? ["-e ."] : []), "pytest"];
  const setup = ["python3 -m venv .venv", `.venv/bin/pip install ${what.join(" ")}`];
  return pythonGuess(setup, ".venv/bin/python -m pytest", flagged);
}

function pythonGuess(setup: readonly string[], run: string, flagged: readonly string[]): Guess {
  return { setup, checks: [{ name: "test", run }], protected: flagged };
}

function go(names: ReadonlySet<string>): Guess | null {
  if (!names.has("go.mod")) return null;
  const checks = [
    { name: "test", run: "go test ./..." },
    { name: "vet", run: "go vet ./..." },
  ];
  return { setup: ["go mod download"], checks, protected: ["go.mod"] };
}

function rust(names: ReadonlySet<string>): Guess | null {
  if (!names.has("Cargo.toml")) return null;
  const setup = names.has("Cargo.lock") ? ["cargo fetch --locked"] : ["cargo fetch"];
  return { setup, checks: [{ name: "test", run: "cargo test --offline" }], protected: ["Cargo.toml"] };
}

function maven(names: ReadonlySet<string>): Guess | null {
  if (!names.has("pom.xml")) return null;
  const mvn = names.has("mvnw") ? "./mvnw" : "mvn";
  // A whole build fetches the plugins that the tests need; `go-offline` misses some of them.
  const setup = [`${mvn} --batch-mode --quiet verify -DskipTests`];
  return {
    setup,
    checks: [{ name: "test", run: `${mvn} --batch-mode --offline test` }],
    protected: ["pom.xml"],
  };
}

function gradle(names: ReadonlySet<string>): Guess | null {
  const build = ["build.gradle", "build.gradle.kts"].find((name) => names.has(name));
  if (build === undefined) return null;
  const tool = names.has("gradlew") ? "./gradlew" : "gradle";
  const checks = [{ name: "test", run: `${tool} --no-daemon --offline test` }];
  return { setup: [`${tool} --no-daemon testClasses`], checks, protected: [build] };
}

function makefileName(names: ReadonlySet<string>): string {
  return ["GNUmakefile", "makefile", "Makefile"].find((name) => names.has(name)) ?? "";
}

function makefile(text: string): Guess | null {
  const target = (name: string) => new RegExp(`^${name}[ \\t]*:(?!=)`, "m").test(text);
  const names = ["test", "check"].filter(target).slice(0, 1);
  if (target("lint")) names.push("lint");
  if (names.length === 0) return null;
  const checks = names.map((name) => ({ name: name === "check" ? "test" : name, run: `make ${name}` }));
  return { setup: [], checks, protected: ["Makefile"] };
}

function withUniqueNames(checks: Guess["checks"]): Guess["checks"] {
  const names = checks.map((check) => check.name);
  return checks.map((check, index) => {
    const isFirst = names.indexOf(check.name) === index;
    return isFirst
      ? check
      : { ...check, name: `${check.name} (${check.run.split(" ")[0]?.replace(/^\.\//, "") ?? index})` };
  });
}

function jsonObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return objectIn(JSON.parse(text));
  } catch {
    // A manifest that cannot be read tells nothing; the guess is a suggestion.
    return {};
  }
}
