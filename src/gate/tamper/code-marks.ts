import type { Change } from "../../workspace/workspace.ts";
import { type Code, codeOf, familyOf } from "../code.ts";
import { countsIn } from "../counts.ts";
import { without } from "../multiset.ts";
import type { ChangedFile, Suspicion } from "../suspicion.ts";
import { isNamedTest } from "../test-paths.ts";
import { type Mark, marks } from "./marks.ts";

/** What was added to code, whatever else it does, that a reader should not miss; what only moves is not new. */
export function markedCode(files: readonly ChangedFile[]): readonly Suspicion[] {
  const hasDeleted = files.some(({ change }) => change.status === "deleted");
  // What a new test says of itself alone hides nothing of what was there.
  const isHeard = ({ kind }: Mark, { path, status }: Change) =>
    kind !== "suppression" || status !== "added" || hasDeleted || !isNamedTest(path);
  const sides = files.map((file) => ({ file, old: formsOf(file, "before"), now: formsOf(file, "after") }));
  const found = marks.flatMap((mark) => {
    const heard = sides.filter(({ file: { change } }) => isHeard(mark, change));
    const counted = heard.map(({ file: { change }, old, now }) => {
      const [left, found] = [foundOf(mark, change.path, old), foundOf(mark, change.path, now)];
      const [at = found.at(-1) ?? ""] = without(found, left);
      return { path: change.path, more: found.length - left.length, at };
    });
    const total = counted.reduce((sum, { more }) => sum + more, 0);
    return counted.flatMap(({ path, more, at }) =>
      more > 0 && total > 0 ? [{ path, kind: mark.kind, why: mark.why, at }] : [],
    );
  });
  return [...found, ...sides.flatMap(({ file, old, now }) => printed(file.change.path, old, now))];
}

type Forms = { readonly text: string; readonly code: Code | null };

function formsOf({ change, before, after }: ChangedFile, side: "before" | "after"): Forms {
  const text = (side === "before" ? before : after) ?? "";
  const family = familyOf(change.path);
  return { text, code: family === null ? null : codeOf(family, text) };
}

function foundOf(mark: Mark, path: string, { text, code }: Forms): readonly string[] {
  if (code === null || mark.isFor?.(path) === false) return [];
  if (mark.families !== undefined && !mark.families.includes(code.family)) return [];
  const searched = mark.in === "text" ? text : code[mark.in];
  return Array.from(searched.matchAll(mark.pattern), ([found]) => found);
}

/** Texts that would be taken for a runner's own counts. */
function printed(path: string, old: Forms, now: Forms): readonly Suspicion[] {
  const known = new Set(textsIn(old));
  const isForged = textsIn(now).some((text) => !known.has(text) && countsIn(text) !== null);
  const why = "it prints what a test runner reports of its tests";
  return isForged ? [{ path, kind: "prints-counts", why }] : [];
}

/** The texts of the code, and what it prints as a whole where that is put together from several. */
function textsIn({ code }: Forms): readonly string[] {
  if (code === null) return [];
  const texts = Array.from(code.code.matchAll(literals), textOf);
  const lines = code.code.split(/[\n;]/).filter((line) => prints.test(line));
  return [...texts, ...lines.map(joined)];
}

const literals = /"((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)'|`((?:\\[\s\S]|[^`\\])*)`/g;
const prints =
  /\b(?:console\.\w+|stdout\.write|stderr\.write|print(?:ln|f)?!?|puts|echo|Print(?:ln|f)?|WriteLine|write)\b/;
const placeholders = /\$\{[^}]{0,200}\}|%[ds]|\{\w*\}/g;

function textOf([, double, single, back]: readonly string[]): string {
  return (double ?? single ?? back ?? "").replace(/\\n/g, "\n").replace(placeholders, "1");
}

/** `log("# pass ", n)` as `# pass 1`: what is no text may be a number. */
function joined(line: string): string {
  const parts = Array.from(line.slice(0, 1000).matchAll(literals), (match) => ({
    text: textOf(match),
    from: match.index,
    to: match.index + match[0].length,
  }));
  return parts
    .map(({ text, to }, at) => {
      const rest = line.slice(to, parts[at + 1]?.from ?? line.length);
      const isNumber = /^\s*[+,]\s*[\w$(]/.test(rest);
      const space = rest.startsWith(",") && !text.endsWith(" ") ? " " : "";
      return `${text}${space}${isNumber ? "1" : ""}`;
    })
    .join("");
}
