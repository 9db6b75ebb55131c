import type { Change } from "../../workspace/workspace.ts";
import type { Check } from "../checks.ts";
import type { Contents } from "../contents.ts";
import type { Quote } from "../findings-text.ts";
import type { ChangedFile, Suspicion } from "../suspicion.ts";
import { isTest } from "../test-paths.ts";
import { readChanges } from "./changed-files.ts";
import { markedCode } from "./code-marks.ts";
import { changedConfiguration } from "./configuration.ts";
import { isOutOfSight, type Reach, reachOf } from "./reach.ts";
import { rewrittenSnapshots } from "./snapshots.ts";
import { standIns } from "./stand-ins.ts";
import { changedPrograms, onlyAdds } from "./test-programs.ts";
import { untestedCode } from "./tested-code.ts";
import { weakenedTests } from "./weakened-tests.ts";

/**
 * What in a change could make a check pass that should not, worst first. It reads text and runs nothing, so it finds
 * what is plain to see, not what is hidden with skill; whatever it finds is for a person to look at. New tests, moved
 * ones and changed helpers are no findings.
 */
export async function tamper(
  changes: readonly Change[],
  {
    checks,
    contents,
  }: {
    readonly checks: readonly Check[];
    readonly contents: Contents;
  },
): Promise<readonly Suspicion[]> {
  const { files, unread } = await readChanges(changes, contents);
  const reach = await reachOf(checks, contents.before);
  return distinct([
    ...unread,
    ...checkScripts(files, reach),
    ...standIns(files, reach),
    ...weakenedTests(files, (from, to) => isOutOfSight(reach, from, to)),
    ...untestedCode(files),
    ...changedPrograms(files, [...reach.commands, ...reach.settings]),
    ...rewrittenSnapshots(files),
    ...changedConfiguration(files, reach),
    ...markedCode(files),
  ]);
}

/** What goes back to the model where the policy is to refuse; paths and what was changed are quoted. */
export function tamperText(found: readonly Suspicion[], quote: Quote): string {
  const head =
    "The change cannot be published, because it touches what could make the checks pass without the work being done. Undo what is listed, and do what was asked for in the code itself.";
  const lines = found.map(({ path, why }) => `- ${path}: ${why}`);
  return `${head}\n${quote("what was found in the change", lines.join("\n"))}`;
}

/** A test that a check runs by its name may get more tests; that its old lines are still there is looked at here. */
function checkScripts(files: readonly ChangedFile[], { files: run, loaded }: Reach): readonly Suspicion[] {
  return files.flatMap((file): readonly Suspicion[] => {
    const { path } = file.change;
    if (!run.has(path)) return [];
    if (loaded.has(path))
      return [{ path, kind: "configuration", why: "a test runner loads it before the tests" }];
    if (isTest(path) && onlyAdds(file)) return [];
    return [{ path, kind: "check-script", why: "a check runs it" }];
  });
}

/** Of each path and kind the first. */
function distinct(found: readonly Suspicion[]): readonly Suspicion[] {
  const first = new Map<string, Suspicion>();
  for (const one of found) {
    const key = `${one.kind} ${one.path}`;
    first.set(key, first.get(key) ?? one);
  }
  return [...first.values()];
}
