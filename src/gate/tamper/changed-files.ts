import type { Change } from "../../workspace/workspace.ts";
import { familyOf } from "../code.ts";
import type { Contents } from "../contents.ts";
import type { ChangedFile, Suspicion } from "../suspicion.ts";

const textBytesMax = 512 * 1024;
const textBytesTotalMax = 32 * 1024 * 1024;

/** The changes with their texts, within bounds; code that is left out for its size is itself a finding. */
export async function readChanges(
  changes: readonly Change[],
  contents: Contents,
): Promise<{ readonly files: readonly ChangedFile[]; readonly unread: readonly Suspicion[] }> {
  const files: ChangedFile[] = [];
  const unread: Suspicion[] = [];
  let total = 0;
  for (const change of changes) {
    const { path, status, mode } = change;
    if (total > textBytesTotalMax) {
      const rest = changes.length - files.length;
      unread.push({
        path,
        kind: "not-read",
        why: `it and what follows, ${rest} files, are too much to be looked through`,
      });
      return { files, unread };
    }
    const before = status === "added" ? null : await contents.before(path);
    const isFile = status !== "deleted" && mode !== "120000";
    const after = isFile ? await contents.after(path) : null;
    total += (before?.length ?? 0) + (after?.length ?? 0);
    files.push({ change, before: textOf(path, before), after: textOf(path, after) });
    if (familyOf(path) !== null && (after?.length ?? 0) > textBytesMax)
      unread.push({ path, kind: "not-read", why: "it is too long to be looked through" });
  }
  return { files, unread };
}

/** Null for what is no text, or too long. Code is text whatever bytes stand in it, since a compiler may skip them. */
function textOf(path: string, bytes: Uint8Array | null): string | null {
  if (bytes === null || bytes.length > textBytesMax) return null;
  if (familyOf(path) === null && bytes.includes(0)) return null;
  return new TextDecoder().decode(bytes);
}
