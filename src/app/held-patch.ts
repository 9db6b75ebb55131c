import { offeredPatch } from "../delivery/patch.ts";
import type { SessionEvent } from "../session/event.ts";
import type { Work } from "./work.ts";

const where = "as a patch in the summary of the run";

/**
 * Offers what the gate held back as never published: the patch goes into the job summary, and the comment says so.
 * Returns the same as a sentence for other places, or null where nothing was held back.
 */
export async function offerHeldBack({ journal, board, means }: Work): Promise<string | null> {
  const records = await journal.recordsFrom(0);
  const patch = lastPatch(records.map(({ record }) => record.event));
  if (patch === null) return null;
  board.offer(offeredPatch(await journal.load(patch)));
  const { url } = means.run;
  board.note(
    `What was held back stands ${url === null ? where : `as a patch in the summary of [the run](${url})`}.`,
  );
  return `What is never published by Baton was left out, such as a change of a workflow file; it stands ${where}.`;
}

/** The newest one: what a later round changed of it counts. */
function lastPatch(events: readonly SessionEvent[]) {
  const last = events.findLast((event) => event.type === "gate.failed" && event.patch !== undefined);
  return last?.type === "gate.failed" ? (last.patch ?? null) : null;
}
