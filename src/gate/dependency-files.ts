import { isObject } from "../base/json.ts";

/** Version or range by the package's name, as the file has them; `~` stands for one without. */
export type Packages = ReadonlyMap<string, string>;

export type PackageReader = {
  /** Read by its own grammar, or line by line, which can miss what is written in an unusual way. */
  readonly how: "exactly" | "line by line";
  /** Null where it cannot be read. */
  readonly read: (text: string) => Packages | null;
};

/** How a file's packages are read, by its name; null for one of which only that it changed can be told. */
export function packageReader(name: string): PackageReader | null {
  if (name === "package.json") return { how: "exactly", read: packageJson };
  if (name === "package-lock.json" || name === "npm-shrinkwrap.json")
    return { how: "exactly", read: packageLock };
  if (name === "go.mod") return { how: "line by line", read: goMod };
  if (name === "Cargo.toml" || name === "pyproject.toml") return { how: "line by line", read: toml };
  if (/^(?:requirements|constraints).*\.txt$/.test(name)) return { how: "line by line", read: requirements };
  return null;
}

export const noVersion = "~";

const groups = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"] as const;

function packageJson(text: string): Packages | null {
  const manifest = objectIn(text);
  if (manifest === null) return null;
  const packages = new Map<string, string>();
  for (const group of groups)
    for (const [name, version] of Object.entries(asObject(manifest[group]) ?? {}))
      packages.set(group === "dependencies" ? name : `${name} (${group})`, String(version));
  return packages;
}

/** Of version 2 and later, by the place of each package in `node_modules`. */
function packageLock(text: string): Packages | null {
  const entries = asObject(objectIn(text)?.["packages"]);
  if (entries === null) return null;
  const packages = new Map<string, string>();
  for (const [place, entry] of Object.entries(entries)) {
    const version = asObject(entry)?.["version"];
    if (place.includes("node_modules/") && typeof version === "string")
      packages.set(place.replace(/^node_modules\//, ""), version);
  }
  return packages;
}

function requirements(text: string): Packages {
  const packages = new Map<string, string>();
  for (const line of linesOf(text, /(?:^|\s)#.*$/)) requirement(line, packages);
  return packages;
}

/** `name[extra]>=1; marker`; an option such as `-r other.txt` is a name of its own. */
function requirement(line: string, packages: Map<string, string>): void {
  const [, name, rest = ""] = /^([A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?)\s*(.*)$/.exec(line) ?? [];
  packages.set(name ?? line, rest || noVersion);
}

function goMod(text: string): Packages {
  const packages = new Map<string, string>();
  let block = "";
  for (const line of linesOf(text, /\/\/.*$/)) {
    const opened = /^(\w+)\s*\($/.exec(line)?.[1];
    if (opened !== undefined) block = opened;
    else if (line === ")") block = "";
    else {
      const [, verb = block, rest = line] = block === "" ? (/^(\w+)\s+(.+)$/.exec(line) ?? []) : [];
      goLine(verb, rest, packages);
    }
  }
  return packages;
}

function goLine(verb: string, rest: string, packages: Map<string, string>): void {
  if (verb === "require") {
    const [name = rest, version = noVersion] = rest.split(/\s+/);
    packages.set(name, version);
  }
  const [from, to] = rest.split(/\s*=>\s*/);
  if (verb === "replace" && from !== undefined && to !== undefined) packages.set(`${from} (replace)`, to);
}

/** Sections of dependencies, and lists of requirements, of Cargo.toml and pyproject.toml. */
function toml(text: string): Packages {
  const packages = new Map<string, string>();
  let section = "";
  for (const line of wholeLists(linesOf(text, /^#.*$|\s#[^"']*$/))) {
    const header = /^\[+([^\]]+)\]+$/.exec(line)?.[1];
    const [key, value] = pairIn(line);
    if (header !== undefined) section = header;
    else if (value.startsWith("[") && (key === "dependencies" || listSections.test(section)))
      for (const [, one, other = ""] of value.matchAll(/"([^"]+)"|'([^']+)'/g))
        requirement(one ?? other, packages);
    else if (key !== "") tomlPair(section, key, value, packages);
  }
  return packages;
}

/** A list that is written over several lines, as one. */
function wholeLists(lines: readonly string[]): readonly string[] {
  const whole: string[] = [];
  let isOpen = false;
  for (const line of lines) {
    whole.push(isOpen ? `${whole.pop()} ${line}` : line);
    isOpen = (isOpen || /^[\w."'-]+\s*=\s*\[/.test(line)) && !line.endsWith("]");
  }
  return whole;
}

function pairIn(line: string): readonly [key: string, value: string] {
  const [, key = "", value = ""] = /^([\w."'-]+)\s*=\s*(.*)$/.exec(line) ?? [];
  return [key, value];
}

const listSections = /^(?:project\.optional-dependencies|dependency-groups)$/;

function tomlPair(section: string, key: string, value: string, packages: Map<string, string>): void {
  const bare = value.replace(/^["']|["']$/g, "");
  const [, one] = /(?:^|[.-])dependencies\.([\w."'-]+)$/.exec(section) ?? [];
  if (one !== undefined) {
    // A section for one package: whatever says where it comes from.
    if (/^(?:version|git|path|branch|rev|tag|registry)$/.test(key))
      packages.set(
        one,
        [packages.get(one), `${key} ${bare}`].filter((part) => part !== undefined).join(", "),
      );
  } else if (/(?:^|[.-])dependencies$/.test(section)) packages.set(key.replace(/["']/g, ""), bare);
}

function linesOf(text: string, comment: RegExp): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(comment, "").trim())
    .filter((line) => line !== "");
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | null {
  return isObject(value) ? value : null;
}
