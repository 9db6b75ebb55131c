import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Tree } from "../../src/base/hash.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";

/** What the pinned commits hold, by path: a plain string is a file of mode 100644. */
export type PinnedFiles = Readonly<
  Record<string, string | { readonly mode: "100755" | "120000"; readonly content: string }>
>;

/** One workspace pinned to two commits, and room for directories. */
export type WorkspaceBench = AsyncDisposable & {
  readonly workspace: Workspace;
  /** An empty private directory in which the suite makes its working directories. */
  readonly room: string;
  /** The same commits pinned on another machine, which has nothing else. */
  readonly elsewhere: () => Promise<Workspace>;
};

export type MakeWorkspace = (commits: {
  readonly base: PinnedFiles;
  /** Same as `base` when left out. */
  readonly config?: PinnedFiles;
}) => Promise<WorkspaceBench>;

export const small: PinnedFiles = {
  ".gitignore": "*.log\n/out/\n",
  "README.md": "# Demo\n",
  "bin/run": { mode: "100755", content: "#!/bin/sh\necho run\n" },
  "src/a.js": "export const a = 1;\n",
  "src/deep/b.js": "export const b = 2;\n",
  "link-to-a": { mode: "120000", content: "src/a.js" },
};

export function put(dir: string, path: string, content: string | Buffer): string {
  const place = join(dir, path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, content);
  return place;
}

export async function treeOf(workspace: Workspace, dir: string): Promise<Tree> {
  const sealed = await workspace.seal(dir);
  if (sealed.kind === "refused") throw new Error(`${sealed.path}: ${sealed.why}`);
  return sealed.tree;
}

export async function atBase(bench: WorkspaceBench, name = "work"): Promise<string> {
  const dir = join(bench.room, name);
  await bench.workspace.restore(dir, bench.workspace.baseTree);
  return dir;
}

export function text(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString();
}
