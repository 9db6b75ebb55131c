import { loginOf } from "../command/task.ts";
import type { Ears } from "./ears.ts";
import type { Ended } from "./end-work.ts";
import type { Means } from "./means.ts";
import { allIsKept } from "./outcome.ts";

/** What ended a run whose signal is aborted: somebody who cancelled it or said stop, or its own time limit. */
export function interrupted({
  means: { cancelled },
  ears,
}: {
  readonly means: Pick<Means, "cancelled">;
  readonly ears: Pick<Ears, "stop">;
}): Ended {
  if (cancelled.aborted)
    return { kind: "suspended", reason: "cancelled", detail: `The run was cancelled. ${allIsKept}` };
  const stop = ears.stop();
  if (stop !== null) {
    const detail = `${loginOf(stop.by)} said stop in a comment. ${allIsKept}`;
    return { kind: "suspended", reason: "stopped", detail, input: stop.input };
  }
  return {
    kind: "suspended",
    reason: "minutes",
    detail: `The time budget is used up. ${allIsKept} Raise the input max-minutes of the workflow, then go on.`,
  };
}
