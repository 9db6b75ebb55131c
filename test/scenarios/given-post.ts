import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { RunResult } from "../kit/runner/run.ts";
import { runAction } from "../kit/runner/run-action.ts";
import { apiKey, type Job, type JobEvent, type World } from "../kit/world.ts";

const root = resolve(import.meta.dirname, "../..");

/** The post step alone, as an action of its own, with what main kept for it. */
export async function postOnce(
  world: World,
  job: Job,
  event: JobEvent,
  kept: RunResult["state"],
): Promise<RunResult> {
  const actionDir = join(world.dir, "post-only");
  mkdirSync(actionDir, { recursive: true });
  const whole = readFileSync(join(root, "action.yml"), "utf8");
  const only = whole.replace("main: dist/main/index.js", "main: dist/post/index.js");
  writeFileSync(join(actionDir, "action.yml"), only.replace(/^ {2}post(-if)?: .*\n?/gm, ""));
  // Its chunks are partly those of main.
  for (const part of ["dist/main", "dist/post"])
    cpSync(join(root, part), join(actionDir, part), { recursive: true });
  const { github, model } = world;
  const { owner, name } = github.repository;
  const state = Object.entries(kept).map(([key, value]) => [`STATE_${key}`, value]);
  const run = await runAction({
    actionDir,
    event: event.payload.body,
    eventName: event.payload.name,
    repository: `${owner}/${name}`,
    runId: job.runId,
    githubToken: github.jobToken,
    machine: job.machine,
    inputs: { "anthropic-api-key": apiKey, "anthropic-base-url": model.url },
    env: { ...github.env({ id: job.runId, attempt: 1, job: "agent" }), ...Object.fromEntries(state) },
  });
  return run.done;
}
