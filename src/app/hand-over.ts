import { dependencyList } from "../delivery/dependencies.ts";
import { HostUnavailable } from "../delivery/host.ts";
import { patchLimits } from "../delivery/patch.ts";
import { flaggedList } from "../delivery/pull-request.ts";
import type { Ended } from "./end-work.ts";
import { offerHeldBack } from "./held-patch.ts";
import type { Judgement } from "./judge-work.ts";
import { type Offered, offerPatch } from "./offer-patch.ts";
import { sentenceOf } from "./outcome.ts";
import type { ReadyWork } from "./work.ts";

type Passed = Extract<Judgement, { kind: "passed" }>;

/**
 * What passed for a pull request whose head is in another repository (R3): nothing can be pushed there, and a branch
 * here would publish somebody else's commits. So the work is a patch for the head that was named.
 */
export async function handOver(work: ReadyWork, judged: Passed, said: string): Promise<Ended> {
  const { workspace, board, identity } = work;
  const { tree } = judged.passed;
  const patch = await workspace.objects.patch({
    from: workspace.baseTree,
    to: tree,
    bytesMax: patchLimits.bytesMax,
  });
  if (patch === null) {
    const detail = `The work passed and is kept, but as a patch it has more than ${patchLimits.bytesMax} bytes. Say how to do less at once.`;
    return { kind: "suspended", reason: "size", detail };
  }
  await offerHeldBack(work);
  board.note(flaggedList(judged.flagged));
  board.note(dependencyList(judged.dependencies));
  const offered = await offerPatch(work, { effect: "patch", what: "The work", patch });
  const moved = await movedSince(work);
  return endOf(offered, {
    begun: `The work passed for ${identity.baseSha}, the head of pull request #${identity.thread?.number}, and is a patch, because nothing can be pushed to the repository of that head.${moved}`,
    said: said.trim() === "" ? "" : ` The model says:\n\n${said}`,
  });
}

function endOf(
  { stored, isShown }: Offered,
  { begun, said }: { readonly begun: string; readonly said: string },
): Ended {
  if (stored.kind === "done") {
    const detail = `${begun} The checks ran on exactly the tree that it gives.${said}`;
    return { kind: "ended", outcome: "patch", reason: "fork", detail, patch: stored.value };
  }
  // What will never be stored here is given all the same, where a person can copy all of it.
  if (isShown && stored.code === "rejected") {
    const detail = `${sentenceOf(`${begun} It stands in the summary of the run alone, because it could not be stored: ${stored.why}`)}${said}`;
    return { kind: "ended", outcome: "patch", reason: "fork", detail };
  }
  const detail = `${sentenceOf(`${begun} It could not be stored: ${stored.why}`)} Resume when that is put right; the checks need not run again.`;
  return { kind: "suspended", reason: stored.code, detail };
}

/** Whoever pushed meanwhile has to know that the patch is for what was there before. */
async function movedSince({ identity, means }: ReadyWork): Promise<string> {
  const { thread, baseSha } = identity;
  if (thread === null) return "";
  try {
    const head = (await means.host.thread(thread.number))?.head ?? null;
    if (head === null || head.sha === baseSha) return "";
    return ` The head is ${head.sha} by now.`;
  } catch (error) {
    // It is only worth a word.
    if (error instanceof HostUnavailable) return "";
    throw error;
  }
}
