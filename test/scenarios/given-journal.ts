import { join } from "node:path";
import { type DemoJournal, openJournal } from "../demo/journal.ts";
import { journalVariable } from "../kit/kill/story.ts";
import type { RunResult } from "../kit/runner/run.ts";
import type { World } from "../kit/world.ts";

/** Pipes outside every machine: commands of a test write into `calls`, and wait at `hold` for ever. */
export function givenJournal(world: World): DemoJournal {
  const file = join(world.dir, "journal.jsonl");
  return openJournal({ dir: join(world.dir, "journal"), file, onLine: () => undefined });
}

/** A command that says its label and then waits for ever; where the job has no journal it does nothing. */
export function inJournal(label: string): string {
  const dir = `$${journalVariable}`;
  return `if [ -p "${dir}/hold" ]; then echo ${label} > "${dir}/calls"; read -r _ < "${dir}/hold"; fi`;
}

/** A configuration whose commands may know of the journal. */
export function configWith({
  setup,
  check,
  baseline = "gate",
}: {
  readonly setup?: string;
  readonly check?: string;
  readonly baseline?: "beside" | "gate";
}): string {
  const quoted = (command: string): string => JSON.stringify(command);
  const before = setup === undefined ? "" : `setup:\n  - ${quoted(setup)}\n`;
  const run = check === undefined ? "node sum.test.mjs" : `${check}; node sum.test.mjs`;
  return `env: [${journalVariable}]\n${before}baseline: ${baseline}\nchecks:\n  - { name: test, run: ${quoted(run)} }\n`;
}

/** Waits for something that a job has to come to; throws when the job ends first. */
export async function orEnd<T>(job: { readonly done: Promise<RunResult> }, moment: Promise<T>): Promise<T> {
  const ended = job.done.then((result) => {
    throw new Error(`the job ended before it came to that: ${result.log}`);
  });
  ended.catch(() => undefined);
  return Promise.race([moment, ended]);
}
