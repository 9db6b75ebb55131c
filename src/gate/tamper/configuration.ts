import { type ChangedFile, quoted, type Suspicion } from "../suspicion.ts";
import { always, byTool, places } from "./configuration-names.ts";
import { type Reach, reaches } from "./reach.ts";
import { fieldsOf } from "./recipes.ts";

/** The numbers in these are of rules. */
const linters = /eslint|tslint|stylelint|biome|prettier/;
const elsewhere = /^\.(?:idea|vscode|zed)\/|(?:^|\/)(?:fixtures?|__fixtures__|testdata|node_modules)\//;

/** What of a change decides how the checks run, by the names of its files and by what of a manifest counts. */
export function changedConfiguration(files: readonly ChangedFile[], reach: Reach): readonly Suspicion[] {
  return files.flatMap((file) => {
    const { path } = file.change;
    if (elsewhere.test(path)) return [];
    const name = path.slice(path.lastIndexOf("/") + 1);
    const lowered = linters.test(name) ? [] : thresholds(file);
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
  ..."stylelint babel xo standard semistandard swc wireit nx pre-commit husky lint-staged type imports config simple-git-hooks commitlint size-limit volta".split(
    " ",
  ),
];

/** Keys that say which file an import of the package is; another one beside them changes nothing. */
const entryKeys = "exports main module browser types typings typesVersions bin workspaces".split(" ");

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
  const keys = [
    ...toolKeys.filter((key) => json(old[key]) !== json(now[key])),
    ...entryKeys.filter((key) => isOtherwise(old[key], now[key])),
  ];
  return keys.length === 0
    ? scripts
    : [
        ...scripts,
        { path, kind: "configuration", why: `its settings for tools were changed: ${keys.join(", ")}` },
      ];
}

/** Whether anything of the old value is gone or changed. */
function isOtherwise(old: unknown, now: unknown): boolean {
  if (old === undefined || json(old) === json(now)) return false;
  if (Array.isArray(old) && Array.isArray(now))
    return old.some((one) => !now.includes(one)) || now.some((one) => String(one).startsWith("!"));
  const [before, after] = [fieldsOf(json(old)), fieldsOf(json(now))];
  if (Object.keys(before).length === 0) return true;
  return Object.keys(before).some((key) => json(before[key]) !== json(after[key]));
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
        /^\[+(?:tool\.(?!poetry(?:\]|\.(?:group|dependencies|dev-dependencies)))|build-system|project\.entry-points)/.test(
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
    if (value === "false") return [];
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
