import { parse as parseToml } from "smol-toml";
import { isObject, objectIn } from "../../base/json.ts";
import { linesOf, noVersion, type Package, type PackageReader, packageOf, parsedBy } from "./packages.ts";

type Fields = Readonly<Record<string, unknown>>;

const groups = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"] as const;

export const packageJson: PackageReader = (text) => {
  const manifest = parsedBy(JSON.parse, text);
  return (
    manifest &&
    groups.flatMap((group) =>
      entriesIn(manifest[group]).map(([name, version]) =>
        packageOf(group === "dependencies" ? name : `${name} (${group})`, version),
      ),
    )
  );
};

export const composerJson: PackageReader = (text) => {
  const manifest = parsedBy(JSON.parse, text);
  return manifest && [...tableOf(manifest["require"]), ...tableOf(manifest["require-dev"])];
};

/** Every table of dependencies, whatever it is a part of: a target, a workspace, a patch. */
export const cargoToml: PackageReader = (text) => {
  const manifest = parsedBy(parseToml, text);
  return (
    manifest && tablesIn(manifest, /(?:^|-)dependencies$|^replace$/, 4).concat(patches(manifest["patch"]))
  );
};

function patches(patch: unknown): readonly Package[] {
  return entriesIn(patch).flatMap(([, table]) => tableOf(table));
}

export const pyproject: PackageReader = (text) => {
  const manifest = parsedBy(parseToml, text);
  if (manifest === null) return null;
  const project = objectIn(manifest["project"]);
  const lists = [
    project["dependencies"],
    objectIn(manifest["build-system"])["requires"],
    ...Object.values(objectIn(project["optional-dependencies"])),
    ...Object.values(objectIn(manifest["dependency-groups"])),
  ];
  const listed = lists.flatMap((list) => (Array.isArray(list) ? list : []));
  const tool = objectIn(manifest["tool"]);
  return [
    ...listed.flatMap((one) => (typeof one === "string" ? [requirement(one)] : [])),
    ...tablesIn(tool, /(?:^|-)dependencies$|^sources$/, 4),
  ];
};

export const pipfile: PackageReader = (text) => {
  const manifest = parsedBy(parseToml, text);
  return manifest && [...tableOf(manifest["packages"]), ...tableOf(manifest["dev-packages"])];
};

/** Gradle's catalogue of versions and what they are of. */
export const versionsToml: PackageReader = (text) => {
  const catalogue = parsedBy(parseToml, text);
  return catalogue && ["versions", "libraries", "plugins"].flatMap((key) => tableOf(catalogue[key]));
};

/** A list in place of a table, as PDM has its groups, is of requirements. */
function tableOf(table: unknown): readonly Package[] {
  return entriesIn(table).flatMap(([name, value]) =>
    Array.isArray(value) && value.every((one) => typeof one === "string")
      ? value.map(requirement)
      : [packageOf(name, value)],
  );
}

/** The tables whose name fits, to a depth that no manifest goes beyond. */
function tablesIn(value: Fields, name: RegExp, depth: number): readonly Package[] {
  if (depth === 0) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (!isObject(inner)) return [];
    return name.test(key) ? tableOf(inner) : tablesIn(inner, name, depth - 1);
  });
}

function entriesIn(value: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries(objectIn(value));
}

/** A line may go on after a backslash, and hashes stand behind the version. */
export const requirements: PackageReader = (text) =>
  linesOf(text.replace(/\\\r?\n/g, " "), /(?:^|\s)#.*$/).map(requirement);

/** `name[extra]>=1; marker`; an option such as `-r other.txt` is a name of its own. */
function requirement(line: string): Package {
  const checksums = Array.from(line.matchAll(/--hash=(\S+)/g), ([, hash]) => hash);
  const bare = line.replace(/\s--hash=\S+/g, "").trim();
  const [, name, rest = ""] = /^([A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?)\s*(.*)$/.exec(bare) ?? [];
  return packageOf(name ?? bare, rest, { checksums });
}

/** Also go.work. */
export const goMod: PackageReader = (text) => {
  const packages: Package[] = [];
  let block = "";
  for (const line of linesOf(text, /\/\/.*$/)) {
    const opened = /^(\w+)\s*\($/.exec(line)?.[1];
    if (opened !== undefined) block = opened;
    else if (line === ")") block = "";
    else {
      const [, verb = block, rest = line] = block === "" ? (/^(\w+)\s+(.+)$/.exec(line) ?? []) : [];
      packages.push(...goLine(verb, rest));
    }
  }
  return packages;
};

function goLine(verb: string, rest: string): readonly Package[] {
  if (verb === "require" || verb === "tool" || verb === "use") {
    const [name = rest, version = noVersion] = rest.split(/\s+/);
    return [packageOf(verb === "require" ? name : `${name} (${verb})`, version)];
  }
  const [from, to] = rest.split("=>").map((part) => part.trim());
  return verb === "replace" && from !== undefined && to !== undefined
    ? [packageOf(`${from} (replace)`, to)]
    : [];
}

/** `gem "name", "~> 1.0", git: "…"`, and the sources. */
export const gemfile: PackageReader = (text) =>
  linesOf(text, /(?:^|\s)#.*$/).flatMap((line) => {
    const [, verb, name = "", rest = ""] =
      /^(gem|source)[\s(]+["']([^"']+)["']\)?\s*,?\s*(.*)$/.exec(line) ?? [];
    if (verb === undefined) return [];
    return [
      packageOf(verb === "gem" ? name : `source ${name}`, rest.replace(/["']/g, "").replace(/\)$/, "")),
    ];
  });

/** `key=value`: registries, distributions and their checksums. */
export const properties: PackageReader = (text) =>
  linesOf(text, /^[#;!].*$/).map((line) => {
    const at = line.indexOf("=");
    const key = (at === -1 ? line : line.slice(0, at)).trim();
    const value = at === -1 ? "" : line.slice(at + 1).trim();
    // A credential would not be known as one without its name.
    return packageOf(key, /auth|token|passw|secret/i.test(key) ? "(not shown)" : value);
  });
