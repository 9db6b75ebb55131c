import { objectIn } from "../../base/json.ts";

/** The scripts of a package.json; none where it cannot be read. */
export function scriptsOf(text: string | null): ReadonlyMap<string, string> {
  const scripts = objectIn(objectIn(parsed(text))["scripts"]);
  return new Map(
    Object.entries(scripts).flatMap(([name, command]) =>
      typeof command === "string" ? [[name, command]] : [],
    ),
  );
}

/** The fields of a JSON file; empty where it holds none. */
export function fieldsOf(text: string | null): Readonly<Record<string, unknown>> {
  return objectIn(parsed(text));
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

type Rule = { readonly needs: readonly string[]; readonly lines: string[] };

/** The commands of a Makefile's or justfile's targets and of what these need; without a target, of the first one. */
export function recipesOf(makefile: string, targets: readonly string[]): readonly string[] {
  const rules = rulesOf(makefile);
  const [first] = rules.keys();
  const open = targets.length > 0 ? [...targets] : first === undefined ? [] : [first];
  const done = new Set<string>();
  const lines: string[] = [];
  for (let target = open.shift(); target !== undefined; target = open.shift()) {
    if (done.has(target)) continue;
    done.add(target);
    const rule = rules.get(target);
    open.push(...(rule?.needs ?? []));
    lines.push(...(rule?.lines ?? []));
  }
  return lines;
}

/** The files that a Makefile or a justfile takes in, as it names them. */
export function includesOf(makefile: string): readonly string[] {
  return Array.from(
    makefile.matchAll(/^(?:-?include|sinclude|import\??|mod\??(?:[ \t]+\w+)?)[ \t]+(\S[^\n#]*)$/gm),
    ([, list = ""]) => list.trim().split(/\s+/),
  )
    .flat()
    .map((path) => path.replace(/["']/g, ""))
    .filter((path) => !/[$*]/.test(path));
}

function rulesOf(makefile: string): ReadonlyMap<string, Rule> {
  const rules = new Map<string, Rule>();
  let current: Rule | null = null;
  for (const line of makefile.replace(/\\\n/g, " ").split("\n")) {
    const [, names, needs = ""] = /^([\w./-]+(?: [\w./-]+)*)\s*::?(?!=)\s*([^=]*)$/.exec(line) ?? [];
    if (names !== undefined) {
      current = {
        needs: needs
          .replace(/#.*|;.*/g, "")
          .split(/\s+/)
          .filter(Boolean),
        lines: [],
      };
      for (const name of names.split(/\s+/)) rules.set(name, current);
    } else if (/^(?:\t| {2,})\S/.test(line)) {
      current?.lines.push(
        line
          .trim()
          .replace(/^[@+-]+/, "")
          .replaceAll("$(MAKE)", "make"),
      );
    }
  }
  return rules;
}
