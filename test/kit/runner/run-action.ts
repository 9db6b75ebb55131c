import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { readActionFile } from "./action-file.ts";
import { pathsOf } from "./environment.ts";
import { Job } from "./job.ts";
import type { Run, RunOptions } from "./run.ts";

/** Runs one JavaScript action as one job of one step. Resolves once the main step's node has started. */
export async function runAction(options: RunOptions): Promise<Run> {
  const action = await readActionFile(options.actionDir);
  const paths = pathsOf(options.machine, options.repository, options.workspace);
  for (const dir of [paths.home, paths.temp, paths.tools, paths.workspace, dirname(paths.eventFile)]) {
    await mkdir(dir, { recursive: true });
  }
  await writeFile(paths.eventFile, JSON.stringify(options.event));
  const job = new Job(options, action, paths);
  await job.start();
  return job;
}
