import { codeOf, familyOf } from "../code.ts";
import { type ChangedFile, quoted, type Suspicion } from "../suspicion.ts";
import { isTest } from "../test-paths.ts";
import { testTextOf } from "./test-text.ts";

/**
 * Tests without a runner: a script among the tests that fails by its exit code, and an example in a comment that a
 * runner tries out. Neither has tests or assertions that could be counted, so every line of them that is gone counts.
 */
export function changedPrograms(
  files: readonly ChangedFile[],
  settings: readonly string[],
): readonly Suspicion[] {
  const moved = new Set(files.flatMap(({ change, after }) => (change.status === "added" ? [after] : [])));
  const isDocTested = settings.some((text) => /doctest/i.test(text));
  return files.flatMap((file): readonly Suspicion[] => {
    const { path, status } = file.change;
    if (file.before === null || status === "added") return [];
    if (isProgram(path, file.before))
      return status === "deleted" && moved.has(file.before) ? [] : program(file);
    const gone = lostExample(file, isDocTested, moved);
    if (gone === null) return [];
    const why = `an example that is tested is another now: \`${quoted(gone)}\` is gone`;
    return [{ path, kind: "expectation-changed", why }];
  });
}

function program(file: ChangedFile): readonly Suspicion[] {
  const { path } = file.change;
  if (file.after === null) return [{ path, kind: "test-removed", why: "a test was deleted" }];
  return onlyAdds(file) ? [] : [{ path, kind: "expectation-changed", why: "a line of a test is gone" }];
}

/** Whether nothing of its code is gone, apart from texts and comments. */
export function onlyAdds({ change, before, after }: ChangedFile): boolean {
  const family = familyOf(change.path);
  if (family === null || before === null || after === null) return false;
  const lines = (text: string) =>
    codeOf(family, text)
      .bare.split("\n")
      .map((line) => line.replace(/\s+/g, ""));
  const now = lines(after);
  let from = 0;
  return lines(before).every((line) => {
    const at = now.indexOf(line, from);
    from = at + 1;
    return at >= 0;
  });
}

const helps =
  /(?:^|[/_.-])(?:helpers?|common|lib|utils?|support|setup|teardown|functions|env|fixtures?)(?:[/_.-]|$)/i;

/** Only scripts of the shell: whatever else stands among tests and has none in it may help them. */
function isProgram(path: string, text: string): boolean {
  const isScript = isTest(path) && /\.(?:ba|z)?sh$/.test(path) && !helps.test(path);
  return isScript && testTextOf(path, text).tests.length === 0;
}

/** Of an example that stood in the comments of the code, the first line that is in them no more. */
function lostExample(
  { change, before, after }: ChangedFile,
  isDocTested: boolean,
  moved: ReadonlySet<string | null>,
): string | null {
  const { path, status } = change;
  if (status === "deleted" && (moved.has(before) || !isTest(path))) return null;
  const left = new Set(examplesIn(path, after ?? "", isDocTested));
  return examplesIn(path, before ?? "", isDocTested).find((line) => !left.has(line)) ?? null;
}

/** Lines of examples, each once. */
function examplesIn(path: string, text: string, isDocTested: boolean): readonly string[] {
  const lines = text.split("\n").map((line) => line.trim());
  if (path.endsWith("_test.go")) return block(lines, /^\/\/ ?(?:Unordered )?[Oo]utput:/, /^(?!\/\/)/);
  if (path.endsWith(".rs")) {
    const docs = lines.filter((line) => /^\/\/[/!]/.test(line)).map((line) => line.slice(3).trim());
    return block(docs, /^```(?!\s*(?:text|sh|bash|console|toml|json|ignore|no_run)\b)/, /^```$/);
  }
  if (/\.exs?$/.test(path)) return block(lines, /^iex(?:\(\d+\))?> /, /^(?:"""|)$/);
  return isDocTested && /\.(?:py|pyi|rst|md)$/.test(path) ? block(lines, /^>>> /, /^(?:"""|'''|```|)$/) : [];
}

/** The lines from one that begins a block to before one that ends it. */
function block(lines: readonly string[], begins: RegExp, ends: RegExp): readonly string[] {
  const found: string[] = [];
  let isIn = false;
  for (const line of lines) {
    if (!isIn) isIn = begins.test(line);
    else if (ends.test(line)) isIn = false;
    if (isIn) found.push(line);
  }
  return found;
}
