import { patchOf } from "../delivery/patch.ts";
import { capsText, overCaps } from "../gate/caps.ts";
import type { Marked } from "../gate/protected.ts";
import { secretsInChange, secretsText } from "../gate/secret-scan.ts";
import type { ReadFile } from "../gate/setup-inputs.ts";
import type { Change } from "../workspace/workspace.ts";
import { quoteFor } from "./quote.ts";
import type { Work } from "./work.ts";

/** Why a change may not leave, whatever the checks would say of it. */
export type Held = {
  readonly cause: "protected" | "size" | "credentials";
  readonly paths: readonly string[];
  /** What the model is told. */
  readonly text: string;
  /** Of what a person may want and we never publish; "" where there is none. */
  readonly patch: string;
};

type Contents = { readonly before: ReadFile; readonly after: ReadFile };

/** Looks at a change before anything is run on it (R12). `refused` is what `protection` bars; null where all may leave. */
export async function holdBack(
  { means, config }: Work,
  {
    changes,
    contents,
    refused,
  }: {
    readonly changes: readonly Change[];
    readonly contents: Contents;
    readonly refused: readonly Marked[];
  },
): Promise<Held | null> {
  if (refused.length > 0) {
    const paths = refused.map(({ path }) => path);
    const patch = await patchFor(changes, paths, contents);
    return { cause: "protected", paths, text: protectedText(refused), patch };
  }
  const over = await overCaps(changes, { caps: config.limits, contents });
  if (over.length > 0) {
    const paths = over.flatMap((one) => one.paths);
    return { cause: "size", paths, text: capsText(over), patch: "" };
  }
  const leaks = await secretsInChange(changes, { contents, mask: means.mask });
  if (leaks.length === 0) return null;
  const paths = leaks.flatMap(({ path }) => path ?? []);
  return { cause: "credentials", paths, text: secretsText(leaks, quoteFor(means)), patch: "" };
}

function protectedText(refused: readonly Marked[]): string {
  const lines = refused.map(({ path, why }) => `- ${path}: ${why}`);
  return `The change cannot be published while these paths are in it. Undo what you did to them; a person is given it as a patch:\n${lines.join("\n")}`;
}

/** More of a refused change is of no use to anybody, and stands in the way of the rest. */
const patchedFilesMax = 20;

async function patchFor(
  changes: readonly Change[],
  paths: readonly string[],
  { before, after }: Contents,
): Promise<string> {
  const files = changes.filter(({ path }) => paths.includes(path)).slice(0, patchedFilesMax);
  const read = files.map(async ({ path, mode, status }) => ({
    ...{ path, mode },
    before: status === "added" ? null : await before(path),
    after: status === "deleted" ? null : await after(path),
  }));
  return patchOf(await Promise.all(read));
}
