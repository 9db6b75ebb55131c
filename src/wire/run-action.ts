import { handle } from "../app/handle.ts";
import { type Outcome, outcome } from "../app/outcome.ts";
import type { Recognised } from "../app/recognise.ts";
import { HostUnavailable } from "../delivery/host.ts";
import { StorageFailure } from "../session/open-journal.ts";
import { type ActionOptions, actionMeans } from "./action.ts";
import { version } from "./version.ts";

const defaultMinutes = 50;

/** Handles what was asked, with the runner's signals and the time limit in one abort. */
export async function runAction(
  asked: Extract<Recognised, { kind: "asked" }>,
  options: Omit<ActionOptions, "version" | "deadline" | "signal">,
): Promise<Outcome> {
  const cancel = new AbortController();
  const minutes = options.settings.budget.minutes ?? defaultMinutes;
  const late = AbortSignal.timeout(minutes * 60_000);
  const signal = AbortSignal.any([cancel.signal, late]);
  const onSignal = (): void => cancel.abort(new Error("the run was cancelled"));
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  try {
    const deadline = (): boolean => late.aborted && !cancel.signal.aborted;
    const means = await actionMeans({ ...options, version, deadline, signal });
    return await handle(asked, means, { signal });
  } catch (error) {
    return unexpected(error, cancel.signal);
  }
}

/** What no story turned into a value: GitHub gone for longer than reads are repeated, a full disk, a fault of ours. */
function unexpected(error: unknown, cancelled: AbortSignal): Outcome {
  if (error instanceof HostUnavailable) {
    const detail = `GitHub gave no answer: ${error.message}. What was stored so far can be resumed.`;
    return outcome("suspended", "github", detail, { resumable: true });
  }
  if (error instanceof StorageFailure) {
    return outcome(
      "failed",
      "storage",
      `The log could not be written: ${error.message} (${String(error.cause)}).`,
    );
  }
  if (cancelled.aborted) {
    return outcome("suspended", "cancelled", "The run was cancelled before a session was open.", {
      resumable: false,
    });
  }
  throw error;
}
