import type { Check } from "../checks.ts";
import type { ReadFile } from "../contents.ts";
import { matchesPath } from "../pattern.ts";
import { commandsIn, type Run, runsOf } from "./command-words.ts";
import { namingFilesOf, programsNamedIn, testPatternsIn } from "./naming-files.ts";
import { includesOf, recipesOf, scriptsOf } from "./recipes.ts";

/** What a check runs of the repository, followed from its command through scripts and recipes, as they are on base. */
export type Reach = {
  /** Files that are run, or that a command names as its configuration. */
  readonly files: ReadonlySet<string>;
  /** Of these, what a runner loads before its tests. */
  readonly loaded: ReadonlySet<string>;
  /** The names of scripts by the package.json that holds them; under "" those of any, as a monorepo's tools run them. */
  readonly scripts: ReadonlyMap<string, ReadonlySet<string>>;
  /** Every command, for the tools that they use. */
  readonly commands: readonly string[];
  /** Paths and patterns that commands name. */
  readonly places: ReadonlySet<string>;
  /** Patterns by which a runner's configuration says where tests are. */
  readonly patterns: ReadonlySet<string>;
  /** The texts of what tells runners what to do. */
  readonly settings: readonly string[];
};

const commandsMax = 500;
const everywhere = "";

type Asked = { readonly command: string; readonly dir: string };

/** What is known so far, and what is still to be looked at. */
type Walk = {
  readonly files: Set<string>;
  readonly loaded: Set<string>;
  readonly scripts: Map<string, Set<string>>;
  readonly commands: string[];
  readonly places: Set<string>;
  /** Where commands run. */
  readonly dirs: Set<string>;
  readonly seen: Set<string>;
  readonly open: Asked[];
  readonly text: (path: string) => Promise<string | null>;
};

export async function reachOf(checks: readonly Check[], read: ReadFile): Promise<Reach> {
  const walk: Walk = {
    ...{ files: new Set(), loaded: new Set(), scripts: new Map(), commands: [], places: new Set() },
    ...{ dirs: new Set([""]), seen: new Set() },
    open: checks.map(({ run, dir }) => ({ command: run, dir })),
    text: async (path) => textOf(await read(path)),
  };
  await followAll(walk);
  const naming = await readNaming(walk);
  await followAll(walk);
  const { files, loaded, scripts, commands, places } = walk;
  return { files, loaded, scripts, commands, places, ...naming };
}

async function followAll(walk: Walk): Promise<void> {
  for (let asked = walk.open.shift(); asked !== undefined; asked = walk.open.shift()) {
    const { command } = asked;
    const key = `${asked.dir}\n${command}`;
    if (walk.seen.has(key) || walk.seen.size >= commandsMax) continue;
    walk.seen.add(key);
    walk.commands.push(command);
    let dir: string | null = asked.dir;
    for (const words of commandsIn(command)) dir = await followWords(words, dir, walk);
  }
}

/** Returns where what follows in the same command runs; null where a variable says it. */
async function followWords(words: readonly string[], dir: string | null, walk: Walk): Promise<string | null> {
  let at = dir;
  walk.dirs.add(at ?? "");
  for (const word of words.slice(1)) walk.places.add(inDir(at ?? "", word) ?? "");
  for (const run of runsOf(words)) {
    if (run.kind !== "cd") walk.open.push(...(await follow(run, at, walk)));
    else at = run.dir === null ? null : (inDir(at ?? "", run.dir) ?? at);
  }
  return at;
}

const dirsMax = 20;

/** Reads what tells the tools of these commands what to run, and asks for what it names. */
async function readNaming(walk: Walk): Promise<Pick<Reach, "settings" | "patterns">> {
  const naming = namingFilesOf(walk.commands);
  const settings: string[] = [];
  const patterns = new Set<string>();
  const dirs = [...walk.dirs].slice(0, dirsMax);
  for (const { dir, file, names } of dirs.flatMap((dir) => naming.map((one) => ({ dir, ...one })))) {
    const text = await walk.text(inDir(dir, file) ?? file);
    if (text === null) continue;
    settings.push(text);
    for (const pattern of testPatternsIn(text)) patterns.add(inDir(dir, pattern) ?? "");
    const paths = await followPrograms(programsNamedIn(file, text, names), dir, walk);
    for (const path of names === "modules" ? paths : []) walk.loaded.add(path);
  }
  return { settings, patterns };
}

/** Returns those of the paths that are files. */
async function followPrograms(paths: readonly string[], dir: string, walk: Walk): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const at = inDir(dir, path);
    if (at === null || (await walk.text(at)) === null) continue;
    walk.open.push(...(await follow({ kind: "files", files: [path] }, dir, walk)));
    found.push(at);
  }
  return found;
}

/** Whether a test that a runner was told to look for here, or finds by itself, would no longer be found there. */
export function isOutOfSight({ places, patterns }: Reach, from: string, to: string): boolean {
  if (isHidden(to) && !isHidden(from)) return true;
  const named = [...places].filter((place) => names(place, from));
  if (named.length > 0 && !named.some((place) => names(place, to))) return true;
  const looked = [...patterns].filter((pattern) => names(pattern, from));
  return looked.length > 0 && ![...patterns].some((pattern) => names(pattern, to));
}

function names(place: string, path: string): boolean {
  return (
    place !== "" && (/[*?]/.test(place) ? matchesPath(`/${place}`, path) : `${path}/`.startsWith(`${place}/`))
  );
}

/** Where runners look for no tests unless they are told to: what is hidden, built, installed, or for another system. */
function isHidden(path: string): boolean {
  return (
    /(?:^|\/)(?:node_modules|dist|coverage|testdata|fixtures|__fixtures__|vendor|\.[^/]+)\//.test(path) ||
    /(?:^|\/)[._][^/]*_test\.go$|(?:^|\/)_[^/]*\/.*_test\.go$|_(?:windows|darwin|plan9|js|wasm|android|ios|freebsd|openbsd|netbsd|solaris|aix|illumos|arm|386|s390x|riscv64|ppc64le|mips\w*|loong64)_test\.go$/.test(
      path,
    )
  );
}

/** Also where a tool of a monorepo would run it in any package. */
export function reaches({ scripts }: Pick<Reach, "scripts">, manifest: string, name: string): boolean {
  const asked = [...(scripts.get(manifest) ?? []), ...(scripts.get(everywhere) ?? [])];
  const plain = name.replace(/^(?:pre|post)/, "");
  return asked.some((one) => [name, plain].some((each) => one === each || matchesName(one, each)));
}

function matchesName(pattern: string, name: string): boolean {
  return pattern.includes("*") && matchesPath(`/${pattern.replaceAll(":", "/")}`, name.replaceAll(":", "/"));
}

type Found = Pick<Walk, "files" | "scripts" | "text">;

/** What runs next. */
async function follow(
  run: Exclude<Run, { kind: "cd" }>,
  asked: string | null,
  found: Found,
): Promise<readonly Asked[]> {
  const dir = asked ?? "";
  const at = (path: string) => inDir(dir, path);
  switch (run.kind) {
    case "scripts": {
      const manifest = inDir(inDir(dir, run.dir) ?? dir, "package.json") ?? "package.json";
      const holder = run.isEverywhere || asked === null ? everywhere : manifest;
      return followScripts(holder, manifest, run.names, found);
    }
    case "recipes":
      return followRecipes(
        run.files.flatMap((file) => at(file) ?? []),
        run.targets,
        dir,
        found,
      );
    case "files": {
      const paths = run.files.flatMap((file) => at(file) ?? []);
      for (const path of paths) found.files.add(path);
      const texts = await Promise.all(paths.map(found.text));
      const shell = texts.filter((text) => text !== null && /^#!.*\b(?:ba|z|da|k)?sh\b/.test(text));
      const named = texts.filter(
        (text, index) => /\.(?:ba|z)?sh$/.test(paths[index] ?? "") && !shell.includes(text),
      );
      return [...shell, ...named].flatMap((text) => (text === null ? [] : [{ command: text, dir }]));
    }
  }
}

async function followScripts(
  holder: string,
  manifest: string,
  names: readonly string[],
  { scripts, text }: Found,
): Promise<readonly Asked[]> {
  const known = scripts.get(holder) ?? new Set();
  scripts.set(holder, known);
  for (const name of names) known.add(name);
  const all = scriptsOf(await text(manifest));
  const dir = manifest.replace(/\/?package\.json$/, "");
  const isMeant = (name: string) =>
    reaches({ scripts: new Map([[manifest, new Set(names)]]) }, manifest, name);
  return [...all].filter(([name]) => isMeant(name)).map(([, command]) => ({ command, dir }));
}

async function followRecipes(
  paths: readonly string[],
  targets: readonly string[],
  dir: string,
  { files, text }: Found,
): Promise<readonly Asked[]> {
  for (const path of paths) {
    const makefile = await text(path);
    if (makefile === null) continue;
    files.add(path);
    const more: string[] = [];
    for (const include of includesOf(makefile)) {
      const included = inDir(dir, include);
      const known = included === null ? null : await text(included);
      if (included === null || known === null) continue;
      files.add(included);
      more.push(known);
    }
    return recipesOf([makefile, ...more].join("\n"), targets).map((command) => ({ command, dir }));
  }
  return [];
}

function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null || bytes.length > 256 * 1024 ? null : new TextDecoder().decode(bytes);
}

/** A path of the repository, or null outside of it. */
function inDir(dir: string, path: string): string | null {
  if (path.startsWith("/") || path.startsWith("~")) return null;
  const names: string[] = [];
  for (const name of [...dir.split("/"), ...path.split("/")]) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined) return null;
  }
  return names.join("/");
}
