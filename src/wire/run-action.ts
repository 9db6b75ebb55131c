import path from "node:path";
import { earshotOf } from "../app/earshot.ts";
import { handle } from "../app/handle.ts";
import { type Outcome, outcome } from "../app/outcome.ts";
import type { Recognised } from "../app/recognise.ts";
import { maskOf } from "../base/masking.ts";
import { HostForbidden, HostUnavailable } from "../delivery/host.ts";
import type { SessionId } from "../session/id.ts";
import { type ActionOptions, actionMeans } from "./action.ts";
import { systemClock } from "./clock.ts";
import { commentary } from "./commentary.ts";
import { diskFault } from "./disk-fault.ts";
import { makeRoom } from "./make-room.ts";
import { version } from "./version.ts";

type Given = "version" | "told" | "earshot" | "limit" | "opened" | "signal";

/** `setTimeout` takes no longer wait. */
const timerMsMax = 2 ** 31 - 1;

/** Handles what was asked, with the runner's signals and the time limit in one abort. */
export async function runAction(
  asked: Extract<Recognised, { kind: "asked" }>,
  options: Omit<ActionOptions, Given>,
): Promise<Outcome> {
  const { attempt } = options.surroundings.run;
  const earshot = earshotOf(asked.trigger, { attempt, nowMs: systemClock.now() });
  const cancel = new AbortController();
  const late = new AbortController();
  const signal = AbortSignal.any([cancel.signal, late.signal]);
  const onSignal = (): void => cancel.abort(new Error("the run was cancelled"));
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  let session: SessionId | null = null;
  const { log, settings } = options;
  const told = commentary(log, {
    mask: maskOf(settings.secrets),
    clock: systemClock,
    outputs: settings.showOutput ? "shown" : "counted",
  });
  const fault = (error: unknown): Outcome => {
    told.end();
    const ended = unexpected(error, { cancelled: cancel.signal.aborted, late: late.signal.aborted, session });
    if (ended.kind === "failed") log.say(String(error instanceof Error ? error.stack : error));
    return ended;
  };
  try {
    const means = await actionMeans({
      ...options,
      version,
      earshot,
      told,
      signal: cancel.signal,
      limit: (ms) => {
        setTimeout(
          () => late.abort(new Error("the time budget is used up")),
          Math.min(ms, timerMsMax),
        ).unref();
      },
      opened: (one) => {
        session = one;
      },
    });
    const ended = await handle(asked, means, { signal, fault, opened: () => session !== null });
    // The outputs are files too.
    if (ended.reason === "storage") await makeRoom(path.join(options.surroundings.tempDir, "agent"));
    return ended;
  } catch (error) {
    return fault(error);
  } finally {
    told.end();
  }
}

/** What no story turned into a value: GitHub gone for longer than reads are repeated, a full disk, a fault of ours. */
function unexpected(
  error: unknown,
  {
    cancelled,
    late,
    session,
  }: { readonly cancelled: boolean; readonly late: boolean; readonly session: SessionId | null },
): Outcome {
  const open = session !== null;
  if (error instanceof HostForbidden) {
    const detail = `GitHub does not let this job go on: ${error.message}. Add that line to the permissions of the job.`;
    return outcome(open ? "suspended" : "refused", "permission", detail, { resumable: open, session });
  }
  const disk = diskFault(error);
  if (disk !== null) {
    const next = open ? "Resume it" : "Try again";
    const detail = `${disk} ${next} where the disk has room and is sound.`;
    return outcome("failed", "storage", detail, { resumable: open, session });
  }
  // A request that we ended ourselves got no answer either.
  if (cancelled || late) return stopped(cancelled ? "cancelled" : "minutes", session);
  if (error instanceof HostUnavailable) {
    const then = open
      ? "What was recorded is stored by the post step; resume later."
      : "Nothing was begun; try again later.";
    return outcome("suspended", "github", `GitHub gave no answer: ${error.message}. ${then}`, {
      resumable: open,
      session,
    });
  }
  const detail = `A fault of Baton: ${error instanceof Error ? error.message : String(error)}.`;
  return outcome("failed", "internal", detail, { resumable: open, session });
}

function stopped(reason: "cancelled" | "minutes", session: SessionId | null): Outcome {
  const open = session !== null;
  const what = reason === "cancelled" ? "The run was cancelled" : "The time budget was used up";
  const detail = open ? `${what}. What was recorded is kept.` : `${what} before a session was open.`;
  return outcome("suspended", reason, detail, { resumable: open, session });
}
