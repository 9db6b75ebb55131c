import type { Change } from "../workspace/workspace.ts";
import type { Contents } from "./contents.ts";

/** How large a change may be (R12). */
export type Caps = {
  /** Changed paths, deleted ones too. */
  readonly files: number;
  /** By which all files together grow; a new file grows by its size. */
  readonly bytes: number;
  /** Of one new file. */
  readonly fileBytes: number;
};

export const defaultCaps: Caps = { files: 300, bytes: 5_000_000, fileBytes: 1_000_000 };

/** What of a change is over its caps: `why` for a person and the model, the paths that it is about. */
export type Over = { readonly why: string; readonly paths: readonly string[] };

/** A file that was there before may stay as large as it was. */
export async function overCaps(
  changes: readonly Change[],
  {
    caps,
    contents,
  }: {
    readonly caps: Caps;
    readonly contents: Contents;
  },
): Promise<readonly Over[]> {
  const { files, bytes, fileBytes } = caps;
  // Their number alone is enough to refuse it, so nothing of them is read.
  if (changes.length > files) {
    const paths = changes.map(({ path }) => path);
    return [{ why: `${changes.length} files are changed, and ${files} may be${mostIn(paths)}`, paths }];
  }
  const grown: { readonly path: string; readonly by: number }[] = [];
  const over: Over[] = [];
  for (const { path, status } of changes) {
    if (status === "deleted") continue;
    const after = (await contents.after(path))?.length ?? 0;
    const before = status === "added" ? 0 : ((await contents.before(path))?.length ?? 0);
    grown.push({ path, by: after - before });
    if (status === "added" && after > fileBytes)
      over.push({ why: `${path} has ${after} bytes, and a new file may have ${fileBytes}`, paths: [path] });
  }
  const total = grown.reduce((sum, { by }) => sum + Math.max(0, by), 0);
  if (total <= bytes) return over;
  const largest = grown.toSorted((a, b) => b.by - a.by).slice(0, 5);
  const named = largest.map(({ path, by }) => `${path} (${by})`).join(", ");
  const why = `the change adds ${total} bytes, and ${bytes} may be added; the most are in ${named}`;
  return [...over, { why, paths: largest.map(({ path }) => path) }];
}

/** What goes back to the model. */
export function capsText(over: readonly Over[]): string {
  const head =
    "The change cannot be published, because it is larger than a change may be here. Take out what was made by a build or a tool, or do less at once:";
  return [head, ...over.map(({ why }) => `- ${why}`)].join("\n");
}

/** The directory that most of them lie in, where that is a part of the repository. */
function mostIn(paths: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const end = path.indexOf("/");
    if (end > 0) counts.set(path.slice(0, end), (counts.get(path.slice(0, end)) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return most === undefined ? "" : `; ${most[1]} of them are in ${most[0]}/`;
}
