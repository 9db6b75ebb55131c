import path from "node:path";
import { jobLog } from "./adapters/actions/job-log.ts";
import { reportEnding } from "./adapters/actions/report.ts";
import { readSettings } from "./adapters/actions/settings.ts";
import { keepForPost } from "./adapters/actions/state.ts";
import { readSurroundings } from "./adapters/actions/surroundings.ts";
import { type Outcome, outcome } from "./app/outcome.ts";
import { recognise } from "./app/recognise.ts";
import type { Untold } from "./app/ship-rest.ts";
import { maskOf } from "./base/masking.ts";
import { unwaited } from "./wire/unwaited.ts";

// A comment that is not for us ends here within the time that node takes to start: the rest is loaded when needed.
const settings = readSettings();
const mask = maskOf(settings.secrets);
const log = jobLog(mask);

async function run(): Promise<Outcome> {
  if (settings.kind === "refused") return outcome("refused", "settings", settings.why);
  const surroundings = readSurroundings();
  if (surroundings.kind === "refused") return outcome("refused", "surroundings", surroundings.why);
  const { event, eventName: name, repository, actor, run: job } = surroundings;
  const facts = { repositoryId: repository.id, runId: job.id, actor };
  const asked = recognise({ name, payload: event }, facts, {
    ...settings.asks,
    triggerPhrase: settings.triggerPhrase,
  });
  if (asked.kind === "settled") return asked.outcome;
  const { runAction } = await import("./wire/run-action.ts");
  const toolhost = path.join(path.dirname(process.argv[1] ?? ""), "../toolhost");
  return runAction(asked, { settings, surroundings, log, env: process.env, toolhost });
}

async function brief(ending: Outcome): Promise<string> {
  const { briefSummary } = await import("./app/brief-report.ts");
  return briefSummary(ending, settings.kind === "settings" ? settings.triggerPhrase : "/agent");
}

/** Without it `post` takes the run for one that died, which costs a sentence in its comment. */
function keep(name: "pid" | "ended", value: string): void {
  try {
    keepForPost(name, value);
  } catch (error) {
    log.warn(`The post step cannot be told of the run: ${mask(String(error))}`);
  }
}

keep("pid", String(process.pid));
const ending = await Promise.race([run(), unwaited()]).catch((error: unknown) =>
  outcome("failed", "internal", String(error instanceof Error ? error.stack : error)),
);
// The session's own comment and summary tell its end; any other end is told here, and by post where there is a comment.
const told = ending.report !== "" || ending.kind === "ignored";
await reportEnding(told ? ending : { ...ending, report: await brief(ending) }, { log, mask });
const { kind, reason, detail } = ending;
const untold: Untold = { outcome: kind, reason, detail: mask(detail).slice(0, 4000) };
keep("ended", told ? "told" : JSON.stringify(untold));
// The artifact client leaves timers behind that would keep the job waiting.
process.stdout.write("", () => process.exit(ending.exit));
