import type { Mask } from "../../base/masking.ts";
import type { Change } from "../../workspace/workspace.ts";
import type { Contents } from "../contents.ts";
import type { Marked } from "../protected.ts";

/**
 * The changed files in which `***` took the place of one of the run's own secrets. The model is shown a file that holds
 * one so, and who writes it back as it was shown has lost the value.
 */
export async function maskedOver(
  changes: readonly Change[],
  {
    contents,
    mask,
  }: {
    readonly contents: Contents;
    readonly mask: Mask;
  },
): Promise<readonly Marked[]> {
  const found: Marked[] = [];
  for (const { path, status } of changes) {
    if (status !== "modified") continue;
    const before = textOf(await contents.before(path));
    if (mask(before) === before) continue;
    const after = new Set(textOf(await contents.after(path)).split("\n"));
    const lines = before.split("\n");
    const shown = lines.filter((line) => !after.has(line)).map((line) => ({ line, as: mask(line) }));
    const lost = shown.find(({ line, as }) => as !== line && after.has(as) && !lines.includes(as));
    if (lost !== undefined)
      found.push({ path, why: "`***` took the place of a secret of this run", at: lost.as });
  }
  return found;
}

function textOf(bytes: Uint8Array | null): string {
  return bytes === null ? "" : Buffer.from(bytes).toString("utf8");
}
