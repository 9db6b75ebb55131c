// Loose objects and refs of the bare repository, read and written as files: a process for each of them would be most of
// what the local GitHub costs. Whatever is not there as a file of its own (packed by a push) is git's to answer.
import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deflateSync, inflateSync } from "node:zlib";

export type ObjectType = "blob" | "tree" | "commit" | "tag";
export type LooseObject = { readonly type: ObjectType; readonly bytes: Buffer };
export type TreeEntry = { readonly mode: string; readonly name: string; readonly sha: string };

/** Undefined where it is not loose, or not there. */
export function readLoose(bare: string, sha: string): LooseObject | undefined {
  const stored = fileAt(objectPath(bare, sha));
  if (stored === undefined) return undefined;
  const whole = inflateSync(stored);
  const end = whole.indexOf(0);
  const [type] = whole.subarray(0, end).toString().split(" ");
  return { type: type as ObjectType, bytes: whole.subarray(end + 1) };
}

/** Writes an object and gives its id. */
export function writeLoose(bare: string, type: ObjectType, bytes: Buffer): string {
  const whole = Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes]);
  const sha = createHash("sha1").update(whole).digest("hex");
  const path = objectPath(bare, sha);
  mkdirSync(dirname(path), { recursive: true });
  const scratch = `${path}.${randomUUID()}`;
  writeFileSync(scratch, deflateSync(whole, { level: 1 }), { mode: 0o444 });
  renameSync(scratch, path);
  return sha;
}

function objectPath(bare: string, sha: string): string {
  return join(bare, "objects", sha.slice(0, 2), sha.slice(2));
}

export function treeEntries(bytes: Buffer): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    const sha = bytes.subarray(end + 1, end + 21).toString("hex");
    const mode = bytes.subarray(at, space).toString().padStart(6, "0");
    entries.push({ mode, name: bytes.subarray(space + 1, end).toString(), sha });
    at = end + 21;
  }
  return entries;
}

/** Git's order: by name, a directory as if it ended with a slash. */
export function treeBytes(entries: readonly TreeEntry[]): Buffer {
  const key = ({ mode, name }: TreeEntry) => Buffer.from(mode === "040000" ? `${name}/` : name);
  const sorted = [...entries].sort((a, b) => Buffer.compare(key(a), key(b)));
  return Buffer.concat(
    sorted.flatMap(({ mode, name, sha }) => [
      Buffer.from(`${mode.replace(/^0/, "")} ${name}\0`),
      Buffer.from(sha, "hex"),
    ]),
  );
}

/** Where a ref stands, or undefined. */
export function refAt(bare: string, name: string): string | undefined {
  const own = fileAt(join(bare, name))?.toString().trim();
  if (own !== undefined && /^[0-9a-f]{40}$/.test(own)) return own;
  return packedRefs(bare).get(name);
}

/** Every ref whose full name begins with `prefix`, in the order of their names. */
export function refsFrom(bare: string, prefix: string): readonly (readonly [name: string, sha: string])[] {
  const refs = packedRefs(bare);
  const folder = prefix.slice(0, prefix.lastIndexOf("/"));
  for (const entry of filesUnder(join(bare, folder))) {
    const name = `${folder}/${entry}`;
    const sha = refAt(bare, name);
    if (sha !== undefined) refs.set(name, sha);
  }
  return [...refs].filter(([name]) => name.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
}

function filesUnder(dir: string): readonly string[] {
  try {
    const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
    return entries
      .filter((one) => one.isFile() && !one.name.endsWith(".lock"))
      .map((one) => join(one.parentPath, one.name).slice(dir.length + 1));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function packedRefs(bare: string): Map<string, string> {
  const lines = fileAt(join(bare, "packed-refs"))?.toString().split("\n") ?? [];
  const pairs = lines.flatMap((line): [string, string][] => {
    const [, sha = "", name = ""] = /^([0-9a-f]{40}) (\S+)$/.exec(line) ?? [];
    return name === "" ? [] : [[name, sha]];
  });
  return new Map(pairs);
}

function fileAt(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "EISDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
}
