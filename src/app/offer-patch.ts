import type { EffectDone } from "../delivery/effect.ts";
import type { HostRefusal } from "../delivery/host.ts";
import { codeSpan } from "../delivery/neutral.ts";
import { applyCommands, shownPatch } from "../delivery/patch.ts";
import type { StoredPatch } from "../delivery/patches.ts";
import { type PatchEffect, storePatch } from "../delivery/store-patch.ts";
import { effectTools } from "./effect-tools.ts";
import { sentenceOf } from "./outcome.ts";
import type { Work } from "./work.ts";

export type Offered = {
  readonly stored: EffectDone<StoredPatch> | HostRefusal;
  /** All of it stands in the summary, as `git apply` needs it. */
  readonly isShown: boolean;
};

/**
 * Gives a person a patch: plain, where this run leaves things behind, and in the summary as far as there is room. The
 * comment says where, and how it is applied. Nothing that was not looked through for credentials may be offered.
 */
export async function offerPatch(
  work: Work,
  {
    effect,
    what,
    patch,
  }: { readonly effect: PatchEffect; readonly what: string; readonly patch: Uint8Array },
): Promise<Offered> {
  const { identity, means, board, journal } = work;
  const { session, baseSha } = identity;
  const runs = [...new Set([means.run.id, ...journal.state.runs.toReversed()])];
  const stored = await storePatch(
    { session, effect, patch, runs },
    { ...effectTools(work), patches: means.patches },
  );
  const shown = shownPatch(patch, what);
  board.offer(shown.markdown);
  const { url } = means.run;
  const summary = `the summary of ${url === null ? "the run" : `[the run](${url})`}`;
  const inSummary = `${what} stands as a patch in ${summary}`;
  if (stored.kind === "done") {
    const { name, url: at } = stored.value;
    const linked = at === null ? codeSpan(name) : `[${codeSpan(name)}](${at})`;
    board.note(
      `${inSummary} and in ${at === null ? "the file" : "the artifact"} ${linked}. It is for commit ${codeSpan(baseSha)}:\n\n${applyCommands(stored.value)}`,
    );
  } else board.note(sentenceOf(`${inSummary}, and not in an artifact: ${stored.why}`));
  return { stored, isShown: shown.isExact };
}
