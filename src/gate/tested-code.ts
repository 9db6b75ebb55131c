import { skeletonOf } from "./assertions.ts";
import { type Code, closing, codeOf, type Family, familyOf } from "./code.ts";
import { type ChangedFile, quoted, type Suspicion } from "./suspicion.ts";
import { isTest } from "./test-paths.ts";

type Import = { readonly from: string; readonly names: readonly string[] };
type Uses = {
  readonly imports: readonly Import[];
  /** How often the names of the repository's own code stand in it, apart from the import. */
  readonly count: number;
  /** The calls among them, with what they are given. */
  readonly calls: readonly string[];
  /** Names of that code that the test declares anew. */
  readonly declared: readonly string[];
};

/** Tests that still say the same, about something else than before: a stand-in, a value, another library. */
export function untestedCode(files: readonly ChangedFile[]): readonly Suspicion[] {
  const tests = files
    .filter(({ change }) => isTest(change.path))
    .map((file) => ({ file, old: usesIn(file, "before"), now: usesIn(file, "after") }));
  const total = tests.reduce((sum, { old, now }) => sum + now.count - old.count, 0);
  return tests.flatMap(({ file, old, now }): readonly Suspicion[] => {
    const { path, status } = file.change;
    if (status !== "modified") return [];
    const given = givenOtherwise(old, now);
    if (given !== null) return [{ path, kind: "expectation-changed", why: given }];
    const why = lostImport(path, old, now, files) ?? declaredAnew(old, now) ?? fewerUses(old, now, total);
    return why === null ? [] : [{ path, kind: "mock-added", why }];
  });
}

const own = /^(?:\.{1,2}\/|#|@\/|~\/)/;
const libraries =
  /^(?:node:)?(?:test|assert)(?:\/strict)?$|^(?:vitest|jest|@jest\/globals|chai|tape|ava|tap|mocha|uvu|bun:test|expect|sinon|should)$|^(?:pytest|unittest)\b/;
const pythonOwn =
  /^(?!(?:pytest|unittest|os|sys|re|json|pathlib|typing|datetime|collections|itertools|functools|__future__|tempfile|io|time|math|random|dataclasses|contextlib|warnings|subprocess|logging|copy|decimal|enum|types|mock)\b)/;

function usesIn({ change, before, after }: ChangedFile, side: "before" | "after"): Uses {
  const family = familyOf(change.path);
  const text = side === "before" ? before : after;
  if (text === null || (family !== "js" && family !== "python"))
    return { imports: [], count: 0, calls: [], declared: [] };
  const source = codeOf(family, text);
  const { code, bare } = source;
  const imports = family === "js" ? jsImports(code) : pythonImports(code);
  const names = [...new Set(imports.filter((one) => isOwn(family, one.from)).flatMap((one) => one.names))];
  const body = bare.replace(family === "js" ? jsStatement : pythonStatement, "");
  const count = names.reduce((sum, name) => sum + countOf(body, `(?<![\\w$.])${name}\\b`), 0);
  const declared = names.filter((name) => countOf(body, declaration(family, name)) > 0);
  return { imports, count, calls: callsOf(source, names), declared };
}

const callsMax = 1000;

function callsOf({ code, bare }: Code, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const pattern = new RegExp(`(?<![\\w$.])(?:${names.join("|").replaceAll("$", "\\$")})(?:\\.\\w+)*\\(`, "g");
  return Array.from(bare.matchAll(pattern), ({ index, 0: call }) =>
    code.slice(index, closing(bare, index + call.length - 1) + 1).replace(/\s+/g, " "),
  ).slice(0, callsMax);
}

function isOwn(family: Family, from: string): boolean {
  return family === "js" ? own.test(from) : pythonOwn.test(from);
}

function countOf(text: string, pattern: string): number {
  return Array.from(text.matchAll(new RegExp(pattern, "g"))).length;
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

/** A module that is itself gone, or stands elsewhere now, is no longer imported for that reason. */
function lostImport(path: string, old: Uses, now: Uses, files: readonly ChangedFile[]): string | null {
  const family = familyOf(path) ?? "js";
  const left = now.imports.map(({ from }) => from.replace(extension, ""));
  const gone = files
    .filter(({ change }) => change.status === "deleted")
    .map(({ change }) => stem(change.path));
  const lost = old.imports.find(({ from }) => {
    const isLibrary = libraries.test(from);
    if (left.some((one) => one === from.replace(extension, "") || (isLibrary && one.startsWith(from))))
      return false;
    return isLibrary || (isOwn(family, from) && !gone.includes(stem(from)));
  });
  return lost === undefined ? null : `it does not import \`${quoted(lost.from)}\` any more`;
}

const extension = /\.(?:[cm]?[jt]sx?|pyi?|vue|svelte|json)$/;

/** The last part of a path, or of a dotted name. */
function stem(path: string): string {
  const name = path.replace(extension, "");
  return name.slice(Math.max(name.lastIndexOf("/"), path.includes("/") ? -1 : name.lastIndexOf(".")) + 1);
}

function declaredAnew(old: Uses, now: Uses): string | null {
  const name = now.declared.find((one) => !old.declared.includes(one));
  return name === undefined ? null : `it has a \`${name}\` of its own in place of the one that was tested`;
}

/** A call that is the same but for its values; one that is there too is another test's. */
function givenOtherwise(old: Uses, now: Uses): string | null {
  const lost = old.calls.filter((call) => !now.calls.includes(call));
  const fresh = new Map(
    now.calls.filter((call) => !old.calls.includes(call)).map((call) => [skeletonOf(call), call]),
  );
  for (const from of lost) {
    const to = fresh.get(skeletonOf(from));
    if (to !== undefined)
      return `an existing test gives it something else: \`${quoted(from)}\` is \`${quoted(to)}\` now`;
  }
  return null;
}

function fewerUses(old: Uses, now: Uses, total: number): string | null {
  if (total >= 0 || now.count >= old.count) return null;
  return `it uses the repository's code ${now.count} times and did so ${old.count} times`;
}
