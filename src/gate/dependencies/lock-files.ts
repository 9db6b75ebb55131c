import { parse as parseToml } from "smol-toml";
import { isObject, objectIn } from "../../base/json.ts";
import { isUsual } from "./origins.ts";
import { objectsIn, type Package, type PackageReader, packageOf, parsedBy, wordsOf } from "./packages.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Lock files that are JSON or TOML, read by their grammar. */
export const npmLock: PackageReader = (text) => {
  const lock = parsedBy(JSON.parse, text);
  if (isObject(lock?.["packages"])) return Object.entries(lock["packages"]).flatMap(inNodeModules);
  return isObject(lock?.["dependencies"]) ? ofVersionOne(lock["dependencies"]) : null;
};

function inNodeModules([place, entry]: readonly [string, unknown]): readonly Package[] {
  const name = place.replace(/^node_modules\//, "");
  const { version, resolved, integrity, name: other } = objectIn(entry);
  if (!place.includes("node_modules/") || typeof version !== "string") return [];
  // Another package under this name.
  const shown = typeof other === "string" ? `npm:${other}@${version}` : version;
  return [packageOf(name, shown, { source: resolved, checksums: [integrity] })];
}

/** The packages of one stand in it, to any depth. */
function ofVersionOne(dependencies: Fields): readonly Package[] {
  const packages: Package[] = [];
  const left: (readonly [place: string, Fields])[] = [["", dependencies]];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [place, entries] = next;
    for (const [name, entry] of Object.entries(entries)) {
      const { version, resolved, integrity, dependencies: inner } = objectIn(entry);
      packages.push(packageOf(`${place}${name}`, version, { source: resolved, checksums: [integrity] }));
      if (isObject(inner)) left.push([`${place}${name}/node_modules/`, inner]);
    }
  }
  return packages;
}

export const composerLock: PackageReader = (text) => {
  const lock = parsedBy(JSON.parse, text);
  if (!Array.isArray(lock?.["packages"])) return null;
  return [...objectsIn(lock["packages"]), ...objectsIn(lock["packages-dev"])].map(
    ({ name, version, dist, source }) => {
      const [archive, repository] = [objectIn(dist), objectIn(source)];
      return packageOf(wordsOf(name), version, {
        source: archive["url"] ?? repository["url"],
        // Archives of GitHub have no checksum here; the commit that they are made of stands for one.
        checksums: [archive["shasum"], archive["reference"] ?? repository["reference"]].filter(isGiven),
      });
    },
  );
};

function isGiven(value: unknown): boolean {
  return value !== "" && value !== undefined;
}

export const pipfileLock: PackageReader = (text) => {
  const lock = parsedBy(JSON.parse, text);
  if (lock === null || !isObject(lock["_meta"])) return null;
  const sources = objectsIn(lock["_meta"]["sources"]);
  const addressOf = (index: unknown): unknown => sources.find(({ name }) => name === index)?.["url"];
  return Object.entries(lock).flatMap(([group, entries]) =>
    group === "_meta" || !isObject(entries)
      ? []
      : Object.entries(entries).map(([name, entry]) => {
          const { version, hashes, index, git, file, ref } = objectIn(entry);
          const source = git ?? file ?? addressOf(index);
          return packageOf(name, version ?? ref, { source, checksums: listIn(hashes) });
        }),
  );
};

/** Of Cargo, Poetry, uv and PDM: `[[package]]`, and what each says of its origin. */
export const tomlLock: PackageReader = (text) => {
  const lock = parsedBy(parseToml, text);
  if (lock === null) return null;
  // Poetry kept the files of all packages in one place, by name.
  const older = objectIn(objectIn(lock["metadata"])["files"]);
  return [...objectsIn(lock["package"]), ...objectsIn(lock["packages"])].map((entry) => {
    const { name, version, source, index, checksum, files, sdist, wheels } = entry;
    const kept = [...objectsIn(files ?? older[wordsOf(name)]), ...objectsIn(wheels), ...objectsIn([sdist])];
    const hashes = kept.map(
      ({ file, url, hash, hashes: more }) => `${wordsOf(file ?? url)} ${wordsOf(hash ?? more)}`,
    );
    return packageOf(wordsOf(name), version, {
      // Each file has an address of its own; one that the package's registry would not have tells more.
      source:
        kept.map(originIn).find((url) => url !== undefined && !isUsual(url)) ?? originIn(source ?? index),
      checksums: typeof checksum === "string" ? [checksum] : hashes,
    });
  });
};

function originIn(source: unknown): string | undefined {
  if (typeof source === "string") return source;
  const { url, git, registry, path, directory, editable, virtual, reference } = objectIn(source);
  const origin = url ?? git ?? registry ?? path ?? directory ?? editable ?? virtual;
  return typeof origin === "string" ? [origin, reference].filter(isGiven).map(wordsOf).join("#") : undefined;
}

export const nugetLock: PackageReader = (text) => {
  const lock = parsedBy(JSON.parse, text);
  if (!isObject(lock?.["dependencies"])) return null;
  return Object.values(lock["dependencies"]).flatMap((framework) =>
    Object.entries(objectIn(framework)).map(([name, entry]) => {
      const { resolved, contentHash } = objectIn(entry);
      return packageOf(name, resolved, { checksums: [contentHash] });
    }),
  );
};

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
