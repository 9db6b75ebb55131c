import type { Change } from "../workspace/workspace.ts";
import type { Check } from "./checks.ts";
import { matchesPath } from "./pattern.ts";

/** A changed path that a person should see, or that may not leave; `why` is a sentence without its full stop. */
export type Marked = { readonly path: string; readonly why: string };

export type Protection = {
  /** Nothing is published while one of these is in the change (R12). */
  readonly refused: readonly Marked[];
  /** Named in the pull request. */
  readonly flagged: readonly Marked[];
};

type Rules = {
  /** `Config.protected`. */
  readonly patterns: readonly string[];
  readonly checks: readonly Check[];
  /** The path of the configuration file. */
  readonly config: string;
};

/** A rename is a deleted and an added path, so a rename into or out of a place is seen as both. */
export function protection(changes: readonly Change[], rules: Rules): Protection {
  const refused: Marked[] = [];
  const flagged: Marked[] = [];
  for (const change of changes) {
    const barred = barredWhy(change);
    if (barred !== null) refused.push({ path: change.path, why: barred });
    const why = barred === null ? flaggedWhy(change, rules) : null;
    if (why !== null) flagged.push({ path: change.path, why });
  }
  return { refused, flagged };
}

function barredWhy({ path, mode }: Change): string | null {
  const [top = "", second] = folded(path).split("/");
  if (top !== ".github") return null;
  if (second === "workflows") return "workflow files are never changed by Baton";
  // A link in the place of the directory would bring the workflows of another one.
  if (second === undefined) return mode === null ? null : "`.github` must stay a directory";
  return null;
}

/** As a file system that ignores case, or characters without a shape, would see the path. */
function folded(path: string): string {
  return path
    .normalize("NFKC")
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")
    .toLowerCase()
    .split("/")
    .map((part) => part.replace(/[. ]+$/, (end) => (part === end ? end : "")))
    .join("/");
}

function flaggedWhy(change: Change, { patterns, checks, config }: Rules): string | null {
  const { path, status } = change;
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (folded(path) === folded(config)) return "it holds the checks; the ones of the base commit were used";
  if (patterns.some((pattern) => matchesPath(pattern, path))) return "it is protected by the configuration";
  if (folded(path).startsWith(".github/")) return "it configures GitHub";
  if (checks.some((check) => names(check, path))) return "a check runs it";
  if (definesChecks(name, checks)) return "it decides what a check does";
  if (status === "deleted" && isTest(path)) return "a test was deleted";
  return null;
}

/** Whether the command of a check names this file, by the path as seen from where it runs. */
function names(check: Check, path: string): boolean {
  const words = check.run.split(/[\s;&|()<>"'=]+/).map((word) => word.replace(/^\.\//, ""));
  const prefix = check.dir === "" ? "" : `${check.dir}/`;
  return words.some((word) => word !== "" && `${prefix}${word}` === path);
}

const scripted: readonly (readonly [RegExp, RegExp])[] = [
  [/\b(?:npm|npx|yarn|pnpm|bun)\b/, /^package\.json$/],
  [/\bmake\b/, /^(?:GNUm|m|M)akefile$|\.mk$/],
  [/\bjust\b/, /^\.?justfile$/i],
  [
    /\b(?:tox|nox|pytest|python3?|poetry|uv)\b/,
    /^(?:tox\.ini|noxfile\.py|pytest\.ini|conftest\.py|setup\.cfg|pyproject\.toml)$/,
  ],
  [/\bmvnw?\b/, /^(?:pom\.xml|mvnw)$/],
  [/\bgradlew?\b/, /^(?:build|settings)\.gradle(?:\.kts)?$|^gradlew$/],
  [/\bcargo\b/, /^Cargo\.toml$/],
  [/\brake\b|\brspec\b/, /^(?:Rakefile|\.rspec)$/],
];

const testConfig =
  /^(?:jest|vitest|vite|karma|ava|playwright|cypress|babel|eslint|biome|mocha)\.(?:config\.)?(?:[cm]?[jt]s|jsonc?)$|^\.(?:mocharc|eslintrc|nycrc|c8rc|babelrc|taprc|coveragerc)(?:\.\w+)?$|^tsconfig(?:\..+)?\.json$/;

function definesChecks(name: string, checks: readonly Check[]): boolean {
  if (testConfig.test(name)) return true;
  return scripted.some(([tool, file]) => file.test(name) && checks.some((check) => tool.test(check.run)));
}

function isTest(path: string): boolean {
  return (
    /(?:^|\/)(?:tests?|__tests__|spec)\//.test(path) ||
    /[._-](?:test|spec)s?\.\w+$|(?:^|\/)test_[^/]*$/.test(path)
  );
}
