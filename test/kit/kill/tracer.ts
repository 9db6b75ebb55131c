// strace around a step of the action: it lists what the process does, or kills it when it enters one call.
import { readFileSync } from "node:fs";
import { jobLog, type Point, pathOf, pointsOf, type Surroundings } from "./points.ts";
import { readTrace, type Thread, traced } from "./trace.ts";

/**
 * One thread in libuv's pool, so that the asynchronous file operations of a run are all on that thread and are
 * counted together.
 */
export const oneThread: Readonly<Record<string, string>> = { UV_THREADPOOL_SIZE: "1" };

/**
 * V8's helpers and its steps of garbage collection wake the script's thread hundreds of times in a session, by writes
 * that are counted with all others and come when they come. Without them a count differs by a few from run to run.
 */
export const steadyFlags: readonly string[] = ["--single-threaded", "--no-incremental-marking"];

/**
 * The call to die in. strace counts each thread's calls for itself: for the script's own thread it is told to follow
 * no other, so that the count is that thread's alone; for the pool it follows them all, and the first thread whose
 * count comes to `nth` dies. What a run died of is read from its trace, never taken for granted.
 */
export type Aim = {
  readonly thread: Thread;
  readonly syscall: string;
  readonly nth: number;
  /** The one file that calls are counted for; null for all calls. */
  readonly path: string | null;
};

/**
 * As the reference says. A process wakes itself by writes that come when they come, so the writes to one file are a
 * surer count, and so are the files that it opens.
 */
export function aimAt({ thread, syscall, nth, file, opened }: Point): Aim {
  if (file !== null) return { thread, syscall, nth: file.nth, path: file.path };
  if (opened !== null) return { thread, syscall: "openat", nth: opened, path: null };
  return { thread, syscall, nth, path: null };
}

const common = ["-yy", "-s", "256", "-e", "signal=none", "-e", `trace=${traced.join(",")}`];

/** Children are let go when they start their program: what the tools and git do is no part of the process. */
const allThreads = ["-f", "--detach-on=execve"];

export function listing(file: string): readonly string[] {
  return ["strace", ...allThreads, ...common, "-o", file];
}

export function killing(
  { thread, syscall, nth, path }: Aim,
  file: string,
  around: Surroundings,
): readonly string[] {
  const inject = ["-e", `inject=${syscall}:signal=KILL:when=${nth}`];
  const words = [...(thread === "pool" ? allThreads : []), ...common, ...inject, "-o", file];
  if (path === jobLog) return ["perl", "-e", onOutput, "--", ...words];
  return ["strace", ...words, ...(path === null ? [] : ["-P", pathOf(path, around)])];
}

/**
 * The job log is a socket, whose name is known once the step is about to begin. A shell would leave out the variables
 * of the action's inputs, for the hyphens in their names.
 */
const onOutput = 'exec "strace", "-P", readlink("/proc/self/fd/1"), @ARGV';

export function listed(file: string, around: Surroundings): readonly Point[] {
  return pointsOf(readTrace(readFileSync(file, "utf8")), around);
}

/**
 * The point at which a process died that was killed by this aim; null where the reference does not know it. One that
 * died while it woke itself died after the last operation before, where the next of the reference is entered.
 */
export function diedAt(
  file: string,
  {
    aim,
    around,
    order,
  }: { readonly aim: Aim; readonly around: Surroundings; readonly order: readonly Point[] },
): Point | null {
  const operations = readTrace(readFileSync(file, "utf8"));
  const points = pointsOf(operations, around);
  const at = operations.findLastIndex(
    ({ syscall, nth, result }) => syscall === aim.syscall && nth === aim.nth && result === null,
  );
  if (at >= 0) return points[at] ?? null;
  const seen = order.filter(({ thread }) => aim.thread === "pool" || thread === "own");
  const before = seen.findIndex(({ name }) => name === points.at(-1)?.name);
  return seen[before + 1] ?? null;
}
