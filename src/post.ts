import { jobLog } from "./adapters/actions/job-log.ts";
import { readSettings } from "./adapters/actions/settings.ts";
import { keptByMain } from "./adapters/actions/state.ts";
import { readSurroundings } from "./adapters/actions/surroundings.ts";
import type { Untold } from "./app/ship-rest.ts";
import { maskOf } from "./base/masking.ts";
import { unwaited } from "./wire/unwaited.ts";

// Runs whatever became of `main`. Where no session was opened there is nothing to do, and nothing is loaded.
const settings = readSettings();
const mask = maskOf(settings.secrets);
const log = jobLog(mask);

async function run(): Promise<void> {
  const { home, ended } = keptByMain();
  if (home === null || settings.kind === "refused") return;
  const surroundings = readSurroundings();
  if (surroundings.kind === "refused") return log.warn(surroundings.why);
  const { runPost } = await import("./wire/run-post.ts");
  await runPost({ settings, surroundings, log, home, ending: ended === "told" ? "told" : untoldIn(ended) });
}

/** Null where `main` died before it could keep anything. */
function untoldIn(ended: string | null): Untold | null {
  return ended === null ? null : (JSON.parse(ended) as Untold);
}

// The job's result is `main`'s: what goes wrong here is said and does not turn a good run red.
await Promise.race([run(), unwaited()]).catch((error: unknown) => {
  log.warn(
    `What the run left could not be stored: ${mask(String(error instanceof Error ? error.stack : error))}`,
  );
});
process.stdout.write("", () => process.exit(0));
