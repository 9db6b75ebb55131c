import type { Allowance } from "../delivery/host.ts";
import type { Means } from "./means.ts";
import { isScarce, stretched } from "./thrift.ts";

/** A comment of ours that is brought up to date while a run works, seldom enough to leave GitHub's limits alone. */
export type KeptComment = {
  /** It stands, with this text. */
  readonly opened: (id: number, text: string) => void;
  /** Its text may have changed: it is edited at once where enough time has passed since the last edit, else then. */
  readonly stale: () => void;
  /**
   * Ends the keeping, with a last edit where there is a text, made however short ago the one before was. Null, or a
   * sentence that it says something else.
   */
  readonly finish: (text: string | null) => Promise<string | null>;
};

const editMsMin = 30_000;

/** How long after an edit the next one may be made; null while none may. */
export function editMs(allowance: Allowance): number | null {
  return isScarce(allowance) ? null : stretched(editMsMin, allowance);
}

/** `text` is what the comment has to say now. */
export function keepComment(
  text: () => string,
  { host, clock, cancelled, say }: Pick<Means, "host" | "clock" | "cancelled" | "say">,
): KeptComment {
  let comment: { readonly id: number; posted: string; postedAt: number } | null = null;
  let isStale = false;
  let isKept = false;
  let keeping: Promise<void> = Promise.resolve();
  const over = new AbortController();
  // A cancelled run leaves its comment to `post`.
  const signal = AbortSignal.any([over.signal, cancelled]);

  const edit = async (to: string): Promise<string | null> => {
    isStale = false;
    if (comment === null || to === comment.posted) return null;
    const at = comment;
    at.postedAt = clock.elapsed();
    const updated = await host.comment.update(at.id, to);
    if (updated.kind === "made") at.posted = to;
    else say(uneditedNote(updated.why));
    return updated.kind === "made" ? null : uneditedNote(updated.why);
  };

  // Bounded by the run: without news there is nothing to wait for.
  const keep = async (): Promise<void> => {
    while (comment !== null && isStale && !signal.aborted) {
      const ms = editMs(host.allowance);
      // Looked at again with the next news.
      if (ms === null) return;
      const waitMs = comment.postedAt + ms - clock.elapsed();
      if (waitMs > 0) await clock.sleep(waitMs, { signal });
      else await edit(text());
    }
  };

  const stale = (): void => {
    isStale = true;
    if (comment === null || isKept || signal.aborted) return;
    isKept = true;
    keeping = keep().finally(() => {
      isKept = false;
    });
    // A run that ends by an error never comes to finish its comment, where this would come out.
    keeping.catch(() => undefined);
  };

  return {
    opened: (id, posted) => {
      comment = { id, posted, postedAt: clock.elapsed() };
      if (isStale) stale();
    },
    stale,
    finish: async (last) => {
      over.abort();
      await keeping;
      return last === null ? null : edit(last);
    },
  };
}

function uneditedNote(why: string): string {
  return `The status comment could not be edited, and says what was so before: ${why}`;
}
