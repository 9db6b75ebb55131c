import { type Reach, reaches } from "./reach.ts";
import { fieldsOf } from "./recipes.ts";
import { type ChangedFile, quoted, type Suspicion, type SuspicionKind } from "./suspicion.ts";

/** Files that decide how tools run, which checks use whatever their command says. */
const always: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:jest|vitest|vite|karma|ava|playwright|cypress|wdio|web-test-runner|nightwatch|protractor)\.(?:config|conf|workspace)\.\w+$|^vitest\.\w+\.[cm]?[jt]s$|^\.(?:mocharc|taprc|nycrc|c8rc|jasmine)(?:\.\w+)?$|^jasmine\.json$/,
    "it configures a test runner",
  ],
  [
    /^(?:conftest\.py|pytest\.ini|\.?pytest\.toml|tox\.ini|noxfile\.py|setup\.cfg|\.coveragerc)$/,
    "it configures a test runner",
  ],
  [
    /^(?:\.rspec|(?:spec|rails|test)_helper\.rb|phpunit\.xml(?:\.dist)?|\w*\.runsettings|junit-platform\.properties|surefire\w*\.xml|\.nextest\.toml|nextest\.toml|codecov\.ya?ml|\.codecov\.ya?ml)$/,
    "it configures a test runner",
  ],
  [
    /^(?:eslint|biome|prettier|stylelint|commitlint|knip|xo|oxlint)\.(?:config\.)?\w+$|^biome\.jsonc?$|^\.(?:eslintrc|prettierrc|stylelintrc|oxlintrc|jshintrc|jscsrc)(?:\.\w+)?$|^\.(?:eslint|prettier|stylelint|biome)ignore$|^\.?(?:ruff\.toml|flake8|pylintrc|mypy\.ini|bandit)$|^\.(?:ruff\.toml|pylintrc)$|^pyrightconfig\.json$|^\.golangci\.\w+$|^\.?(?:clippy|rustfmt)\.toml$|^\.rubocop\w*\.yml$|^phpstan\.\w+(?:\.dist)?$|^psalm\.xml$|^\.editorconfig$|^detekt\.yml$|^checkstyle\.xml$/,
    "it configures a linter",
  ],
  [
    /^tsconfig(?:\..+)?\.json$|^jsconfig(?:\..+)?\.json$|^\.?babel(?:rc|\.config)(?:\.\w+)?$|^\.swcrc$|^(?:webpack|rollup|tsup|esbuild|rspack)\.config\.\w+$/,
    "it configures a compiler",
  ],
  [
    /^(?:\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.cjs|\.pnp\.c?js|bunfig\.toml|deno\.jsonc?|pip\.conf|nuget\.config|\.env(?:\..+)?|\.envrc)$/i,
    "it configures what runs the checks",
  ],
  [
    /^(?:\.nvmrc|\.node-version|\.python-version|\.ruby-version|\.tool-versions|rust-toolchain(?:\.toml)?|global\.json|mise\.toml|\.mise\.toml|\.sdkmanrc)$/,
    "it chooses the version of what runs the checks",
  ],
  [
    /^(?:turbo|nx|lerna|wireit|lage)\.json$|^\.(?:bazelrc|bazelversion)$|^Directory\.Build\.\w+$|^build\.rs$|^\.pre-commit-config\.yaml$|^lefthook\.ya?ml$/,
    "it decides what a check does",
  ],
  [/^\.gitattributes$|^\.gitmodules$|^\.gitignore$/, "it changes what git sees of the files"],
];

/** By where they stand. */
const places: readonly (readonly [RegExp, SuspicionKind, string])[] = [
  [
    /(?:^|\/)\.cargo\/config(?:\.toml)?$|(?:^|\/)\.config\/(?:nextest\.toml|dotnet-tools\.json)$|(?:^|\/)\.mvn\/|(?:^|\/)gradle\/wrapper\/|(?:^|\/)\.yarn\/(?:releases|plugins|sdks)\/|(?:^|\/)\.husky\/|(?:^|\/)buildSrc\//,
    "configuration",
    "it decides what a check does",
  ],
  [
    /^\.(?:circleci|buildkite|gitlab|azure-pipelines|woodpecker|drone|teamcity)\/|^(?:\.gitlab-ci|\.travis|azure-pipelines|appveyor|\.appveyor|bitbucket-pipelines|\.cirrus|\.drone|\.woodpecker|cloudbuild|codemagic)\.ya?ml$|^Jenkinsfile$/,
    "ci",
    "it configures another system that runs checks",
  ],
];

/** Only where a check uses the tool. */
const byTool: readonly (readonly [RegExp, RegExp])[] = [
  [/\bg?make\b/, /^(?:GNUm|m|M)akefile$|\.mk$/],
  [/\bjust\b/, /^\.?justfile$/i],
  [/\b(?:task|go-task)\b/, /^Taskfile\.\w+$/],
  [/\bmvnw?\b/, /^(?:pom\.xml|mvnw)$/],
  [/\bgradlew?\b/, /^(?:build|settings)\.gradle(?:\.kts)?$|^gradlew$|^gradle\.properties$/],
  [/\bcargo\b/, /^Cargo\.toml$/],
  [/\brake\b|\brspec\b/, /^Rakefile$/],
  [/\bdotnet\b/, /\.csproj$|\.fsproj$|\.sln$/],
  [/\bmix\b/, /^mix\.exs$/],
  [/\bcomposer\b|\bphpunit\b/, /^composer\.json$/],
  [/\bdart\b|\bflutter\b/, /^(?:pubspec|analysis_options|dart_test)\.yaml$/],
  [/\bpython[\d.]*\s+setup\.py\b/, /^setup\.py$/],
];

const inFixtures = /(?:^|\/)(?:fixtures?|__fixtures__|testdata|node_modules)\//;

/** What of a change decides how the checks run, by the names of its files and by what of a manifest counts. */
export function changedConfiguration(files: readonly ChangedFile[], reach: Reach): readonly Suspicion[] {
  return files.flatMap((file) => {
    const { path } = file.change;
    if (inFixtures.test(path)) return [];
    const name = path.slice(path.lastIndexOf("/") + 1);
    const lowered = thresholds(file);
    if (name === "package.json") return [...packageJson(file, reach), ...lowered];
    if (name === "pyproject.toml") return [...pyproject(file), ...lowered];
    const [, kind = "configuration", why = whyByName(name, reach)] =
      places.find(([place]) => place.test(path)) ?? [];
    return why === null ? [] : [...lowered, { path, kind, why }];
  });
}

function whyByName(name: string, { commands }: Reach): string | null {
  const why = always.find(([pattern]) => pattern.test(name))?.[1];
  if (why !== undefined) return why;
  const isUsed = byTool.some(
    ([tool, file]) => file.test(name) && commands.some((command) => tool.test(command)),
  );
  return isUsed ? "it decides what a check does" : null;
}

/** Keys under which tools look for their settings. */
const toolKeys = [
  ..."jest vitest mocha ava tap c8 nyc jasmine karma cypress playwright eslintConfig eslintIgnore prettier".split(
    " ",
  ),
  ..."stylelint babel xo standard semistandard swc wireit nx pre-commit husky lint-staged type imports config".split(
    " ",
  ),
];

/** Only the scripts that a check runs, and what configures tools; a version or another script changes no check. */
function packageJson({ change: { path }, before, after }: ChangedFile, reach: Reach): readonly Suspicion[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  const [oldScripts, nowScripts] = [fieldsOf(json(old["scripts"])), fieldsOf(json(now["scripts"]))];
  const names = new Set([...Object.keys(oldScripts), ...Object.keys(nowScripts)]);
  const scripts = [...names]
    .filter((name) => reaches(reach, path, name) && json(oldScripts[name]) !== json(nowScripts[name]))
    .map((name): Suspicion => {
      const [from, to] = [shown(oldScripts[name]), shown(nowScripts[name])];
      return {
        path,
        kind: "check-script",
        why: `a check runs its script "${quoted(name)}", which was ${from} and is ${to} now`,
        at: `${json(name)}:`,
      };
    });
  const keys = toolKeys.filter((key) => json(old[key]) !== json(now[key]));
  return keys.length === 0
    ? scripts
    : [
        ...scripts,
        { path, kind: "configuration", why: `its settings for tools were changed: ${keys.join(", ")}` },
      ];
}

function shown(script: unknown): string {
  return typeof script === "string" ? `\`${quoted(script)}\`` : "not there";
}

function json(value: unknown): string {
  return JSON.stringify(value ?? null);
}

/** The tables of tools, and how the project is built. */
function pyproject({ change: { path }, before, after }: ChangedFile): readonly Suspicion[] {
  const tables = (text: string | null) =>
    (text ?? "")
      .split(/^(?=\[)/m)
      .filter((table) =>
        /^\[+(?:tool\.(?!poetry(?:\]|\.(?:group|dependencies|dev-dependencies))|uv)|build-system)/.test(
          table,
        ),
      )
      .map((table) => table.trim())
      .sort();
  const [old, now] = [tables(before), tables(after)];
  if (json(old) === json(now)) return [];
  return [{ path, kind: "configuration", why: "its settings for tools were changed" }];
}

const measured =
  /["']?\b(lines|branches|functions|statements|fail[_-]under|cov-fail-under|minimum_coverage|minimum|autofail|threshold|target|perFile|autoUpdate|statement|check-coverage|checkCoverage)\b["']?\s{0,20}[:= ]\s{0,20}["']?(\d+(?:\.\d+)?|true|false)/g;

/** Coverage that has to be reached. */
function thresholds({ change: { path }, before, after }: ChangedFile): readonly Suspicion[] {
  const read = (text: string | null) =>
    Array.from((text ?? "").matchAll(measured), ([, name = "", value = ""]) => ({ name, value }));
  const [old, now] = [read(before), read(after)];
  const lowered = old.flatMap(({ name, value }, index) => {
    const nth = old.slice(0, index).filter((one) => one.name === name).length;
    const left = now.filter((one) => one.name === name)[nth];
    if (left === undefined) return [`${name} was ${value} and is gone`];
    return Number(left.value) < Number(value) || (value === "true" && left.value === "false")
      ? [`${name} was ${value} and is ${left.value}`]
      : [];
  });
  return lowered.length === 0
    ? []
    : [
        {
          path,
          kind: "threshold-lowered",
          why: `a threshold was lowered: ${lowered.slice(0, 3).join(", ")}`,
        },
      ];
}
