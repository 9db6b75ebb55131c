import { isNamedTest, isTest } from "../test-paths.ts";
import { fieldsOf } from "./recipes.ts";

/** Files in which a tool is told what to run, or what to load before tests, in its own words. */
type Naming = {
  /** A check's command that uses the tool. */
  readonly tool: RegExp;
  readonly files: readonly string[];
  /** Whole commands, or paths of what tests are run with. */
  readonly names: "commands" | "modules";
};

const scripts = (name: string, endings = "ts js mts mjs cts cjs"): readonly string[] =>
  endings.split(" ").map((ending) => `${name}.${ending}`);
const jsRunners = /\b(?:vitest|vite|jest|mocha|ava|karma|playwright|cypress|react-scripts|c8|nyc|bun)\b/;
const pythonRunners = /\b(?:pytest|python[\d.]*|tox|nox|uv|hatch|poe|pdm|rye|pixi|task|poetry)\b/;

const namings: readonly Naming[] = [
  {
    tool: jsRunners,
    files: [
      ...["vitest.config", "vite.config", "jest.config", "playwright.config", "cypress.config"].flatMap(
        (name) => scripts(name),
      ),
      ...scripts(".mocharc", "js cjs mjs json yml yaml jsonc"),
      ...scripts("ava.config", "js cjs mjs"),
      ...["jest.config.json", ".mocharc", "karma.conf.js", "bunfig.toml", "package.json"],
    ],
    names: "modules",
  },
  {
    tool: pythonRunners,
    files: ["pytest.ini", ".pytest.ini", "conftest.py", "tests/conftest.py"],
    names: "modules",
  },
  { tool: /\btox\b/, files: ["tox.ini", "tox.toml", "setup.cfg"], names: "commands" },
  { tool: /\bnox\b/, files: ["noxfile.py"], names: "commands" },
  { tool: pythonRunners, files: ["pyproject.toml", "pixi.toml"], names: "commands" },
  {
    tool: /\b(?:go-)?task\b/,
    files: ["Taskfile.yml", "Taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml"],
    names: "commands",
  },
  { tool: /\b(?:nx|moon)\b/, files: ["project.json", "nx.json", "moon.yml"], names: "commands" },
  { tool: /\bcomposer\b/, files: ["composer.json"], names: "commands" },
  {
    tool: /\b(?:pre-commit|prek)\b/,
    files: [".pre-commit-config.yaml", ".pre-commit-config.yml"],
    names: "commands",
  },
  { tool: /\blefthook\b/, files: ["lefthook.yml", "lefthook.yaml"], names: "commands" },
  { tool: /\brake\b/, files: ["Rakefile"], names: "commands" },
  { tool: /\bdeno\b/, files: ["deno.json", "deno.jsonc"], names: "commands" },
  { tool: /\bmise\b/, files: ["mise.toml", ".mise.toml"], names: "commands" },
  { tool: /\b(?:inv|invoke|doit|fab)\b/, files: ["tasks.py", "dodo.py", "fabfile.py"], names: "commands" },
  { tool: /\b(?:gulp|grunt)\b/, files: ["gulpfile.js", "gulpfile.mjs", "Gruntfile.js"], names: "commands" },
  { tool: /\bmvnw?\b/, files: ["pom.xml"], names: "commands" },
  { tool: /\bgradlew?\b/, files: ["build.gradle", "build.gradle.kts"], names: "commands" },
  { tool: /\b(?:cmake|ctest)\b/, files: ["CMakeLists.txt", "tests/CMakeLists.txt"], names: "commands" },
  { tool: /\bmeson\b/, files: ["meson.build"], names: "commands" },
  { tool: /\bbazel(?:isk)?\b/, files: ["BUILD", "BUILD.bazel"], names: "commands" },
  {
    tool: /\bdocker\b/,
    files: ["Dockerfile", "docker-compose.yml", "docker-compose.yaml", "compose.yaml", "compose.yml"],
    names: "commands",
  },
];

/** The naming files of the tools that these commands use. */
export function namingFilesOf(
  commands: readonly string[],
): readonly { readonly file: string; readonly names: Naming["names"] }[] {
  const used = namings.filter(({ tool }) => commands.some((command) => tool.test(command)));
  const files = new Map(used.flatMap(({ files: all, names }) => all.map((file) => [file, names] as const)));
  return Array.from(files, ([file, names]) => ({ file, names }));
}

const namedMax = 60;
const product = /(?:^|\/)(?:src|lib|app|pkg|internal|cmd|dist|build)\//;

/**
 * Paths that look like programs in the text of a naming file, relative to where it stands. What is the product's own is
 * left out, since it is tested and not run as a check.
 */
export function programsNamedIn(file: string, text: string, names: Naming["names"]): readonly string[] {
  const found = (file === "package.json" ? runnersPart(text) : text).matchAll(
    /(?:[\w@.-]{1,100}\/){0,12}[\w@.-]{1,100}\.(?:sh|bash|zsh|py|rb|pl|ps1|php|[cm]?[jt]sx?)\b(?![\w/.-])/g,
  );
  const isMeant = (path: string) => {
    if (isNamedTest(path) && !/\.(?:sh|bash|zsh)$/.test(path)) return false;
    if (!product.test(`/${path}`)) return true;
    return names === "modules" && (isTest(path) || /setup|globals?|mock|support|polyfill|helper/i.test(path));
  };
  return [...new Set(Array.from(found, ([path]) => path))].filter(isMeant).slice(0, namedMax);
}

const runnerKeys = "vitest jest mocha ava karma playwright cypress tap c8 nyc".split(" ");

/** What a package.json tells runners; its scripts are followed where a check runs them. */
function runnersPart(text: string): string {
  const fields = fieldsOf(text);
  return JSON.stringify(runnerKeys.map((key) => fields[key] ?? null));
}

/** Patterns in the text of a naming file by which its runner looks for tests. */
export function testPatternsIn(text: string): readonly string[] {
  const quoted = Array.from(text.matchAll(/["'`]([^"'`\n]{1,200})["'`]/g), ([, pattern = ""]) => pattern);
  const paths = Array.from(
    text.matchAll(/^[ \t]*"?testpaths"?[ \t]*=[ \t]*([^\n[]{1,300})$/gm),
    ([, list = ""]) => list.trim().split(/\s+/),
  ).flat();
  return [
    ...quoted.filter((one) => /\*/.test(one) && /test|spec/i.test(one) && !one.startsWith("!")),
    ...paths,
  ]
    .map((pattern) => pattern.replace(/^<rootDir>\/|^\.\//, "").replace(/^["']|["']$/g, ""))
    .flatMap(expanded);
}

/** `*.{a,b}` as `*.a` and `*.b`; one of several braces only, as configurations have them. */
function expanded(pattern: string): readonly string[] {
  const [, head = "", inner, tail = ""] = /^(.*?)[{(]([\w.,|]+)[)}](.*)$/.exec(pattern) ?? [];
  if (inner === undefined) return [pattern];
  return inner.split(/[,|]/).flatMap((one) => (tail.length > 100 ? [] : expanded(`${head}${one}${tail}`)));
}
