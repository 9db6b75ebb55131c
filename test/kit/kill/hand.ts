// One of the processes that play the cases of a sweep: it is told a case by its name and answers with the result. A
// process of its own stays small, and starting git from a small one takes a fraction of the time.
import { attempt, type Result } from "./attempt.ts";
import { casesOf } from "./cases.ts";
import { openKillStage } from "./stage.ts";
import { openSweepFile } from "./sweep-file.ts";
import { steadyFlags } from "./tracer.ts";

/** `waiting` names the cases that a death at another point than the wanted one may prove. */
export type HandTask = { readonly name: string; readonly waiting: readonly string[] };

const [, , dir = null, every] = process.argv;
const { reference, actionDir } = openSweepFile({ fresh: false, dir });
if (reference === null) throw new Error(`there is no reference in ${dir}`);
const cases = new Map(casesOf(reference, every === "every").map((one) => [one.name, one]));
const stage = await openKillStage({ actionDir, nodeFlags: steadyFlags });

process.on("message", (task: HandTask) => {
  play(task).then(
    (result) => tell(result),
    (error: unknown) => tell(failed(task.name, error)),
  );
});
process.once("disconnect", () => {
  stage[Symbol.asyncDispose]().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
tell("ready");

/** A sweep that was interrupted hears nothing more, and plays the case again when it goes on. */
function tell(what: Result | "ready"): void {
  if (process.connected) process.send?.(what);
}

async function play({ name, waiting }: HandTask): Promise<Result> {
  const one = cases.get(name);
  if (one === undefined || reference === null) throw new Error(`there is no case ${name}`);
  return attempt(stage, one, { reference, open: (other) => waiting.includes(other) });
}

function failed(name: string, error: unknown): Result {
  const wrong = [String(error instanceof Error ? error.stack : error)];
  const nothing = { code: null, over: false, hits: [], lostRecords: 0, repeatedEffects: 0, tries: 1, ms: 0 };
  return { name, verdict: "broke", wrong, ...nothing };
}
