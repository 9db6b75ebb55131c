import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync } from "node:fs";
import path from "node:path";
import { limits } from "../base/limits.ts";
import { type HeadTail, headTail } from "./head-tail.ts";
import type { OutputPipe } from "./tool.ts";

export type CommandOptions = {
  readonly command: string;
  /** With `prefix` it is entered behind that: this process may not have the right to. */
  readonly cwd: string;
  /** The whole environment; nothing is added. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Live text, at most `liveBytesMax` of it; invalid UTF-8 replaced. */
  readonly onOutput: (text: string) => void;
  /** Put before the shell, such as `setpriv` and its arguments. */
  readonly prefix?: readonly string[];
  /** Opens a pipe for its output, where the caller has one. `fd` is closed here. */
  readonly pipe?: () => OutputPipe;
  /** Said where the output is cut; `kept` is whether all of it stands in `whole`. */
  readonly hint?: (from: {
    readonly line: number;
    readonly column: number;
    readonly kept: boolean;
  }) => string;
};

export type CommandResult = {
  /** Null when it was killed before it could report one. By the shell's convention 128 + n means signal n. */
  readonly exitCode: number | null;
  /** What killed it, where that is known. */
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** Something it had started still held its output after it had ended, and was killed. */
  readonly lingered: boolean;
  /** stdout and stderr in the order they were written; head and tail, at most `modelOutputBytesMax`. */
  readonly output: string;
  /** Up to `storedOutputBytesMax` of it where `output` is cut, else null. */
  readonly whole: string | null;
  /** How many bytes it wrote. */
  readonly bytes: number;
  readonly ms: number;
};

/** How long the output may stay open after the command has ended. */
const drainMs = 2_000;
const liveBytesMax = 1024 * 1024;
/** Left for what a caller says around the output. */
const remarkBytes = 1024;

/**
 * Runs one shell command in a process group of its own, with an empty stdin, and resolves when every process of the
 * group is gone. Throws only when the shell cannot be started. What left the group on purpose (`setsid`) is for the
 * sandbox to end.
 */
export async function runCommand(options: CommandOptions): Promise<CommandResult> {
  const started = performance.now();
  const shown = headTail(limits.modelOutputBytesMax - remarkBytes);
  const stored = headTail(limits.storedOutputBytesMax);
  const ending = await follow(start(options), options, collect([shown, stored], options.onOutput));
  return {
    ...ending,
    output: shown.text((from) => options.hint?.({ ...from, kept: !stored.isCut() }) ?? ""),
    whole: shown.isCut() ? stored.text(() => "") : null,
    bytes: shown.bytes(),
    ms: Math.round(performance.now() - started),
  };
}

/**
 * Both streams go into one real pipe, made by a shell around the command, so that their order is kept and the command
 * can open `/dev/stdout` and `/dev/stderr`; what node makes are sockets, which cannot be opened. `cat` carries it over. The
 * exit code comes by descriptor 3, which the command itself does not see. `sh`, because it is often a smaller one that
 * starts faster than the shell of the command.
 */
const around = '{ "$0" -c -- "$1" 2>&1 3>&-; echo "$?" >&3; } | cat 3>&-';
/** With a pipe of the caller's nothing stands around the command, and its exit code is that of the process. */
const alone = 'exec "$0" -c -- "$1"';
/** A directory that only what stands in front of the shell may enter. */
const enter = 'cd -- "$2" || exit 126; unset OLDPWD; ';

type Started = { readonly child: ChildProcess; readonly pipe: OutputPipe | null };

function start({ command, cwd, env, prefix = [], pipe: open }: CommandOptions): Started {
  const shell = shellIn(env["PATH"] ?? "");
  const pipe = open?.() ?? null;
  const script = `${prefix.length === 0 ? "" : enter}${pipe === null ? around : alone}`;
  const [file = "/bin/sh", ...rest] = [...prefix, "/bin/sh", "-c", script, shell, command, cwd];
  const options = { cwd: prefix.length === 0 ? cwd : "/", env, detached: true };
  if (pipe === null)
    return { child: spawn(file, rest, { ...options, stdio: ["ignore", "pipe", "ignore", "pipe"] }), pipe };
  try {
    return { child: spawn(file, rest, { ...options, stdio: ["ignore", pipe.fd, pipe.fd] }), pipe };
  } finally {
    closeSync(pipe.fd);
  }
}

function shellIn(searchPath: string): string {
  const dirs = [...searchPath.split(":"), "/bin", "/usr/bin"].filter((dir) => path.isAbsolute(dir));
  return dirs.map((dir) => path.join(dir, "bash")).find((file) => existsSync(file)) ?? "/bin/sh";
}

function collect(collectors: readonly HeadTail[], onOutput: (text: string) => void) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let live = liveBytesMax;
  return (chunk: Uint8Array): void => {
    for (const collector of collectors) collector.push(chunk);
    if (live <= 0) return;
    live -= chunk.length;
    const text = decoder.decode(chunk, { stream: true });
    if (text !== "") onOutput(text);
  };
}

type Ending = Pick<CommandResult, "exitCode" | "signal" | "timedOut" | "aborted" | "lingered">;

function follow(
  { child, pipe }: Started,
  { timeoutMs, signal, command }: CommandOptions,
  onChunk: (chunk: Uint8Array) => void,
): Promise<Ending> {
  return new Promise((resolve, reject) => {
    let cause: "timeout" | "abort" | "lingering" | null = null;
    let reported = "";
    let drain: NodeJS.Timeout | undefined;
    const end = (why: "timeout" | "abort" | "lingering"): void => {
      cause ??= why;
      const fault = killGroup(child);
      if (fault !== null) reject(fault);
    };
    const onAbort = (): void => end("abort");
    const timeout = setTimeout(() => end("timeout"), timeoutMs);
    const settle = (): void => {
      clearTimeout(timeout);
      clearTimeout(drain);
      signal.removeEventListener("abort", onAbort);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();

    (pipe?.reader ?? child.stdout)?.on("data", onChunk);
    // The command itself has ended; only what it left behind can still write.
    const onReport = (text: string): void => {
      reported += text;
      clearTimeout(timeout);
      drain ??= setTimeout(() => end("lingering"), drainMs);
    };
    const report = child.stdio[3];
    if (report && "read" in report) report.on("data", (chunk: Buffer) => onReport(chunk.toString("latin1")));
    if (pipe !== null) child.once("exit", (code, killer) => onReport(String(code ?? 128 + numberOf(killer))));
    child.once("error", (error) => {
      settle();
      pipe?.reader.destroy();
      reject(new Error(`cannot start the shell for: ${command.slice(0, 200)}`, { cause: error }));
    });
    closed(child, pipe, (code, killer) => {
      settle();
      const result = reported === "" ? ending(cause, code, killer) : ending(cause, Number(reported), null);
      killGroup(child);
      groupGone(child).then(() => resolve(result), reject);
    });
  });
}

/** Once the process is over and its output is at its end. */
function closed(
  child: ChildProcess,
  pipe: OutputPipe | null,
  then: (code: number | null, killer: NodeJS.Signals | null) => void,
): void {
  const drained = pipe === null ? Promise.resolve() : ended(pipe);
  child.once("close", (code, killer) => void drained.then(() => then(code, killer)));
}

function ended({ reader }: OutputPipe): Promise<void> {
  return new Promise((resolve) => {
    reader.once("close", () => resolve());
    reader.once("error", () => resolve());
  });
}

/** Null when every process of the group was sent the signal or the group is gone; else why that could not be. */
function killGroup(child: ChildProcess): Error | null {
  if (child.pid === undefined) return null;
  try {
    process.kill(-child.pid, "SIGKILL");
    return null;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return null;
    return new Error(`cannot kill process group ${child.pid}`, { cause: error });
  }
}

/**
 * A killed process may take a moment to go. The wait is short: where nobody reaps orphans they stay as zombies, which
 * count as members of the group and can do nothing any more.
 */
async function groupGone({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return;
  for (let waits = 0; waits < 50; waits += 1) {
    try {
      process.kill(-pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const signalNames: Readonly<Record<number, string>> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  4: "SIGILL",
  6: "SIGABRT",
  7: "SIGBUS",
  8: "SIGFPE",
  9: "SIGKILL",
  11: "SIGSEGV",
  13: "SIGPIPE",
  14: "SIGALRM",
  15: "SIGTERM",
  24: "SIGXCPU",
  25: "SIGXFSZ",
  31: "SIGSYS",
};

/** What ended without an exit code was killed, by SIGKILL unless it says otherwise. */
function numberOf(signal: NodeJS.Signals | null): number {
  const found = Object.entries(signalNames).find(([, name]) => name === signal);
  return Number(found?.[0] ?? 9);
}

function ending(
  cause: "timeout" | "abort" | "lingering" | null,
  code: number | null,
  killer: NodeJS.Signals | null,
): Ending {
  const timedOut = cause === "timeout";
  const aborted = cause === "abort";
  const lingered = cause === "lingering";
  if (timedOut || aborted) return { exitCode: null, signal: "SIGKILL", timedOut, aborted, lingered };
  const byConvention = code !== null && code > 128 ? (signalNames[code - 128] ?? null) : null;
  return { exitCode: code, signal: killer ?? byConvention, timedOut, aborted, lingered };
}
