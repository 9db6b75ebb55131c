import type { Reach } from "./reach.ts";
import type { ChangedFile, Suspicion } from "./suspicion.ts";

const installed =
  /(?:^|\/)(?:node_modules|\.venv|venv|site-packages|bower_components|jspm_packages)\/|^vendor\/bundle\//;
const startup = /(?:^|\/)(?:sitecustomize|usercustomize)(?:\.py$|\/)|\.pth$/;

/** What Python finds first when a file of this name stands at the top or beside the tests. */
const pythonNames =
  /^(?:pytest|_pytest|unittest|doctest|nose2?|hypothesis|coverage|mock|tox|assertpy|typing|dataclasses|json|math|re|sys|os|io|enum|time|datetime|random|collections|functools|itertools|importlib|site|builtins|runpy|inspect|traceback|warnings|numpy|pandas)(?:\.py$|\/)/;
/** What a bare import or a program of this name would find. */
const runnerNames =
  /^(?:node|npm|npx|yarn|pnpm|bun|deno|tsc|tsx|eslint|biome|prettier|vitest|jest|mocha|ava|tap|tape|c8|nyc|karma|chai|sinon|assert|pytest|python3?|tox|nox|ruff|mypy|go|cargo|make|mvn|gradle|rspec|rake|bundle|phpunit|dotnet|sh|bash|test)(?:\.(?:[cm]?js|cmd|exe|sh))?$/;

/** Added files that take the place of a runner or of a library that tests rely on. */
export function standIns(files: readonly ChangedFile[], reach: Reach): readonly Suspicion[] {
  const added = files.filter(({ change }) => change.status === "added");
  return added.flatMap(({ change: { path, mode } }) => {
    const why = whyStandIn(path, mode) ?? (mode === "120000" ? linkWhy(path, reach) : null);
    return why === null ? [] : [{ path, kind: "stand-in" as const, why }];
  });
}

function whyStandIn(path: string, mode: string | null): string | null {
  if (installed.test(path)) return "it stands where installed packages do and would be used in their place";
  if (startup.test(path)) return "Python runs it before anything else";
  const local = path.replace(/^(?:tests?|src|lib|python)\//, "");
  if (pythonNames.test(local)) return "it would be imported in place of a library of the same name";
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isProgram = mode === "100755" || /^(?:bin|scripts?|tools?|\.bin)\//.test(path) || !path.includes("/");
  return runnerNames.test(name) && isProgram && !/^test\.[cm]?js$/.test(name)
    ? "it has the name of a program that checks use"
    : null;
}

function linkWhy(path: string, { files }: Reach): string | null {
  return files.has(path) ? "a link takes the place of what a check runs" : null;
}
