// strace around a step of the action: it lists what the process does, or kills it when it enters one call.
import { existsSync, readFileSync } from "node:fs";
import {
  jobLog,
  type Point,
  pathOf,
  pointsOf,
  type RecordName,
  type Surroundings,
  sessionLog,
} from "./points.ts";
import { stopAndAim } from "./stop-and-aim.ts";
import { isRecord, readTrace, type Thread, traced } from "./trace.ts";

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
  /** The record of the run's log from which on calls are counted; null to count from the start. */
  readonly behind: RecordName | null;
};

/**
 * As the reference says. A process wakes itself by writes that come when they come, and how often it asks for a file
 * depends on how fast the machine is: a count over a whole run is seldom the same twice. The writes to one file are
 * sure; for everything else the record is found first, which is a write to one file, and the few calls behind it are
 * counted from there.
 */
export function aimAt({ thread, syscall, nth, file, opens, isOpened, record, since }: Point): Aim {
  const counts = isOpened ? { all: opens, few: since.opens } : { all: nth, few: since.nth };
  const { all, few } = file === null ? counts : { all: file.nth, few: file.since };
  const path = file?.path ?? null;
  const fromRecord = record !== null && path !== sessionLog;
  const count = fromRecord ? { nth: few, behind: record } : { nth: all, behind: null };
  return { thread, syscall: isOpened ? "openat" : syscall, ...count, path };
}

const common = ["-yy", "-s", "256", "-e", "signal=none", "-e", `trace=${traced.join(",")}`];

/** Children are let go when they start their program: what the tools and git do is no part of the process. */
const allThreads = ["-f", "--detach-on=execve"];

export function listing(file: string): readonly string[] {
  return ["strace", ...allThreads, ...common, "-o", file];
}

export function killing(
  { thread, syscall, nth, path, behind }: Aim,
  file: string,
  around: Surroundings,
): readonly string[] {
  const inject = ["-e", `inject=${syscall}:signal=KILL:when=${nth}`];
  const log = pathOf(sessionLog, around);
  // Between the record and what is aimed at no other is written, so seeing those too changes no count.
  const paths = path === null ? [] : [...new Set([log, pathOf(path, around)])].flatMap((one) => ["-P", one]);
  const words = [...(thread === "pool" ? allThreads : []), ...common, ...inject, ...paths, "-o", file];
  if (behind !== null) return stopAndAim({ file, log, record: behind, words });
  if (path === jobLog) return ["perl", "-e", onOutput, "--", ...words];
  return ["strace", ...words];
}

/**
 * The job log is a socket, whose name is known once the step is about to begin. A shell would leave out the variables
 * of the action's inputs, for the hyphens in their names.
 */
const onOutput = `exec "strace", map { $_ eq "${jobLog}" ? readlink("/proc/self/fd/1") : $_ } @ARGV`;

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
  const { records, operations } = traceOf(file, aim);
  const points = pointsOf([...records, ...operations], around).slice(records.length);
  const at = operations.findLastIndex(
    ({ syscall, nth, result }) => syscall === aim.syscall && nth === aim.nth && result === null,
  );
  if (at >= 0) return points[at] ?? null;
  const last = points.at(-1) ?? pointsOf(records, around).at(-1);
  const seen = order.filter(({ thread }) => aim.thread === "pool" || thread === "own");
  const before = seen.findIndex(({ name }) => name === last?.name);
  return seen[before + 1] ?? null;
}

/** The records that were written before the aim was taken, and what came then. */
function traceOf(file: string, { behind }: Aim) {
  const read = (name: string): string => (existsSync(name) ? readFileSync(name, "utf8") : "");
  if (behind === null) return { records: [], operations: readTrace(read(file)) };
  const records = readTrace(read(`${file}.records`)).filter(isRecord);
  return { records, operations: readTrace(read(file), read(`${file}.thread`)) };
}
