import { keptPatch, patchLimits } from "../delivery/patch.ts";
import { capsText, overCaps } from "../gate/caps.ts";
import type { Contents } from "../gate/contents.ts";
import type { Marked } from "../gate/protected.ts";
import { secretsInChange, secretsText } from "../gate/secrets/secret-scan.ts";
import type { Candidate } from "./candidate.ts";
import { quoteFor } from "./quote.ts";
import type { Work } from "./work.ts";

/** Why a change may not leave, whatever the checks would say of it. */
export type Held = {
  readonly cause: "protected" | "size" | "credentials";
  readonly paths: readonly string[];
  /** What the model is told. */
  readonly text: string;
  /** Of what a person may want and we never publish, from `keptPatch`. */
  readonly patch?: string;
};

type About = {
  readonly candidate: Candidate;
  readonly contents: Contents;
  /** What `protection` bars. */
  readonly refused: readonly Marked[];
};

/** Looks at a change before anything is run on it (R12). Null where all of it may leave. */
export async function holdBack(work: Work, { candidate, contents, refused }: About): Promise<Held | null> {
  const { means, config } = work;
  const { changes } = candidate;
  if (refused.length > 0) return holdProtected(work, { candidate, contents, refused });
  const over = await overCaps(changes, { caps: config.limits, contents });
  if (over.length > 0) {
    const paths = over.flatMap((one) => one.paths);
    return { cause: "size", paths, text: capsText(over) };
  }
  const leaks = await secretsInChange(changes, { contents, mask: means.mask });
  if (leaks.length === 0) return null;
  const paths = leaks.flatMap(({ path }) => path ?? []);
  return { cause: "credentials", paths, text: secretsText(leaks, quoteFor(means)) };
}

async function holdProtected(
  { means, workspace }: Work,
  { candidate: { changes, tree }, contents, refused }: About,
): Promise<Held> {
  const paths = refused.map(({ path }) => path);
  const barred = new Set(paths);
  const held = changes.filter(({ path }) => barred.has(path));
  const leaks = await secretsInChange(held, { contents, mask: means.mask });
  // A patch is given to people, so what must not leave must not be in it either.
  if (leaks.length > 0) {
    const text = `${protectedText(refused, "")}\n\n${secretsText(leaks, quoteFor(means))}`;
    return { cause: "protected", paths, text };
  }
  const { baseTree, objects } = workspace;
  const only = (path: string): boolean => barred.has(path);
  const to = await objects.transplant({ from: baseTree, to: tree, onto: baseTree, only });
  const patch = await objects.patch({ from: baseTree, to, bytesMax: patchLimits.keptBytesMax });
  const kept = patch === null ? "" : keptPatch(patch);
  // In the log `***` would stand for a secret in the lines around what was changed, and it would fit nowhere.
  if (patch === null || means.mask(kept) !== kept)
    return { cause: "protected", paths, text: protectedText(refused, "") };
  const text = protectedText(refused, "; a person is given it as a patch");
  return { cause: "protected", paths, text, patch: kept };
}

function protectedText(refused: readonly Marked[], given: string): string {
  const lines = refused.map(({ path, why }) => `- ${path}: ${why}`);
  return `The change cannot be published while these paths are in it. Undo what you did to them${given}:\n${lines.join("\n")}`;
}
