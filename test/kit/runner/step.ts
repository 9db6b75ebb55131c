import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseFileCommand } from "./file-command.ts";
import { splitLines } from "./line-splitter.ts";
import type { StepLog } from "./step-log.ts";

export interface StepEnd {
  /** Exit code; null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Starts node on one script of the action and hands each line of its output over. */
export function startStep(options: {
  /** What starts it, and the words before the script. */
  readonly command: readonly [string, ...(readonly string[])];
  readonly script: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onLine: (line: string) => void;
  /** How long the runner waits for output that children hold open after node has ended. */
  readonly drainMs: number;
}): { readonly child: ChildProcess; readonly ended: Promise<StepEnd> } {
  const { script, cwd, env } = options;
  const [program, ...words] = options.command;
  const child = spawn(program, [...words, script], {
    cwd,
    env: { ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const flushes = [child.stdout, child.stderr].map((stream) => {
    const splitter = splitLines(options.onLine);
    stream.on("data", splitter.feed);
    return splitter.end;
  });
  const flushAll = () => {
    for (const flush of flushes) flush();
  };
  return { child, ended: endOf(child, options.drainMs).finally(flushAll) };
}

async function endOf(child: ChildProcess, drainMs: number): Promise<StepEnd> {
  const closed = once(child, "close");
  // Awaited below; a failed start rejects both and is reported once.
  closed.catch(() => {});
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  const stop = new AbortController();
  await Promise.race([closed, sleep(drainMs, undefined, { signal: stop.signal }).catch(() => {})]);
  stop.abort();
  child.stdout?.destroy();
  child.stderr?.destroy();
  return { code, signal };
}

/** The files through which a step speaks to the runner, as the variables that name them. */
export type CommandFiles = Readonly<
  Record<"GITHUB_OUTPUT" | "GITHUB_ENV" | "GITHUB_PATH" | "GITHUB_STATE" | "GITHUB_STEP_SUMMARY", string>
>;

export async function createCommandFiles(dir: string): Promise<CommandFiles> {
  await mkdir(dir, { recursive: true });
  const suffix = randomUUID();
  const create = async (prefix: string) => {
    const file = join(dir, `${prefix}_${suffix}`);
    await writeFile(file, "");
    return file;
  };
  return {
    GITHUB_OUTPUT: await create("set_output"),
    GITHUB_ENV: await create("set_env"),
    GITHUB_PATH: await create("add_path"),
    GITHUB_STATE: await create("save_state"),
    GITHUB_STEP_SUMMARY: await create("step_summary"),
  };
}

/** What a job has gathered from its steps so far. */
export interface Gathered {
  readonly outputs: Map<string, string>;
  readonly env: Map<string, string>;
  readonly state: Map<string, string>;
  /** Directories for the front of `PATH`, the last added first. */
  readonly path: string[];
  summary: string;
}

const summaryBytesMax = 1024 * 1024;

/** Takes over what a step wrote. What the runner refuses becomes an error annotation; true if there was one. */
export async function gather(files: CommandFiles, into: Gathered, log: StepLog): Promise<boolean> {
  let refused = false;
  const refuse = (what: string, why: string) => {
    refused = true;
    log.annotate("error", `Unable to process file command '${what}' successfully.`);
    log.annotate("error", why);
  };
  const take = async (file: string, what: string, set: (name: string, value: string) => void) => {
    try {
      for (const [name, value] of parseFileCommand(await readIfThere(file))) set(name, value);
    } catch (error) {
      refuse(what, error instanceof Error ? error.message : String(error));
    }
  };
  await take(files.GITHUB_OUTPUT, "output", (name, value) => into.outputs.set(name, value));
  await take(files.GITHUB_STATE, "state", (name, value) => into.state.set(name, value));
  await take(files.GITHUB_ENV, "env", (name, value) => {
    if (name.toUpperCase() !== "NODE_OPTIONS") into.env.set(name, value);
    else throw new Error("Can't store NODE_OPTIONS output parameter using '$GITHUB_ENV' command.");
  });
  const added = (await readIfThere(files.GITHUB_PATH)).split(/\r?\n/).filter(Boolean);
  for (const dir of added) into.path.unshift(dir);
  const summary = await readIfThere(files.GITHUB_STEP_SUMMARY);
  const bytes = Buffer.byteLength(summary);
  if (bytes <= summaryBytesMax) into.summary += summary;
  else {
    const size = Math.ceil(bytes / 1024);
    log.annotate(
      "error",
      `$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of 1024k, got ${size}k.`,
    );
  }
  return refused;
}

/** Empty when the file is gone: a step may delete it, and a lost machine has none. */
async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
