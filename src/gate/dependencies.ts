import { noVersion, type Packages, packageReader } from "./dependency-files.ts";
import type { ReadFile } from "./setup-inputs.ts";

/** A package that a change adds, removes or gives another version; null where it is not there. */
export type PackageChange = {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
};

/** A changed file that decides what is installed. */
export type DependencyFile = {
  readonly path: string;
  /** How its packages were read; null where it could not be, so that all that is known is that it changed. */
  readonly how: "exactly" | "line by line" | null;
  /** Empty where only something else in it changed. */
  readonly packages: readonly PackageChange[];
};

/** `paths` are those of `setupInputs`. Names and versions are the change's own: untrusted text. */
export async function changedDependencies(
  paths: readonly string[],
  contents: { readonly before: ReadFile; readonly after: ReadFile },
): Promise<readonly DependencyFile[]> {
  return Promise.all(
    paths.map(async (path): Promise<DependencyFile> => {
      const reader = packageReader(path.slice(path.lastIndexOf("/") + 1));
      if (reader === null) return { path, how: null, packages: [] };
      const read = (bytes: Uint8Array | null): Packages | null =>
        bytes === null ? new Map() : reader.read(new TextDecoder().decode(bytes));
      const [before, after] = [read(await contents.before(path)), read(await contents.after(path))];
      if (before === null || after === null) return { path, how: null, packages: [] };
      return { path, how: reader.how, packages: differences(before, after) };
    }),
  );
}

/** What is new comes first: it is what a person has to know nothing of yet. */
function differences(before: Packages, after: Packages): readonly PackageChange[] {
  const names = [...new Set([...after.keys(), ...before.keys()])].sort();
  const changes = names.flatMap((name) => {
    const one = { name, before: before.get(name) ?? null, after: after.get(name) ?? null };
    return one.before === one.after ? [] : [one];
  });
  const isNew = ({ before: old }: PackageChange) => (old === null ? 0 : 1);
  return changes.toSorted((a, b) => isNew(a) - isNew(b));
}

/** In words, such as `added, ^1.2.0`. */
export function howItChanged({ before, after }: PackageChange): string {
  const version = (text: string) => (text === noVersion ? "" : text);
  if (before === null) return ["added", version(after ?? "")].filter((part) => part !== "").join(", ");
  if (after === null) return "removed";
  return `${version(before) || "no version"} → ${version(after) || "no version"}`;
}
