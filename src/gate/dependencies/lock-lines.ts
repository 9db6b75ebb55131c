import { type Package, type PackageReader, packageOf } from "./packages.ts";

// Lock files that a tool writes line by line in one way. A line that stands where an entry should and is none makes the
// file unreadable: what is written in another way could say anything.

type Entry = {
  name: string;
  /** The package under this name, where it is another. */
  alias: string;
  version: string;
  source: string;
  checksum: string;
};

const nothing: Entry = { name: "", alias: "", version: "", source: "", checksum: "" };

type Block = { readonly head: string; readonly lines: string[] };

/** Lines at the margin, each with those below it that are indented, by two blanks less. */
function blocksOf(lines: readonly string[]): readonly Block[] {
  const blocks: Block[] = [];
  for (const line of lines) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const last = blocks.at(-1);
    if (line.startsWith("  ") && last !== undefined) last.lines.push(line.slice(2));
    else blocks.push({ head: line, lines: [] });
  }
  return blocks;
}

function linesIn(text: string): readonly string[] {
  return text.split(/\r?\n/);
}

/** Of both kinds: an entry has the descriptors that it is for, and fields. */
export const yarnLock: PackageReader = (text) => {
  const packages: Package[] = [];
  for (const { head, lines } of blocksOf(linesIn(text))) {
    if (head === "__metadata:") continue;
    const [, name] = /^"?(@?[^@"\s,]+)@[^\n]*:$/.exec(head) ?? [];
    if (name === undefined) return null;
    const [, alias = ""] = /^"?@?[^@"\s,]+@npm:(@?[^@"\s,]+)@/.exec(head) ?? [];
    const entry = { ...nothing, name, alias };
    for (const line of lines) {
      const [, key = "", value = ""] = /^([a-z]+):? "?([^"\s]+)"?$/.exec(line) ?? [];
      yarnField(entry, key, value);
    }
    packages.push(packageIn(entry));
  }
  return packages;
};

function yarnField(entry: Entry, key: string, value: string): void {
  if (key === "version") entry.version = value;
  else if (key === "resolved") entry.source = value;
  // The registry's own packages are named by their version alone: no address is known of them.
  else if (key === "resolution")
    entry.source = /@npm:[^:]*$/.test(value) ? "" : value.replace(/^@?[^@]+@/, "");
  else if (key === "integrity" || key === "checksum") entry.checksum = value;
}

/** The section `packages`: an entry is named in the ways of three versions of the format. */
export const pnpmLock: PackageReader = (text) => {
  const sections = blocksOf(linesIn(text));
  if (!sections.some(({ head }) => head.startsWith("lockfileVersion:"))) return null;
  const packages: Package[] = [];
  for (const { head, lines } of blocksOf(sections.find((one) => one.head === "packages:")?.lines ?? [])) {
    const [, key] = /^(\S.*?):(?: \{\})?$/.exec(head) ?? [];
    if (key === undefined) return null;
    const entry = pnpmEntry(key.replace(/^['"]|['"]$/g, ""));
    for (const line of lines)
      if (/^resolution:|^ {2}(?:integrity|tarball|repo|commit):/.test(line)) pnpmResolution(entry, line);
    packages.push(packageIn(entry));
  }
  return packages;
};

function pnpmEntry(key: string): Entry {
  const bare = key.replace(/\(.*$/, "");
  const older = /^\/((?:@[^/]+\/)?[^/@]+)\/([^_]+)/.exec(bare);
  const [, name = bare, version = ""] = older ?? /^\/?(@?[^@]+)@(.+)$/.exec(bare) ?? [];
  return { ...nothing, name, version };
}

function pnpmResolution(entry: Entry, line: string): void {
  const field = (name: string): string => new RegExp(`\\b${name}: ['"]?([^'"\\s,}]+)`).exec(line)?.[1] ?? "";
  entry.source ||= field("tarball") || field("repo");
  entry.checksum ||= field("integrity") || field("commit");
}

/** The section `packages`, a line each. */
export const bunLock: PackageReader = (text) => {
  const lines = text.split(/\r?\n/);
  const from = lines.findIndex((line) => /^ {2}"packages": \{/.test(line));
  if (from === -1) return null;
  const packages: Package[] = [];
  for (const line of lines.slice(from + 1)) {
    if (/^ {2}\}/.test(line)) return packages;
    if (line.trim() === "") continue;
    const [, name, what = ""] = /^ {4}"([^"]+)": \["([^"]+)"/.exec(line) ?? [];
    if (name === undefined) return null;
    const [, version = what] = /^@?[^@]+@(.+)$/.exec(what) ?? [];
    const [, source = ""] = /^[^,]+, "(https?:[^"]+)"/.exec(line) ?? [];
    const [, checksum = ""] = /"(sha\d+-[^"]+)"\],?$/.exec(line) ?? [];
    packages.push(packageIn({ ...nothing, name, version, source, checksum }));
  }
  return null;
};

/** Blocks of one source each, and since Bundler 2.5 checksums for all. */
export const gemLock: PackageReader = (text) => {
  const blocks = blocksOf(linesIn(text));
  if (!blocks.every(({ head }) => /^[A-Z ]+$/.test(head))) return null;
  const checksums = new Map<string, string>();
  for (const line of blocks.find(({ head }) => head === "CHECKSUMS")?.lines ?? []) {
    const [, whose, sum] = /^(\S+ \([^)]+\)) (sha\S+)$/.exec(line) ?? [];
    if (whose !== undefined && sum !== undefined) checksums.set(whose, sum);
  }
  return blocks.flatMap(gemsIn).map((entry) => {
    const checksum = checksums.get(`${entry.name} (${entry.version})`) ?? entry.checksum;
    return packageIn({ ...entry, checksum });
  });
};

function gemsIn({ lines }: Block): readonly Entry[] {
  const field = (key: string) => lines.find((line) => line.startsWith(`${key}: `))?.slice(key.length + 2);
  const source = field("remote");
  if (source === undefined) return [];
  return lines.flatMap((line) => {
    const [, name, version = ""] = /^ {2}(\S+) \(([^)]+)\)$/.exec(line) ?? [];
    return name === undefined
      ? []
      : [{ ...nothing, name, version, source, checksum: field("revision") ?? "" }];
  });
}

/** `module version hash`; the line of its go.mod is about the same version. */
export const goSum: PackageReader = (text) => {
  const packages: Package[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === "") continue;
    const [, name, version = "", checksum = ""] =
      /^(\S+) (v[^\s/]+(?:\/go\.mod)?) (h1:\S+)$/.exec(line) ?? [];
    if (name === undefined) return null;
    packages.push(packageIn({ ...nothing, name, version, checksum }));
  }
  return packages;
};

/** `group:name:version=configurations` */
export const gradleLock: PackageReader = (text) =>
  text.split(/\r?\n/).flatMap((line) => {
    const [, name, version] = /^([^#:=]+:[^:=]+):([^:=]+)=/.exec(line) ?? [];
    return name === undefined ? [] : [packageOf(name, version)];
  });

function packageIn({ name, alias, version, source, checksum }: Entry): Package {
  return packageOf(name, alias === "" ? version : `npm:${alias}@${version}`, {
    source,
    checksums: checksum === "" ? [] : [checksum],
  });
}
