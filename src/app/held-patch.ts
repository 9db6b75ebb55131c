import { patchLimits, readKeptPatch } from "../delivery/patch.ts";
import type { StoredPatch } from "../delivery/patches.ts";
import { secretsInChange } from "../gate/secrets/secret-scan.ts";
import type { Payload, SessionEvent } from "../session/event.ts";
import { eventsOf } from "../session/journal.ts";
import { candidateOf, contentsOf } from "./candidate.ts";
import type { Judgement } from "./judge-work.ts";
import { offerPatch } from "./offer-patch.ts";
import type { Work } from "./work.ts";

type Cause = Extract<Judgement, { kind: "failed" }>["cause"];

const what = "What was held back";

/** Offers a person what the gate let through in no round, where that is theirs to take. */
export async function offerRefused(
  work: Work,
  cause: Cause,
): Promise<{ readonly patch?: StoredPatch | null }> {
  if (cause === "size") return { patch: await offerOversized(work) };
  if (cause !== "protected") return {};
  // What the last round held back: what one before it did may be another change.
  const last = (await eventsOf(work.journal)).findLast(isRed);
  if (last?.patch !== undefined) return { patch: await offerKept(work, last.patch) };
  work.board.note(
    `${what} is not offered as a patch, because it holds what looks like a credential, or has more than ${patchLimits.keptBytesMax} bytes.`,
  );
  return {};
}

/**
 * Offers what is never published by us, if any round held it back since somebody last said something: they may have
 * said to do without. Returns where it lies and a sentence for other places, or null where nothing is offered.
 */
export async function offerHeldBack(
  work: Work,
): Promise<{ readonly patch: StoredPatch | null; readonly sentence: string } | null> {
  const events = await eventsOf(work.journal);
  const said = events.findLastIndex(({ type }) => type === "input.accepted");
  const at = events.findLastIndex((event) => isRed(event) && event.patch !== undefined);
  const held = events[at];
  if (held === undefined || !isRed(held) || held.patch === undefined) return null;
  if (at < said) {
    work.board.note(
      `${what} before the last words to this session is not offered as a patch. Where it is still wanted, say so.`,
    );
    return null;
  }
  return {
    patch: await offerKept(work, held.patch),
    sentence:
      "What is never published by Baton was left out, such as a change of a workflow file; it stands as a patch in the summary of the run.",
  };
}

async function offerKept(work: Work, kept: Payload): Promise<StoredPatch | null> {
  const patch = readKeptPatch(await work.journal.load(kept));
  const { stored } = await offerPatch(work, { effect: "held-back", what, patch });
  return stored.kind === "done" ? stored.value : null;
}

function isRed(event: SessionEvent): event is Extract<SessionEvent, { type: "gate.failed" }> {
  return event.type === "gate.failed";
}

/** The whole change, which the gate looked at no further than its size. */
async function offerOversized(work: Work): Promise<StoredPatch | null> {
  const { workspace, journal, means, board } = work;
  const { tree, changes } = await candidateOf(workspace, journal.state);
  const contents = contentsOf(workspace, changes);
  const { bytesMax, oversizedBytesMax } = patchLimits;
  let bytes = 0;
  for (const { path } of changes) {
    if (bytes <= oversizedBytesMax) bytes += (await contents.after(path))?.length ?? 0;
  }
  const from = workspace.baseTree;
  const patch =
    bytes > oversizedBytesMax ? null : await workspace.objects.patch({ from, to: tree, bytesMax });
  if (patch === null) {
    board.note(`${what} is not offered as a patch, because it has more than ${oversizedBytesMax} bytes.`);
    return null;
  }
  if ((await secretsInChange(changes, { contents, mask: means.mask })).length > 0) {
    board.note(`${what} is not offered as a patch, because it holds what looks like a credential.`);
    return null;
  }
  const { stored } = await offerPatch(work, { effect: "held-back", what, patch });
  return stored.kind === "done" ? stored.value : null;
}
