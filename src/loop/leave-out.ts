import { type Context, holdsThinking, imagesHeld } from "./context.ts";
import type { Failure } from "./retry.ts";
import type { Run } from "./run.ts";

/**
 * Leaves out of the conversation what the provider has just refused, so that the next request is one that it takes: sent
 * as it is, it would be refused for good. False where the failure is of another kind, or nothing of that is held.
 */
export async function leaveOut(run: Run, { verdict }: Pick<Failure, "verdict">): Promise<boolean> {
  switch (verdict) {
    case "unread-image":
      return leaveOutImages(run);
    case "unfit-thinking":
      return leaveOutThinking(run);
    default:
      return false;
  }
}

/**
 * The provider does not always say which image it cannot read: those that came since its last reply, and all of them
 * where none did, since it took the others before.
 */
async function leaveOutImages({ journal, leftOut }: Run): Promise<boolean> {
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

/** All of it, since a part can be as wrong: the signature that did not come with it, or one of another endpoint. */
async function leaveOutThinking({ journal }: Run): Promise<boolean> {
  if (!holdsThinking(journal.context)) return false;
  await journal.append({ type: "thinking.left-out" });
  return true;
}
