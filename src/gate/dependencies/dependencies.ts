import type { Contents } from "../contents.ts";
import { dependencyFormat } from "./dependency-files.ts";
import { type OriginChange, originChanges } from "./origins.ts";
import { noVersion, type Package } from "./packages.ts";

/** A package that a change adds, removes or gives another version; null where it is not there. */
export type PackageChange = {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
};

/** A changed file that decides what is installed. */
export type DependencyFile = {
  readonly path: string;
  /** What its text has to be, with its article; "" where its packages are not read. */
  readonly as: string;
  /** How its packages were read; null where it could not be, so that all that is known is that it changed. */
  readonly how: "exactly" | "line by line" | null;
  /** Empty where only something else in it changed. */
  readonly packages: readonly PackageChange[];
  readonly origins: readonly OriginChange[];
};

/** `paths` are those of `setupInputs`. Names and versions are the change's own: untrusted text. */
export async function changedDependencies(
  paths: readonly string[],
  contents: Contents,
): Promise<readonly DependencyFile[]> {
  const files: DependencyFile[] = [];
  // One after the other: a lock file can be long, and twice in memory.
  for (const path of paths) files.push(await changedFile(path, contents));
  return files;
}

/** What is longer would take seconds to read, and no person reads it either. */
const readBytesMax = 8_000_000;

async function changedFile(path: string, contents: Contents): Promise<DependencyFile> {
  const format = dependencyFormat(path);
  const unread = { path, as: format?.as ?? "", how: null, packages: [], origins: [] };
  if (format === null || format.read === null) return unread;
  const { as, how, read } = format;
  const packagesOf = (bytes: Uint8Array | null): readonly Package[] | null => {
    if (bytes === null) return [];
    return bytes.length > readBytesMax ? null : read(new TextDecoder().decode(bytes));
  };
  const before = packagesOf(await contents.before(path));
  const after = packagesOf(await contents.after(path));
  if (before === null || after === null) return unread;
  return { path, as, how, packages: differences(before, after), origins: originChanges(before, after) };
}

/** What is new comes first: it is what a person has to know nothing of yet. */
function differences(before: readonly Package[], after: readonly Package[]): readonly PackageChange[] {
  const [old, now] = [versionsIn(before), versionsIn(after)];
  const names = [...new Set([...now.keys(), ...old.keys()])].sort();
  const changes = names.flatMap((name) => {
    const one = { name, before: old.get(name) ?? null, after: now.get(name) ?? null };
    return one.before === one.after ? [] : [one];
  });
  const isNew = ({ before: known }: PackageChange) => (known === null ? 0 : 1);
  return changes.toSorted((a, b) => isNew(a) - isNew(b));
}

/** A lock file can have several of one name. */
function versionsIn(packages: readonly Package[]): ReadonlyMap<string, string> {
  const byName = Map.groupBy(packages, ({ name }) => name);
  return new Map(
    [...byName].map(([name, all]) => [
      name,
      [...new Set(all.map(({ version }) => version))].sort().join(", "),
    ]),
  );
}

/** In words, such as `added, ^1.2.0`. */
export function howItChanged({ before, after }: PackageChange): string {
  const version = (text: string) => (text === noVersion ? "" : text);
  if (before === null) return ["added", version(after ?? "")].filter((part) => part !== "").join(", ");
  if (after === null) return "removed";
  return `${version(before) || "no version"} → ${version(after) || "no version"}`;
}

/** In words, such as `1.2.0 as before, with other contents`. */
export function whyToLook({ version, kind, source }: OriginChange): string {
  const same = `${version === noVersion ? "no version" : version} as before`;
  switch (kind) {
    case "contents":
      return `${same}, and another checksum: other contents under the same version`;
    case "unchecked":
      return `${same}, and its checksum is gone`;
    case "address":
      return `${same}, and another address: ${source === "" ? "none" : source}`;
    case "place":
      return `${version}, from where no package of this file came before: ${source}`;
    case "other-package":
      return `${version}, from the address of another package: ${source}`;
  }
}
