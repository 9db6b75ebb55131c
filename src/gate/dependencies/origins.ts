import { noVersion, type Package } from "./packages.ts";

/** A package that stays the same by its version and is another by what is fetched, or comes from an unusual place. */
export type OriginChange = {
  readonly name: string;
  readonly version: string;
  /**
   * `contents`: the same version with another checksum. `unchecked`: the same version, and its checksum is gone.
   * `address`: the same version from another address. `place`: it comes from where nothing in this file came before.
   * `other-package`: the address is that of a package of another name.
   */
  readonly kind: "contents" | "unchecked" | "address" | "place" | "other-package";
  /** Where it comes from now; "" where the file does not say. */
  readonly source: string;
};

/** Where the package managers fetch from unless they are told otherwise. */
const usual = [
  "https://registry.npmjs.org",
  "https://registry.yarnpkg.com",
  "https://pypi.org",
  "https://files.pythonhosted.org",
  "registry+https://github.com/rust-lang/crates.io-index",
  "sparse+https://index.crates.io/",
  "https://rubygems.org",
  "https://api.github.com",
  "https://repo.packagist.org",
];

/** What of a lock file is worth a second look although no version, or nothing but a version, changed. */
export function originChanges(
  before: readonly Package[],
  after: readonly Package[],
): readonly OriginChange[] {
  const old = new Map(Map.groupBy(before, keyOf));
  const places = new Set([...usual, ...before.map(({ source }) => placeOf(source))]);
  return after.flatMap((one) => {
    const known = old.get(keyOf(one));
    const kind = known === undefined ? kindOfNew(one, places) : kindOfSame(one, known);
    return kind === null ? [] : [{ name: one.name, version: one.version, kind, source: one.source }];
  });
}

export function isUsual(source: string): boolean {
  return usual.includes(placeOf(source));
}

function keyOf({ name, version }: Package): string {
  return `${name}\n${version}`;
}

function kindOfNew(one: Package, places: ReadonlySet<string>): OriginChange["kind"] | null {
  if (one.source === "") return null;
  if (!places.has(placeOf(one.source))) return "place";
  return isOfAnother(one) ? "other-package" : null;
}

/** A version can stand in a file several times; one that was there as it is now is no news. */
function kindOfSame(one: Package, known: readonly Package[]): OriginChange["kind"] | null {
  // A manifest's version without a number is no version, and its packages have no origin.
  if (one.version === noVersion && one.source === "") return null;
  const kinds = known.map((old) => kindOf(old, one));
  return kinds.includes(null) ? null : (kinds[0] ?? null);
}

/** More files of a version may be published later, so a checksum more is none of another. */
function kindOf(old: Package, now: Package): OriginChange["kind"] | null {
  const sums = new Set(now.checksums);
  if (old.checksums.length > 0 && sums.size === 0) return "unchecked";
  if (old.checksums.some((sum) => !sums.has(sum))) return "contents";
  return old.source !== "" && old.source !== now.source ? "address" : null;
}

/** The host with its protocol; of a repository the repository, since anybody can have one there. */
function placeOf(source: string): string {
  if (/^(?:registry|sparse)\+/.test(source)) return source;
  if (/^git|\.git(?:#|$)/.test(source)) return source.replace(/[#?].*$/, "");
  return /^[a-z+]+:\/\/[^/]+/.exec(source)?.[0] ?? source;
}

/** A registry of npm has the name in the address, before `/-/`. */
function isOfAnother({ name, version, source }: Package): boolean {
  const [, path] = /^https:\/\/[^/]+\/(.+?)\/-\//.exec(source) ?? [];
  const own = name.split("node_modules/").at(-1);
  const alias = /^npm:(.+)@/.exec(version)?.[1];
  return path !== undefined && !`/${path.replaceAll(/%2f/gi, "/")}`.endsWith(`/${alias ?? own}`);
}
