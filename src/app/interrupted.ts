import type { Ended } from "./end-work.ts";
import type { Means } from "./means.ts";

/** What ended a run whose signal is aborted: somebody who cancelled it, or its own time limit. */
export function interrupted({ cancelled }: Pick<Means, "cancelled">): Ended {
  const kept = "Everything up to the last finished call is kept.";
  if (cancelled.aborted)
    return { kind: "suspended", reason: "cancelled", detail: `The run was cancelled. ${kept}` };
  return {
    kind: "suspended",
    reason: "minutes",
    detail: `The time budget is used up. ${kept} Raise the input max-minutes of the workflow, then go on.`,
  };
}
