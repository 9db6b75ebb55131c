import { posix } from "node:path";
import { type House, type Row, roomOf } from "./house.ts";
import { computed, importsOf, withoutCommentLines } from "./imports.ts";

/** Source files by their path in the repository. */
export type Sources = ReadonlyMap<string, string>;

/** Rules give one sentence for each breach. */
export type Rule = (sources: Sources, house: House) => readonly string[];

export const sourceLinesMax = 300;
export const entryLinesMax = 60;
const entries = ["main.ts", "post.ts", "cli.ts", "toolhost.ts"];

export const importsWhatTheMapAllows: Rule = (sources, house) =>
  [...sources].flatMap(([path, source]) => {
    const row = house.get(entries.includes(roomOf(path)) ? "entries" : roomOf(path));
    if (row === undefined) return [`${path}: its room ${roomOf(path)} is not in the map`];
    return importsOf(source).flatMap(({ specifier, line }) => {
      const why = forbidden(path, specifier, row, sources);
      return why === null ? [] : [`${path}:${line}: ${why}`];
    });
  });

function forbidden(path: string, specifier: string, row: Row, sources: Sources): string | null {
  if (specifier === computed) return "imports what cannot be read off the source";
  if (specifier.startsWith(".")) return forbiddenFile(path, specifier, row, sources);
  if (specifier.startsWith("/") || specifier.includes("://"))
    return `imports ${specifier}, which is no module`;
  if (row.anything) return null;
  if (specifier.startsWith("node:")) {
    const [name = ""] = specifier.slice("node:".length).split("/");
    return row.node.includes(name) || row.node.includes("any")
      ? null
      : `${row.room} may not import ${specifier}`;
  }
  const parts = specifier.split("/");
  const name = parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  return row.packages.includes(name) ? null : `${row.room} may not import the package ${name}`;
}

function forbiddenFile(path: string, specifier: string, row: Row, sources: Sources): string | null {
  const target = posix.join(posix.dirname(path), specifier);
  if (!sources.has(target)) return `imports ${specifier}, which is no source file`;
  const room = roomOf(target);
  if (entries.includes(room)) return `imports the entry ${room}, which nothing may import`;
  const [from, to] = [posix.dirname(path), posix.dirname(target)];
  if (room === roomOf(path) && to.startsWith(`${from}/`))
    return `${room} may not import its own folder ${to}`;
  if (row.anything || room === roomOf(path) || row.rooms.includes(room)) return null;
  return `${row.room} may not import ${room}`;
}

/** Types count: a file that needs another's type cannot be read without it. */
export const hasNoCycle: Rule = (sources) => {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) cycles.push(`import cycle: ${[...trail.slice(at), path].join(" → ")}`);
    if (at >= 0 || done.has(path)) return;
    for (const { specifier } of importsOf(sources.get(path) ?? "")) {
      const target = posix.join(posix.dirname(path), specifier);
      if (specifier.startsWith(".") && sources.has(target)) visit(target, [...trail, path]);
    }
    done.add(path);
  };
  for (const path of sources.keys()) visit(path, []);
  return cycles;
};

/** Everywhere else the environment comes as an argument, so that nothing depends on it unseen. */
export const readsNoEnvironment: Rule = (sources) =>
  [...sources].flatMap(([path, source]) => {
    if (entries.includes(roomOf(path)) || roomOf(path) === "adapters/actions") return [];
    return linesMatching(
      source,
      /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\s*(\?\.)?\[|\}\s*=\s*(globalThis\.)?process\b|\bnode:process\b/,
    ).map((line) => `${path}:${line}: only adapters/actions and the entries read process.env`);
  });

export const staysSmall: Rule = (sources) =>
  [...sources].flatMap(([path, source]) => {
    const lines = source.replace(/\n$/, "").split("\n").length;
    const max = roomOf(path) === "main.ts" ? entryLinesMax : sourceLinesMax;
    return lines > max ? [`${path} has ${lines} lines; at most ${max} are allowed`] : [];
  });

export const hasNoBarrel: Rule = (sources) =>
  [...sources].flatMap(([path, source]) => {
    const found = linesMatching(source, /^\s*export\s*\*/).map(
      (line) => `${path}:${line}: exports all of another file`,
    );
    if (posix.basename(path).startsWith("index.")) found.push(`${path}: a file is named for what is in it`);
    return found;
  });

export const hasNoDefaultExport: Rule = (sources) =>
  [...sources].flatMap(([path, source]) =>
    linesMatching(source, /\bexport\s+default\b|\bas\s+default\b/).map(
      (line) => `${path}:${line}: has a default export`,
    ),
  );

export const isNamedPlainly: Rule = (sources) =>
  [...sources.keys()]
    .filter((path) => !path.split("/").every(isKebab))
    .map((path) => `${path}: is not kebab-case`);

/** A value that only its own file uses is a part of that file. Types stand in signatures, so they may be told. */
export function exportsWhatOthersUse(sources: Sources, others: Sources): readonly string[] {
  const all = [...sources, ...others];
  return [...sources].flatMap(([path, source]) =>
    [...source.matchAll(/^export (?:async )?(?:function\*?|const|class|let) (\w+)/gm)].flatMap(
      ([, name = ""]) => {
        const word = new RegExp(`\\b${name}\\b`);
        const used = all.some(([other, text]) => other !== path && word.test(text));
        return used ? [] : [`${path}: exports ${name}, which no other file uses`];
      },
    ),
  );
}

/** `src/README.md` names every file once, as `name.ts` below its room. */
export function mapsEveryFile(paths: readonly string[], markdown: string): readonly string[] {
  const block = /```\nsrc\/\n([\s\S]*?)```/.exec(markdown)?.[1] ?? "";
  const mapped = pathsInTree(block);
  const missing = paths
    .filter((path) => !mapped.includes(path))
    .map((path) => `the map does not name ${path}`);
  const gone = mapped
    .filter((path) => !paths.includes(path))
    .map((path) => `the map names ${path}, which is gone`);
  return [...missing, ...gone];
}

function pathsInTree(block: string): readonly string[] {
  const folders: string[] = [];
  const paths: string[] = [];
  for (const line of block.split("\n")) {
    const [, indent = "", name = ""] = /^( +)([\w.-]+\/?)(\s|$)/.exec(line) ?? [];
    if (name === "") continue;
    folders.length = indent.length / 2 - 1;
    if (name.endsWith("/")) folders.push(name.slice(0, -1));
    else paths.push(["src", ...folders, name].join("/"));
  }
  return paths;
}

function isKebab(part: string): boolean {
  return /^[a-z0-9]+(-[a-z0-9]+)*(\.test)?(\.(ts|json))?$/.test(part);
}

function linesMatching(source: string, pattern: RegExp): number[] {
  const lines = withoutCommentLines(source).split("\n");
  return lines.flatMap((line, index) => (pattern.test(line) ? [index + 1] : []));
}
