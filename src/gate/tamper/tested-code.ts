import { posix } from "node:path";
import { type Code, closing, codeOf, type Family, familyOf } from "../code.ts";
import { type ChangedFile, quoted, type Suspicion } from "../suspicion.ts";
import { isNamedTest, isTest } from "../test-paths.ts";
import { alteredValue } from "./altered-values.ts";
import { inSingleQuotes, skeletonOf } from "./assertions.ts";
import { holdsTests, keptCode, testTextOf } from "./test-text.ts";

type Import = { readonly from: string; readonly names: readonly string[] };
type Uses = {
  readonly imports: readonly Import[];
  /** Calls of the repository's own code, with what they are given. */
  readonly calls: readonly string[];
  /** Calls of programs and servers, by which the code may be tested too. */
  readonly outside: readonly string[];
  /** The names of that code. */
  readonly names: readonly string[];
  readonly lines: readonly string[];
  /** Everything but the imports, without comments and texts. */
  readonly body: string;
};

/** Tests that still say the same, about something else than before: a stand-in, a value, another library. */
export function untestedCode(files: readonly ChangedFile[]): readonly Suspicion[] {
  const tests = files
    .filter((file) => holdsTests(file) && isNoHelper(file))
    .map((file) => ({ file, old: usesIn(file, "before"), now: usesIn(file, "after") }));
  const total = tests.reduce((sum, { old, now }) => sum + now.calls.length - old.calls.length, 0);
  return tests.flatMap(({ file, old, now }): readonly Suspicion[] => {
    const { path, status } = file.change;
    if (status !== "modified") return [];
    const given = givenOtherwise(old, now);
    if (given !== null) return [{ path, kind: "expectation-changed", ...given }];
    const altered = alteredValue(old, { ...now, lines: linesOf(keptCode(file) ?? "") });
    if (altered !== null) return [{ path, kind: "expectation-changed", why: altered }];
    const others = tests.filter((one) => one.file !== file).flatMap((one) => one.now.imports);
    const why =
      lostImport({ path, old, now }, files, others) ??
      declaredAnew(path, old, now) ??
      takenFromOwn({ path, old, now }) ??
      fewerUses(old, now, total);
    return why === null ? [] : [{ path, kind: "mock-added", why }];
  });
}

/** A helper may use whatever helps. */
function isNoHelper({ change: { path }, before, after }: ChangedFile): boolean {
  return isNamedTest(path) || testTextOf(path, before ?? after).tests.length > 0;
}

const own = /^(?:\.{1,2}\/|#|@\/|~\/)/;
const libraries =
  /^(?:node:)?(?:test|assert)(?:\/strict)?$|^(?:vitest|jest|@jest\/globals|chai|tape|ava|tap|mocha|uvu|bun:test|expect|should)$|^(?:pytest|unittest)\b/;
/** Runners and what comes with them: tests that are written for another one of them stay tests. */
const known =
  /^(?:node:)?(?:test|assert)$|^(?:vitest|jest|@jest\/globals|chai|tape|ava|tap|mocha|uvu|bun:test|expect|should)$|^(?:pytest|unittest)$/;
const pythonOwn =
  /^(?!(?:pytest|unittest|os|sys|re|json|pathlib|typing|datetime|collections|itertools|functools|__future__|tempfile|io|time|math|random|dataclasses|contextlib|warnings|subprocess|logging|copy|decimal|enum|types|mock)\b)/;

function usesIn({ change, before, after }: ChangedFile, side: "before" | "after"): Uses {
  const family = familyOf(change.path);
  const text = side === "before" ? before : after;
  if (text === null || (family !== "js" && family !== "python"))
    return { imports: [], calls: [], outside: [], names: [], lines: [], body: "" };
  const source = codeOf(family, text);
  const { code, bare } = source;
  const imports = family === "js" ? jsImports(code) : pythonImports(code);
  const names = [
    ...new Set(imports.filter(({ from }) => isOwn(change.path, from)).flatMap((one) => one.names)),
  ];
  const body = bare.replace(family === "js" ? jsStatement : pythonStatement, "");
  const outside = callsOf(source, outsiders);
  return { imports, calls: callsOf(source, names), outside, names, lines: linesOf(code), body };
}

function linesOf(code: string): readonly string[] {
  return code.split("\n").map((line) => line.replace(/\s+/g, " ").trim());
}

const outsiders =
  "spawnSync spawn execSync execFileSync execFile exec execa fork fetch request supertest subprocess requests client runner".split(
    " ",
  );
const callsMax = 1000;

function callsOf({ code, bare }: Code, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const pattern = new RegExp(`(?<![\\w$.])(?:${names.join("|").replaceAll("$", "\\$")})(?:\\.\\w+)*\\(`, "g");
  return Array.from(bare.matchAll(pattern), ({ index, 0: call }) =>
    code.slice(index, closing(bare, index + call.length - 1) + 1).replace(/\s+/g, " "),
  ).slice(0, callsMax);
}

/** Code of the repository that is no test and no helper of tests. */
function isOwn(path: string, from: string): boolean {
  if (familyOf(path) === "python") return pythonOwn.test(from) && !isTest(`${from.replaceAll(".", "/")}.py`);
  return (
    own.test(from) && !(from.startsWith(".") && isTest(`${resolved(path, from).replace(extension, "")}.js`))
  );
}

function resolved(path: string, from: string): string {
  return posix.join(posix.dirname(path), from);
}

function declaration(family: Family, name: string): string {
  return family === "js"
    ? `\\b(?:const|let|var|function|class)\\s+${name}\\b|[(,]\\s*${name}\\s*=(?!=)`
    : `\\bdef\\s+${name}\\b|(?:^|\\n)\\s*${name}\\s*=(?!=)`;
}

const jsStatement =
  /\bimport\b[^;\n]{0,500}?\bfrom\s*["'][^"'\n]*["']|\bimport\s*\{[^}]{0,800}\}\s*from\s*["'][^"'\n]*["']|\b(?:const|let|var)\s+(?:\w+|\{[^}]{0,800}\})\s*=\s*(?:await\s+import|require)\([^)]{0,1000}\)/g;
const pythonStatement = /^[ \t]*(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+(?:\([^)]{0,800}\)|[^\n]*)/gm;

function jsImports(code: string): readonly Import[] {
  const statements = [
    ...code.matchAll(/\bimport\s+(?!\s*type\b)([\w$*\s{},]{0,800}?)\s*from\s*["']([^"'\n]+)["']/g),
    ...code.matchAll(
      /\b(?:const|let|var)\s+(\w+|\{[^}]{0,800}\})\s*=\s*(?:await\s+import|require)\(\s*["']([^"'\n]+)["']/g,
    ),
  ];
  return statements.map(([, names = "", from = ""]) => ({
    from,
    names: namesIn(names.replace(/[{}]/g, ",")),
  }));
}

function pythonImports(code: string): readonly Import[] {
  const named = Array.from(
    code.matchAll(/^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]{0,800}\)|[^\n]*)/gm),
  );
  const whole = Array.from(code.matchAll(/^[ \t]*import[ \t]+([\w.]+)(?:[ \t]+as[ \t]+(\w+))?/gm));
  return [
    ...named.map(([, from = "", names = ""]) => ({ from, names: namesIn(names.replace(/[()]/g, "")) })),
    ...whole.map(([, from = "", name = from]) => ({ from, names: namesIn(name) })),
  ];
}

/** `a, b as c` */
function namesIn(list: string): readonly string[] {
  return list
    .split(",")
    .map((one) =>
      one
        .trim()
        .replace(/^.*(?:\bas|:)\s+/, "")
        .replace(/^type\s+/, ""),
    )
    .filter((name) => /^[A-Za-z_$][\w$]*$/.test(name));
}

/**
 * A module that is itself gone, or stands elsewhere now, is no longer imported for that reason; one whose tests went to
 * another file is imported there, and nothing else here in its place.
 */
function lostImport(
  { path, old, now }: { readonly path: string; readonly old: Uses; readonly now: Uses },
  files: readonly ChangedFile[],
  others: readonly Import[],
): string | null {
  const plain = ({ from }: Import) => from.replace(extension, "");
  const [before, left] = [old.imports.map(plain), now.imports.map(plain)];
  const gone = files
    .filter(({ change }) => change.status === "deleted")
    .map(({ change }) => stem(change.path));
  const hasNew = left.some((from) => own.test(from) && !before.includes(from));
  const isMoved = (from: string) => !hasNew && others.some((one) => stem(one.from) === stem(from));
  const lost = old.imports.find(({ from }) => {
    const isLibrary = libraries.test(from);
    if (left.includes(from.replace(extension, "")) || (isLibrary && left.some((one) => one.startsWith(from))))
      return false;
    if (known.test(from) && left.some((one) => known.test(one) && !before.includes(one))) return false;
    return isLibrary || (isOwn(path, from) && !gone.includes(stem(from)) && !isMoved(from));
  });
  return lost === undefined ? null : `it does not import \`${quoted(lost.from)}\` any more`;
}

const given = /^(?:expect|assert|it|test|describe)$/;

/** What the runner gave is imported from the repository, where it was not imported at all. */
function takenFromOwn({
  path,
  old,
  now,
}: {
  readonly path: string;
  readonly old: Uses;
  readonly now: Uses;
}): string | null {
  if (familyOf(path) !== "js") return null;
  const known = new Set(old.imports.flatMap(({ names }) => names));
  const fresh = now.imports.filter(({ from }) => own.test(from)).flatMap(({ names }) => names);
  const name = fresh.find((one) => given.test(one) && !known.has(one));
  return name === undefined ? null : `it has a \`${name}\` of the repository's own in place of the runner's`;
}

const extension = /\.(?:[cm]?[jt]sx?|pyi?|vue|svelte|json)$/;

/** The last part of a path, or of a dotted name. */
function stem(path: string): string {
  const name = path.replace(extension, "");
  return name.slice(Math.max(name.lastIndexOf("/"), path.includes("/") ? -1 : name.lastIndexOf(".")) + 1);
}

function declaredAnew(path: string, old: Uses, now: Uses): string | null {
  const family = familyOf(path) ?? "js";
  const called = new Set([...old.calls, ...now.calls].map((call) => /^[\w$]+/.exec(call)?.[0] ?? ""));
  const name = [...called].find((one) => {
    const declared = new RegExp(declaration(family, one));
    return one !== "" && declared.test(now.body) && !declared.test(old.body);
  });
  return name === undefined ? null : `it has a \`${name}\` of its own in place of the one that was tested`;
}

/** A call that is the same but for its values; one that is there too is another test's. */
function givenOtherwise(old: Uses, now: Uses): { readonly why: string; readonly at: string } | null {
  const [before, after] = [
    [...old.calls, ...old.outside],
    [...now.calls, ...now.outside],
  ];
  const [earlier, later] = [before, after].map((calls) => new Set(calls.map(inSingleQuotes)));
  const lost = before.filter((call) => !later?.has(inSingleQuotes(call)));
  const fresh = new Map(
    after.filter((call) => !earlier?.has(inSingleQuotes(call))).map((call) => [formOf(call), call]),
  );
  for (const from of lost) {
    const to = fresh.get(formOf(from));
    if (to === undefined) continue;
    const why = `an existing test gives it something else: \`${quoted(from)}\` is \`${quoted(to)}\` now`;
    return { why, at: to };
  }
  return null;
}

/** Lists of words are alike, however many they are: they are what a program is given. */
function formOf(call: string): string {
  return skeletonOf(call).replace(/\[(?:_(?:, )?)+\]/g, "[_]");
}

function fewerUses(old: Uses, now: Uses, total: number): string | null {
  if (total >= 0 || now.calls.length >= old.calls.length) return null;
  return `it calls the repository's code ${now.calls.length} times and did so ${old.calls.length} times`;
}
