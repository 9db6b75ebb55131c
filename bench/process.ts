import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** Monotonic milliseconds, on the clock that all processes of this machine share. */
export function now(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}

export type Ended = {
  readonly code: number | null;
  readonly endedAt: number;
  /** The most memory that the process itself held, its children not counted; in KiB. */
  readonly peakKb: number;
};

const pollMs = 20;

/**
 * Waits for a process to end. Its peak is the kernel's own high-water mark (`VmHWM`), read until it is gone; what it
 * gained within the last 20 ms is not seen.
 */
export function endOf(child: ChildProcess): Promise<Ended> {
  let peakKb = 0;
  const poll = setInterval(() => {
    peakKb = Math.max(peakKb, peakOf(child.pid));
  }, pollMs);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      clearInterval(poll);
      resolve({ code, endedAt: now(), peakKb });
    });
  });
}

function peakOf(pid: number | undefined): number {
  try {
    const [, kb] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kb ?? 0);
  } catch {
    return 0;
  }
}

/** The share of the machine's processors that went to anything but this process and what it started. */
export function watchForeign(): () => number {
  const [startedAt, busy, own] = [now(), busySeconds(), ownSeconds()];
  return () => {
    const foreign = busySeconds() - busy - (ownSeconds() - own);
    return Math.max(0, foreign) / ((now() - startedAt) / 1000) / availableParallelism();
  };
}

const ticksPerSecond = 100;

function busySeconds(): number {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  const [user = 0, nice = 0, system = 0, , , irq = 0, soft = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + soft) / ticksPerSecond;
}

/** Its own time and that of every descendant that was waited for. */
function ownSeconds(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const times = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 15);
  return times.reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
}
