import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { readActionFile, resolveInputs } from "../test/kit/runner/action-file.ts";
import { jobEnvironment, pathsOf } from "../test/kit/runner/environment.ts";
import { createCommandFiles } from "../test/kit/runner/step.ts";
import { type Asked, apiKey, type World } from "../test/kit/world.ts";
import { type Measured, measured } from "./measured.ts";
import { startBenchModel } from "./model.ts";
import { endOf, now, watchForeign } from "./process.ts";

/** Twenty files of about 1 KB, and a check that always passes: what is measured is the harness. */
export const files: Readonly<Record<string, string>> = {
  "README.md": "# bench\n\nA small repository.\n",
  ".github/agent.yml": "checks:\n  - { name: files, run: test -f README.md }\n",
  ...Object.fromEntries(Array.from({ length: 20 }, (_, file) => [`src/f${file}.js`, linesOf(file)])),
};

function linesOf(file: number): string {
  const line = (_: unknown, at: number) =>
    `export const value_${file}_${at} = "line ${at} of file ${file}";\n`;
  return Array.from({ length: 20 }, line).join("");
}

/** Runs the floor in a fresh directory. */
export async function runFloor(calls: number, dir: string): Promise<Measured> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(dir, name)), { recursive: true });
    await writeFile(path.join(dir, name), text);
  }
  const model = await startBenchModel(calls);
  const foreign = watchForeign();
  const program = path.join(import.meta.dirname, "floor.mjs");
  const log = path.join(dir, "..", `${path.basename(dir)}.jsonl`);
  const spawnedAt = now();
  const child = spawn(process.execPath, [program, model.url, log, "Do the steps."], { cwd: dir });
  const end = await endOf(child);
  const share = foreign();
  return measured(calls, { ...end, spawnedAt, foreign: share, exchanges: await model.finish() });
}

/** Runs `dist/main` as the runner does, on a command of a maintainer, up to its pull request. */
export async function runBaton(calls: number, world: World, action: string): Promise<Measured> {
  const model = await startBenchModel(calls);
  const foreign = watchForeign();
  const run = await spawnMain(world, world.asked(), action, {
    "anthropic-base-url": model.url,
    "max-turns": "1000",
    "max-cost-usd": "1000",
  });
  const end = await endOf(run.child);
  const share = foreign();
  if (end.code !== 0) throw new Error(`dist/main ended with ${end.code}:\n${run.output()}`);
  return measured(calls, {
    ...end,
    spawnedAt: run.spawnedAt,
    foreign: share,
    exchanges: await model.finish(),
  });
}

/** Milliseconds that `dist/main` takes for a comment that is not for it. */
export async function runIgnored(world: World, asked: Asked, action: string): Promise<number> {
  const run = await spawnMain(world, asked, action, {});
  const { code, endedAt } = await endOf(run.child);
  if (code !== 0 || !run.output().includes("ignored"))
    throw new Error(`dist/main did not ignore a comment, it ended with ${code}:\n${run.output()}`);
  return endedAt - run.spawnedAt;
}

/** Milliseconds that Node takes to do nothing. */
export async function runEmpty(): Promise<number> {
  const spawnedAt = now();
  const { endedAt } = await endOf(spawn(process.execPath, ["-e", ""], { stdio: "ignore" }));
  return endedAt - spawnedAt;
}

let runs = 40_000_000_000;

/** The kit's runner with its clock at the spawn itself, and without a post step. */
async function spawnMain(
  world: World,
  asked: Asked,
  action: string,
  inputs: Readonly<Record<string, string>>,
) {
  const { github } = world;
  runs += 1;
  const file = await readActionFile(action);
  const repository = `${github.repository.owner}/${github.repository.name}`;
  const paths = pathsOf(world.machine(), repository, undefined);
  for (const dir of [paths.home, paths.temp, paths.tools, paths.workspace, path.dirname(paths.eventFile)])
    await mkdir(dir, { recursive: true });
  await writeFile(paths.eventFile, JSON.stringify(asked.payload.body));
  github.addRun({
    id: runs,
    attempt: 1,
    event: asked.payload.name,
    actor: asked.actor,
    status: "in_progress",
  });
  const env = {
    ...jobEnvironment({
      node: process.execPath,
      paths,
      repository,
      event: asked.payload.body,
      eventName: asked.payload.name,
      runId: runs,
      runAttempt: 1,
      job: "agent",
      actor: asked.actor,
      sha: undefined,
      ref: undefined,
      actionRepository: "octo-org/baton",
      actionRef: "v1",
      trackingId: `github_${runs}`,
      debug: false,
    }),
    ...github.env({ id: runs, attempt: 1, job: "agent" }),
    RUNNER_ENVIRONMENT: "github-hosted",
    ...(await createCommandFiles(paths.fileCommands)),
    ...resolveInputs(file, { "anthropic-api-key": apiKey, ...inputs }, github.jobToken).env,
  };
  const lines: string[] = [];
  const spawnedAt = now();
  const child = spawn(process.execPath, [path.join(action, file.main)], { cwd: paths.workspace, env });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => lines.push(String(chunk)));
  child.once("exit", () => github.completeRun(runs, "success"));
  return { child, spawnedAt, output: () => lines.join("") };
}
