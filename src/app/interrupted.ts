import type { Ended } from "./end-work.ts";
import type { Means } from "./means.ts";
import { allIsKept } from "./outcome.ts";

/** What ended a run whose signal is aborted: somebody who cancelled it, or its own time limit. */
export function interrupted({ cancelled }: Pick<Means, "cancelled">): Ended {
  if (cancelled.aborted)
    return { kind: "suspended", reason: "cancelled", detail: `The run was cancelled. ${allIsKept}` };
  return {
    kind: "suspended",
    reason: "minutes",
    detail: `The time budget is used up. ${allIsKept} Raise the input max-minutes of the workflow, then go on.`,
  };
}
