import type { Trigger } from "../command/trigger.ts";

/** From when on a run listens to people. */
export type Earshot = {
  /** Wall time in ms: when the comment that asked for this run was written, or, where none did, when it began. */
  readonly since: number;
  /** That comment; null where none asked. */
  readonly comment: number | null;
};

/** A run that is repeated was not asked for by its comment again. `nowMs` is when the run began. */
export function earshotOf(
  trigger: Trigger,
  { attempt, nowMs }: { readonly attempt: number; readonly nowMs: number },
): Earshot {
  const written = trigger.kind === "comment" ? Date.parse(trigger.comment.createdAt) : Number.NaN;
  // GitHub's times are in whole seconds.
  const began = Math.floor(nowMs / 1000) * 1000;
  if (trigger.kind !== "comment" || attempt > 1 || Number.isNaN(written))
    return { since: began, comment: null };
  return { since: written, comment: trigger.comment.id };
}

/** Whether a comment came after what asked for this run. Of two comments the later one has the greater id. */
export function isLater(
  { id, createdAt }: { readonly id: number; readonly createdAt: number },
  { since, comment }: Earshot,
): boolean {
  return comment === null ? createdAt >= since : id > comment;
}
