import { type ChangedFile, quoted, type Suspicion } from "../suspicion.ts";
import { isSnapshot, isTestData } from "../test-paths.ts";

/**
 * What tests compare with and is not code. A new snapshot belongs to a new test; one that is rewritten, or taken away
 * so that the runner writes it anew, makes whatever the code does now the thing that is expected.
 */
export function rewrittenSnapshots(files: readonly ChangedFile[]): readonly Suspicion[] {
  const added = files.filter(({ change }) => change.status === "added");
  return files.flatMap((file): readonly Suspicion[] => {
    const { path, status, blob } = file.change;
    if (status === "added") return [];
    const isMoved = added.some(({ after, change }) =>
      file.before === null ? change.blob === blob : after === file.before,
    );
    if (status === "deleted" && isMoved) return [];
    if (isSnapshot(path)) return snapshot(file);
    return isTestData(path) && isRewritten(file)
      ? [
          {
            path,
            kind: "test-data-changed",
            why: "it is a test or tests read it, and what was in it was changed",
          },
        ]
      : [];
  });
}

function snapshot({ change: { path, status }, before, after }: ChangedFile): readonly Suspicion[] {
  const found = (why: string) => [{ path, kind: "snapshot-rewritten" as const, why }];
  if (status === "deleted")
    return found("a snapshot was deleted, and its runner may write what it sees in its place");
  if (before === null || after === null) return found("a snapshot was rewritten");
  const [old, now] = [entriesOf(before), entriesOf(after)];
  if (old.size === 0) return isRewritten({ before, after }) ? found("a snapshot was rewritten") : [];
  for (const [name, value] of old) {
    if (!now.has(name)) return found(`the snapshot \`${quoted(name)}\` was taken out`);
    if (now.get(name) !== value) return found(`the snapshot \`${quoted(name)}\` was rewritten`);
  }
  return [];
}

/** The entries of the files that node's own runner, vitest, jest and syrupy write. */
function entriesOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(/^(?=exports\[`|# name: )/m).flatMap((entry) => {
      const [, js, python] = /^exports\[`(.*)`\] = `|^# name: (.*)$/m.exec(entry) ?? [];
      const name = js ?? python;
      return name === undefined || !/^(?:exports|# name)/.test(entry) ? [] : [[name, entry.trim()] as const];
    }),
  );
}

/** Whether anything of the old text is gone; a comma after what was the last line does not count. */
function isRewritten({ before, after }: Pick<ChangedFile, "before" | "after">): boolean {
  if (before === null || after === null) return true;
  const lines = (text: string) => text.split("\n").map((line) => line.trimEnd().replace(/,$/, ""));
  const left = new Map<string, number>();
  for (const line of lines(after)) left.set(line, (left.get(line) ?? 0) + 1);
  return lines(before).some((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return line !== "" && count <= 0;
  });
}
