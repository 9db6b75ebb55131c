import { isCut, linesOf } from "./counts.ts";
import type { Told } from "./ran.ts";

/** How runners name a test that failed, on a line of its own. */
const named: readonly RegExp[] = [
  // TAP; node, vitest, ava and others in words.
  /^\s*not ok \d+ -? ?(.+?)(?: # .*)?$/,
  /^\s*[✖✗✘×] (\S.*)$/,
  /^\s*FAIL\s+(\S.* > .+)$/,
  // jest, mocha, bun, deno.
  /^\s*● (.+ › .+)$/,
  /^ {2,}\d+\) (.+?):?$/,
  /^\(fail\) (.+)$/,
  /^(.+) \.\.\. FAILED(?: \(.*\))?$/,
  // pytest, unittest, go, nextest.
  /^(?:FAILED|ERROR) (\S+::.+?)(?: - .*)?$/,
  /^(?:FAIL|ERROR): (\w+ \(.+\))$/,
  /^\s*--- FAIL: (\S+)/,
  /^\s*FAIL \[.*?\]\s+(?:\(.*?\)\s+)?(\S+ \S+)$/,
  // rspec, PHPUnit, Gradle, Maven, dotnet.
  /^rspec \S+ # (.+)$/,
  /^\d+\) ([\w\\]+::\w+)/,
  /^(\S.* > .+) FAILED$/,
  /^\[ERROR\] {1,3}([\w.$]+\.\w+):\d+/,
  /^\s*Failed ([\w.]+(?:\(.*\))?) \[/,
];

/** The names of tests that fail on the change and did not on base; empty where runners do not name them. */
export function newFailures(onBase: Told, onTree: Told): readonly string[] {
  // What a linter lists looks like a name too.
  if (!hasFailures(onBase) || !hasFailures(onTree)) return [];
  const before = failedIn(onBase.output);
  // Where one is not named, each that is would count as new.
  if (before.size === 0 || isCut(onBase.output)) return [];
  return [...failedIn(onTree.output)].filter((name) => !before.has(name));
}

function hasFailures({ counts }: Told): boolean {
  return counts !== null && counts.failed > 0;
}

function failedIn(output: string): ReadonlySet<string> {
  const names = linesOf(output).flatMap((line) => {
    const match = named.map((pattern) => pattern.exec(line)?.[1]).find((name) => name !== undefined);
    return match === undefined ? [] : [withoutChance(match)];
  });
  return new Set(names.filter((name) => name !== "" && !tally.test(name)));
}

/** A linter's last line. */
const tally = /^\d+ (?:problems?|errors?|warnings?)\b/;

/** Without what is another one in each run: durations, and where the checkout lies. */
function withoutChance(name: string): string {
  return name
    .replace(/\s*[([]?\b\d+(?:\.\d+)?\s?(?:ms|s|m|µs|ns)\b[)\]]?\s*$/, "")
    .replace(/(?:^|(?<=[\s('"]))\/(?:[^\s/]+\/)+/g, "")
    .trim();
}
