import { isObject, objectIn } from "../../base/json.ts";
import type { Change } from "../../workspace/workspace.ts";
import type { Contents } from "../contents.ts";
import { dependencyFormat } from "./dependency-files.ts";

/**
 * The changed paths that decide what `setup` installs. Setup has network access and ran on the trusted base, so it is
 * not run again on a tree that the model touched: a person has to look. In a package.json only what is installed, and
 * what is run by that, counts; another script or a version does not. Fixtures install nothing.
 */
export async function setupInputs(
  changes: readonly Change[],
  contents: Contents,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { path, status } of changes) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (dependencyFormat(path) === null || inFixtures.test(path)) continue;
    const isSame =
      name === "package.json" &&
      status === "modified" &&
      sameInstall(await contents.before(path), await contents.after(path));
    if (!isSame) found.push(path);
  }
  return found;
}

const inFixtures = /(?:^|\/)(?:fixtures?|__fixtures__|testdata)\//;

const installKeys = [
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies",
  "peerDependenciesMeta",
  "bundleDependencies",
  "bundledDependencies",
  "overrides",
  "resolutions",
  "pnpm",
  "workspaces",
  "packageManager",
  "dependenciesMeta",
  "trustedDependencies",
  "patchedDependencies",
  "catalog",
  "catalogs",
] as const;

/** What an installer runs of the manifest by itself, before and after it installs. */
const installScripts = [
  "preinstall",
  "install",
  "postinstall",
  "prepublish",
  "preprepare",
  "prepare",
  "postprepare",
] as const;

/** Also false where one of them cannot be read: then nobody knows what it would install. */
function sameInstall(before: Uint8Array | null, after: Uint8Array | null): boolean {
  const [old, now] = [installOf(before), installOf(after)];
  return old !== null && old === now;
}

function installOf(bytes: Uint8Array | null): string | null {
  if (bytes === null) return null;
  try {
    const manifest: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (!isObject(manifest)) return null;
    const fields = new Map<string, unknown>(Object.entries(manifest));
    const scripts = new Map(Object.entries(objectIn(fields.get("scripts"))));
    return JSON.stringify([
      ...installKeys.map((key) => sorted(fields.get(key) ?? null)),
      ...installScripts.map((key) => scripts.get(key) ?? null),
    ]);
  } catch {
    return null;
  }
}

/** The order of keys installs nothing. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)]);
}
