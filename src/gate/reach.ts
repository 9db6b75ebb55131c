import type { Check } from "./checks.ts";
import { commandsIn, type Run, runOf } from "./command-words.ts";
import { matchesPath } from "./pattern.ts";
import { recipesOf, scriptsOf } from "./recipes.ts";
import type { ReadFile } from "./setup-inputs.ts";

/** What a check runs of the repository, followed from its command through scripts and recipes, as they are on base. */
export type Reach = {
  /** Files that are run, or that a command names as its configuration. */
  readonly files: ReadonlySet<string>;
  /** The names of scripts by the package.json that holds them; under "" those of any, as a monorepo's tools run them. */
  readonly scripts: ReadonlyMap<string, ReadonlySet<string>>;
  /** Every command, for the tools that they use. */
  readonly commands: readonly string[];
  /** Paths and patterns that commands name. */
  readonly places: ReadonlySet<string>;
};

const commandsMax = 500;
const everywhere = "";

type Asked = { readonly command: string; readonly dir: string };

export async function reachOf(checks: readonly Check[], read: ReadFile): Promise<Reach> {
  const files = new Set<string>();
  const scripts = new Map<string, Set<string>>();
  const seen = new Set<string>();
  const commands: string[] = [];
  const places = new Set<string>();
  const open: Asked[] = checks.map(({ run, dir }) => ({ command: run, dir }));
  const text = async (path: string) => textOf(await read(path));
  for (let asked = open.shift(); asked !== undefined; asked = open.shift()) {
    const key = `${asked.dir}\n${asked.command}`;
    if (seen.has(key) || seen.size >= commandsMax) continue;
    seen.add(key);
    commands.push(asked.command);
    let { dir } = asked;
    for (const words of commandsIn(asked.command)) {
      const run = runOf(words);
      for (const word of words.slice(1)) places.add(inDir(dir, word) ?? "");
      if (run.kind === "cd") dir = inDir(dir, run.dir) ?? dir;
      else open.push(...(await follow(run, dir, { files, scripts, text })));
    }
  }
  return { files, scripts, commands, places };
}

/** Whether a test that a command was told to look for here would no longer be looked for there. */
export function isOutOfSight({ places }: Reach, from: string, to: string): boolean {
  const names = (place: string, path: string) =>
    place !== "" &&
    (/[*?]/.test(place) ? matchesPath(`/${place}`, path) : `${path}/`.startsWith(`${place}/`));
  const before = [...places].filter((place) => names(place, from));
  return before.length > 0 && !before.some((place) => names(place, to));
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

type Found = {
  readonly files: Set<string>;
  readonly scripts: Map<string, Set<string>>;
  readonly text: (path: string) => Promise<string | null>;
};

/** What runs next. */
async function follow(
  run: Exclude<Run, { kind: "cd" }>,
  dir: string,
  found: Found,
): Promise<readonly Asked[]> {
  const at = (path: string) => inDir(dir, path);
  switch (run.kind) {
    case "scripts": {
      const manifest = inDir(inDir(dir, run.dir) ?? dir, "package.json") ?? "package.json";
      return followScripts(run.isEverywhere ? everywhere : manifest, manifest, run.names, found);
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
    return recipesOf(makefile, targets).map((command) => ({ command, dir }));
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
