import { remainingMs, spentOf } from "./budget.ts";
import type { End } from "./end.ts";
import { afterFailure, type Failure } from "./retry.ts";
import type { Run } from "./run.ts";

/**
 * Waits after a failed request, as long as its kind and `tries` say, the failed one included; null then, or when the
 * wait was cancelled. The end where there is no other try.
 */
export async function waitAfter(run: Run, failure: Failure, tries: number): Promise<End | null> {
  const { journal, clock, signal, budget, onLive } = run;
  const openMs = clock.elapsed() - (run.turnStartedAt ?? clock.elapsed());
  const next = afterFailure(failure, {
    tries,
    random: run.random(),
    remainingMs: remainingMs(budget, spentOf(journal.state, openMs)),
    nowMs: clock.now(),
  });
  if (next.kind === "stop") return next.end;
  onLive({ kind: "retry.wait", ms: next.ms, reason: failure.reason });
  await clock.sleep(next.ms, { signal });
  return null;
}
