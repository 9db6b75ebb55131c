// Reads what strace wrote of one node process: its operations, in the order in which they were entered.

/** The calls that somebody else can see the effect of, or that change a file. The rest of a process is its own. */
export const watched: readonly string[] = [
  ...["write", "writev", "pwrite64", "pwritev", "pwritev2", "sendto", "sendmsg", "sendmmsg", "sendfile"],
  ...["fsync", "fdatasync", "ftruncate", "truncate", "copy_file_range"],
  ...["rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "mkdir", "mkdirat"],
  ...["connect", "clone", "clone3", "fork", "vfork"],
];

/**
 * Watched too, but no operations: they tell which pipes are the process's own, what a child became, and how many files
 * were opened before one was written to.
 */
const context = ["pipe", "pipe2", "execve", "openat"];

export const traced: readonly string[] = [...watched, ...context];

/**
 * `own` is the thread that runs the script, `pool` any other thread: with one thread in the pool, and V8's helpers
 * touching nothing that is watched, that is the thread of the asynchronous file operations.
 */
export type Thread = "own" | "pool";

export type Operation = {
  readonly thread: Thread;
  readonly syscall: string;
  /** How many calls of this name the thread had entered with it, from 1; what strace counts. */
  readonly nth: number;
  /** How many times the thread had called `openat` before. */
  readonly opens: number;
  /** How many records had been written to the log before. */
  readonly behind: number;
  /** `nth` and `opens` counted from the last of them only. */
  readonly since: { readonly nth: number; readonly opens: number };
  /** The arguments as strace prints them, cut at its limit. */
  readonly args: string;
  /** Null where it was never seen to return: the process died in it. */
  readonly result: string | null;
  /** For a spawn: the program and its first argument; empty where that was not seen. */
  readonly child: string;
};

type Open = { -readonly [Name in keyof Operation]: Operation[Name] } & { readonly tid: string };

/**
 * With `-f` each line begins with the thread's id; without it there is one thread. Of a process that was traced from
 * its start the first line is the script's thread's; otherwise `joined` names that thread, and the pipes that the
 * process made for itself before are not known: it has no others.
 */
export function readTrace(text: string, joined: string | null = null): readonly Operation[] {
  const lines = text.split("\n").flatMap((line) => lineOf(line) ?? []);
  const first = lines[0]?.tid ?? "";
  const main = joined === null || first === "" ? first : joined;
  const reading: Reading = {
    main,
    threads: new Set([main]),
    children: new Map(),
    counts: new Map(),
    last: { behind: 0, counts: new Map() },
    pipes: joined === null ? new Set() : null,
    ops: [],
  };
  for (const line of lines) take(reading, line);
  return reading.ops.filter((op) => !isOwnBusiness(op, reading.pipes)).map(({ tid: _, ...op }) => op);
}

type Line =
  | {
      readonly tid: string;
      readonly kind: "entered";
      readonly syscall: string;
      readonly args: string;
      readonly result: string | null;
    }
  | {
      readonly tid: string;
      readonly kind: "resumed";
      readonly syscall: string;
      readonly result: string | null;
    };

function lineOf(line: string): Line | null {
  const [, tid = "", rest = ""] = /^(?:(\d+)\s+)?(.*)$/.exec(line) ?? [];
  const resumed = /^<\.\.\. (\w+) resumed>.*\)\s+= (.*)$/.exec(rest);
  if (resumed !== null)
    return { tid, kind: "resumed", syscall: resumed[1] ?? "", result: resultOf(resumed[2]) };
  const entered = /^(\w+)\((.*)$/.exec(rest);
  if (entered === null) return null;
  const [, syscall = "", tail = ""] = entered;
  const ended = /^(.*)\)\s+= (.*)$/.exec(tail);
  return { tid, kind: "entered", syscall, args: ended?.[1] ?? tail, result: resultOf(ended?.[2]) };
}

function resultOf(text: string | undefined): string | null {
  return text === undefined || text.startsWith("?") ? null : text;
}

type Reading = {
  readonly main: string;
  readonly threads: Set<string>;
  /** Spawns by the child's id, to be told what it became. */
  readonly children: Map<string, Open>;
  readonly counts: Map<string, number>;
  /** The counts when the last record was written. */
  last: { readonly behind: number; readonly counts: ReadonlyMap<string, number> };
  /** Inodes of pipes that the process made for itself; null for all. */
  readonly pipes: Set<string> | null;
  readonly ops: Open[];
};

function take(reading: Reading, line: Line): void {
  if (line.kind === "resumed") resume(reading, line);
  else if (line.syscall === "execve") name(reading, line.tid, line.args);
  else enter(reading, line);
}

function enter(reading: Reading, { tid, syscall, args, result }: Extract<Line, { kind: "entered" }>): void {
  const isThread = syscall === "clone3" && args.includes("CLONE_THREAD");
  if (isThread && result !== null) reading.threads.add(idIn(result));
  const key = `${tid} ${syscall}`;
  const nth = (reading.counts.get(key) ?? 0) + 1;
  reading.counts.set(key, nth);
  // A child is no part of the process any more, and a thread's first call may be seen before its making is.
  if (reading.children.has(tid)) return;
  if (syscall.startsWith("pipe"))
    for (const inode of args.matchAll(/pipe:\[(\d+)\]/g)) reading.pipes?.add(inode[1] ?? "");
  if (!watched.includes(syscall) || isThread) return;
  const thread: Thread = tid === reading.main ? "own" : "pool";
  const { behind, counts: before } = reading.last;
  const opens = reading.counts.get(`${tid} openat`) ?? 0;
  const since = { nth: nth - (before.get(key) ?? 0), opens: opens - (before.get(`${tid} openat`) ?? 0) };
  const op: Open = { tid, thread, syscall, nth, opens, behind, since, args, result, child: "" };
  reading.ops.push(op);
  if (isRecord(op)) reading.last = { behind: behind + 1, counts: new Map(reading.counts) };
  if (isSpawn(op) && result !== null) reading.children.set(idIn(result), op);
}

function resume(reading: Reading, { tid, syscall, result }: Extract<Line, { kind: "resumed" }>): void {
  const op = reading.ops.findLast((one) => one.tid === tid && one.syscall === syscall);
  if (op === undefined || result === null) return;
  op.result = result;
  if (isSpawn(op)) reading.children.set(idIn(result), op);
}

function name({ children }: Reading, tid: string, args: string): void {
  const spawn = children.get(tid);
  if (spawn === undefined) return;
  const words = [...args.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1] ?? "");
  const [path = "", , ...rest] = words;
  spawn.child = [path.split("/").at(-1) ?? "", rest.find((word) => !word.startsWith("-")) ?? ""]
    .join(" ")
    .trim();
}

/** A line of the session's log: the only file of the process that gets one write for each thing that happened. */
export function isRecord({ syscall, args }: Pick<Operation, "syscall" | "args">): boolean {
  return syscall === "write" && /^\d+<[^>]*\/events\.jsonl>/.test(args);
}

export function isSpawn({ syscall }: Pick<Operation, "syscall">): boolean {
  return ["clone", "clone3", "fork", "vfork"].includes(syscall);
}

function idIn(result: string): string {
  return /^\d+/.exec(result)?.[0] ?? "";
}

/**
 * Left out, because nobody outside can tell whether they happened: a process wakes itself through an eventfd or a
 * pipe of its own, and what failed changed nothing. A connection that is under way is no failure.
 */
function isOwnBusiness({ args, result }: Operation, pipes: ReadonlySet<string> | null): boolean {
  if (args.includes("anon_inode:[eventfd]")) return true;
  const pipe = /^\d+<pipe:\[(\d+)\]>/.exec(args)?.[1];
  if (pipe !== undefined && (pipes === null || pipes.has(pipe))) return true;
  return result?.startsWith("-1 ") === true && !result.includes("EINPROGRESS");
}
