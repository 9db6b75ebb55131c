import type { CommandRun } from "../session/event.ts";
import type { Journal } from "../session/journal.ts";
import type { SetupRun } from "./means.ts";

/** A command of setup as the log holds it. */
export async function recordedRun(run: SetupRun, { store }: Pick<Journal, "store">): Promise<CommandRun> {
  return { ...run, ms: Math.round(run.ms), output: await store(run.output) };
}
