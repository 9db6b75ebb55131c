import type { ChildProcess } from "node:child_process";
import { closeSync, constants, existsSync, openSync } from "node:fs";
import { Socket } from "node:net";
import { constants as os } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type HeadTail, headTail } from "../../tools/head-tail.ts";
import type { OutputPipe } from "../../tools/tool.ts";
import type { Answer, Request, SupervisorPlan } from "./protocol.ts";

type Command = Extract<Request, { type: "command" }>;
type Ended = Extract<Answer, { type: "ended" }>;

type Means = {
  readonly spawn: (file: string, args: readonly string[], options: object) => ChildProcess;
  /** Resolves once no process of the sandbox is left. */
  readonly clear: () => Promise<void>;
};

/**
 * One command of setup or of a check, started by the supervisor itself, so that its exit code does not pass through
 * anything the command can reach. `bash -e` where there is bash, as GitHub runs a step, otherwise `sh -e`.
 */
export function runCommand(
  request: Command,
  plan: SupervisorPlan,
  means: Means,
): { readonly ended: Promise<Ended>; readonly cancel: () => void } {
  let stopped: "timed out" | "cancelled" | null = null;
  const stop = (why: "timed out" | "cancelled") => {
    stopped ??= why;
    void means.clear();
  };
  return { ended: run(), cancel: () => stop("cancelled") };

  async function run(): Promise<Ended> {
    const startMs = performance.now();
    const capture = headTail(request.outputBytesMax);
    const pipe = plan.fifo === null ? null : openFifo(plan.fifo);
    pipe?.reader.on("data", (chunk: Buffer) => capture.push(chunk));
    const sink = pipe?.fd ?? "pipe";
    const [file = "", ...args] = [
      ...plan.drop,
      "/bin/sh",
      "-c",
      enterDir,
      "sh",
      join(plan.root, request.dir),
    ];
    const child = means.spawn(file, [...args, ...shell(), request.command], {
      cwd: "/",
      env: plan.env,
      stdio: ["ignore", sink, sink],
    });
    child.stdout?.on("data", (chunk: Buffer) => capture.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => capture.push(chunk));
    const piped = pipe === null ? null : closed(pipe.reader);
    if (pipe !== null) closeSync(pipe.fd);
    const timer = setTimeout(() => stop("timed out"), request.msMax);
    const exitCode = await exitOf(child, capture);
    clearTimeout(timer);
    await means.clear();
    // All writers are dead, so the pipe has an end; without a namespace something may have got away with it.
    await (piped ?? Promise.race([drained(child), sleep(drainMsMax)]));
    return {
      type: "ended",
      id: request.id,
      exitCode: stopped === null ? exitCode : null,
      timedOut: stopped === "timed out",
      cancelled: stopped === "cancelled",
      ms: Math.round(performance.now() - startMs),
      output: capture.text(() => ""),
    };
  }
}

const drainMsMax = 500;
/** The supervisor may not enter the workspace, so the command's own shell does. */
const enterDir = 'cd -- "$1" || exit 126; shift; exec "$@"';

function shell(): readonly string[] {
  return existsSync("/bin/bash") ? ["/bin/bash", "-e", "-c"] : ["/bin/sh", "-e", "-c"];
}

/** Opened for reading first, so that opening it for writing does not wait. */
export function openFifo(path: string): OutputPipe {
  const reader = new Socket({
    fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK),
    readable: true,
    writable: false,
  });
  return { fd: openSync(path, constants.O_WRONLY), reader };
}

function closed(reader: Readable): Promise<void> {
  return new Promise((resolve) => {
    reader.once("close", () => resolve());
    reader.once("error", () => resolve());
  });
}

function exitOf(child: ChildProcess, capture: HeadTail): Promise<number> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : os.signals[signal])));
    child.once("error", (error) => {
      capture.push(Buffer.from(`${error.message}\n`));
      resolve(127);
    });
  });
}

function drained(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.stdout?.closed !== false && child.stderr?.closed !== false) resolve();
    child.once("close", () => resolve());
  });
}
