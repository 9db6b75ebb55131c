import { createHash } from "node:crypto";
import type { Sha, Tree } from "../../base/hash.ts";
import type { CommitFile } from "../../delivery/host.ts";

/** A tree's files: path to mode and blob id. */
export type Entries = ReadonlyMap<string, { readonly mode: string; readonly blob: string }>;

export function withFiles(entries: Entries, files: readonly CommitFile[]): Entries {
  const changed = new Map(entries);
  for (const { path, mode, bytes } of files) {
    if (bytes === null) changed.delete(path);
    else changed.set(path, { mode, blob: objectId("blob", bytes).toString("hex") });
  }
  return changed;
}

/** The id that git gives to the tree of these files. */
export function treeIdOf(entries: Entries): Tree {
  return treeObject(entries, "").toString("hex") as Tree;
}

/** An id of the right shape; `number` stands for the time that makes real commits differ. */
export function commitIdOf(commit: {
  readonly tree: Tree;
  readonly parent: Sha;
  readonly message: string;
  readonly number: number;
}): Sha {
  return objectId("commit", Buffer.from(JSON.stringify(commit))).toString("hex") as Sha;
}

function treeObject(entries: Entries, prefix: string): Buffer {
  const rows = new Map<string, { readonly mode: string; readonly id: Buffer; readonly order: Buffer }>();
  for (const [path, { mode, blob }] of entries) {
    if (!path.startsWith(prefix)) continue;
    const [name = "", ...below] = path.slice(prefix.length).split("/");
    if (below.length === 0) rows.set(name, { mode, id: Buffer.from(blob, "hex"), order: Buffer.from(name) });
    else if (!rows.has(name))
      // Git sorts a directory as if its name ended in a slash.
      rows.set(name, {
        mode: "40000",
        id: treeObject(entries, `${prefix}${name}/`),
        order: Buffer.from(`${name}/`),
      });
  }
  const sorted = [...rows].sort(([, a], [, b]) => Buffer.compare(a.order, b.order));
  const body = sorted.map(([name, { mode, id }]) => Buffer.concat([Buffer.from(`${mode} ${name}\0`), id]));
  return objectId("tree", Buffer.concat(body));
}

function objectId(type: "blob" | "tree" | "commit", body: Uint8Array): Buffer {
  return createHash("sha1").update(`${type} ${body.length}\0`).update(body).digest();
}
