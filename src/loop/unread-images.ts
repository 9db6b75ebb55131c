import { type Context, imagesHeld } from "./context.ts";
import type { Run } from "./run.ts";

/**
 * Leaves out images that the provider cannot read, so that the next request is one that it takes; false where the
 * conversation holds none. It does not always say which one it means: those that came since its last reply, and all of
 * them where none did, since it took the others before.
 */
export async function leaveOutImages({ journal, leftOut }: Run): Promise<boolean> {
  const { context } = journal;
  const since = imagesHeld(sinceReply(context)).count;
  const count = since > 0 ? since : imagesHeld(context).count;
  if (count === 0) return false;
  await journal.append({ type: "images.left-out", count, all: since === 0 });
  leftOut(count);
  return true;
}

function sinceReply(context: Context): Context {
  return { ...context, closed: [] };
}
