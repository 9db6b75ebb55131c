import { type Code, codeOf, type Family, familyOf } from "./code.ts";
import { countsIn } from "./counts.ts";
import { without } from "./multiset.ts";
import type { ChangedFile, Suspicion, SuspicionKind } from "./suspicion.ts";
import { isTest } from "./test-paths.ts";

type Mark = {
  readonly kind: SuspicionKind;
  readonly why: string;
  /** What is searched: the whole text, what is code of it, or that without what stands in strings. */
  readonly in: "text" | "code" | "bare";
  /** Left out: all of them. */
  readonly families?: readonly Family[];
  readonly isFor?: (path: string) => boolean;
  readonly pattern: RegExp;
};

const isSource = (path: string) => !isTest(path) && !/\.config\.\w+$/.test(path);

const marks: readonly Mark[] = [
  {
    kind: "suppression",
    why: "a message of a linter or a compiler, or the measuring of coverage, is switched off in it",
    in: "text",
    pattern:
      /\b(?:eslint|tslint|stylelint|oxlint)-disable|\bbiome-ignore|@ts-(?:ignore|expect-error|nocheck)\b|#\s*noqa\b|#\s*(?:type|pyright|mypy|pylint|ruff|nosec|fmt)\s*:|#\s*pragma:\s*no cover|#!?\[(?:allow|expect)\(|\/\/\s*nolint\b|@SuppressWarnings\b|\brubocop:(?:disable|todo)|\bphpcs:(?:ignore|disable)|@phpstan-ignore|@psalm-suppress|\b(?:istanbul|c8|v8|node:coverage)\s+(?:ignore|disable)|\bNOSONAR\b|#pragma\s+warning\s+disable|\bswiftlint:disable|@Suppress\(|\bprettier-ignore\b|\bshellcheck\s+disable/g,
  },
  {
    kind: "early-exit",
    why: "a process that a check may run ends with exit code 0, or hides its own",
    in: "code",
    families: ["js"],
    pattern:
      /\bprocess\.(?:exit|reallyExit)\(\s*0?\s*\)|\bprocess\.exitCode\s*=\s*(?:0|undefined|null)\b|\bprocess\.(?:on|once|prependListener)\(\s*["'`](?:exit|beforeExit|uncaughtException|unhandledRejection)|\bprocess\.kill\(\s*process\.pid|\bDeno\.exit\(\s*0?\s*\)|(?<![\w$.])exit\(\s*0\s*\)/g,
  },
  {
    kind: "early-exit",
    why: "a process that a check may run ends with exit code 0, or hides its own",
    in: "code",
    families: ["python"],
    pattern:
      /\b(?:sys\.exit|os\._exit|exit|quit|SystemExit|pytest\.exit)\(\s*(?:0|None)?\s*\)|\braise SystemExit\s*$|\batexit\.register\b|\bsession\.exitstatus\s*=/gm,
  },
  {
    kind: "early-exit",
    why: "a process that a check may run ends with exit code 0, or hides its own",
    in: "code",
    families: ["go", "rust", "other"],
    pattern:
      /\bos\.Exit\(0\)|\bprocess::exit\(0\)|\b(?:System\.exit|Environment\.Exit|exit|die)\(\s*0?\s*\)|\.halt\(0\)/g,
  },
  {
    kind: "early-exit",
    why: "a process that a check may run ends with exit code 0, or hides its own",
    in: "code",
    families: ["ruby"],
    pattern: /^\s*exit!?(?:\s*\(?\s*(?:0|true)\s*\)?)?\s*$|\bat_exit\b/gm,
  },
  {
    kind: "stand-in",
    why: "it changes a runner, or a library that tests rely on, while it runs",
    in: "code",
    families: ["js"],
    pattern:
      /(?<![\w.])(?:assert|expect|chai)(?:\.\w+)*\.\w+\s*=(?![=>])|\b(?:globalThis|global|window)\.(?:assert|expect|test|it|describe|process|require)\s*=(?!=)|\bObject\.(?:defineProperty|defineProperties|assign)\(\s*(?:assert|expect|chai|process|globalThis|global|Object|Array|String|Number|Module)(?:\.prototype)?\s*,|\b(?:Object\.is|JSON\.stringify|Array\.isArray|process\.(?:exit|on|emit|reallyExit))\s*=(?!=)|\b(?:Array|Object|String|Number|Error|Promise|Function|AssertionError)\.prototype\.\w+\s*=(?!=)|\bModule\._\w+|\b(?:module|Module)\.register(?:Hooks)?\(|\bregisterHooks\(|\bmock\.module\(\s*["'`](?:node:)?(?:assert|test)/g,
  },
  {
    kind: "stand-in",
    why: "it changes a runner, or a library that tests rely on, while it runs",
    in: "code",
    families: ["python"],
    pattern:
      /\bsys\.modules\[|\bbuiltins\.\w+\s*=(?!=)|\bsetattr\(\s*builtins\b|\bdef __(?:eq|ne)__\([^)]{0,200}\)[^:\n]{0,200}:\s*\n?\s*return True|\bTestCase\.\w+\s*=(?!=)|\bsys\.(?:meta_path|settrace|excepthook)\b|\bpytest_(?:runtest_\w+|collection_modifyitems|sessionfinish|pyfunc_call|ignore_collect|report_teststatus)\b|\brep(?:ort)?\.outcome\s*=(?!=)/g,
  },
  {
    kind: "stand-in",
    why: "its values are equal to everything",
    in: "code",
    families: ["rust", "ruby", "other"],
    pattern:
      /\bfn eq\(&self[^)]{0,200}\)\s*->\s*bool\s*\{\s*true\s*\}|\bboolean equals\(\w+ \w+\)\s*\{\s*return true;|\bbool Equals\(\w+\?? \w+\)\s*(?:=>\s*true|\{\s*return true;)|\bdef ==\(\w+\)\s*(?:=\s*)?true/g,
  },
  {
    kind: "knows-test",
    why: "code that is no test can tell that it is being tested",
    in: "code",
    isFor: isSource,
    pattern:
      /\bprocess\.env(?:\.|\[["'`])(?:VITEST\w*|JEST_\w+|MOCHA\w*|NODE_TEST_CONTEXT|CI|GITHUB_ACTIONS|npm_lifecycle_\w+|TEST|TESTING)\b|\bNODE_ENV\b["'`\]]*\s*[!=]==?\s*["'`]test|\bimport\.meta\.(?:vitest|env\.(?:TEST|VITEST))\b|\b(?:process\.argv|execArgv)\b[^\n]{0,200}\btest|\bPYTEST_CURRENT_TEST\b|\bsys\.modules\b(?!\[)|\bsys\._getframe\b|\binspect\.(?:stack|currentframe)\(|\bsys\.argv\b[^\n]{0,200}test|\btesting\.Testing\(\)|\bflag\.Lookup\("test|\bcfg!\(test\)|\bENV\[["'](?:CI|RAILS_ENV)["']\]|\benviron\b[^\n]{0,200}["'](?:CI|TESTING|PYTEST\w*)["']|\bgetenv\(\s*"(?:CI|TESTING)"|\.stack\b[^\n]{0,200}(?:test|spec)|\btypeof (?:describe|it|jest|vi)\b/g,
  },
];

/** What was added to code, whatever else it does, that a reader should not miss; what only moves is not new. */
export function markedCode(files: readonly ChangedFile[]): readonly Suspicion[] {
  const sides = files.map((file) => ({ file, old: formsOf(file, "before"), now: formsOf(file, "after") }));
  const found = marks.flatMap((mark) => {
    const counted = sides.map(({ file: { change }, old, now }) => {
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

function textsIn({ code }: Forms): readonly string[] {
  if (code === null) return [];
  return Array.from(
    code.code.matchAll(/"((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)'|`((?:\\[\s\S]|[^`\\])*)`/g),
    (match) =>
      (match[1] ?? match[2] ?? match[3] ?? "")
        .replace(/\\n/g, "\n")
        .replace(/\$\{[^}]{0,200}\}|%[ds]|\{\w*\}/g, "1"),
  );
}
