import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

export type ProcessStat = {
  readonly parent: number;
  /** In the kernel's ticks since it booted. */
  readonly startedAt: string;
  /** Ended, and only not yet asked for by its parent. */
  readonly isDead: boolean;
};

/** Null when there is no such process, or no /proc to ask. */
export function processStat(pid: number): ProcessStat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold anything; what follows it is counted from the last one.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { parent: Number(fields[1]), startedAt: fields[19] ?? "", isDead: fields[0] === "Z" };
  } catch {
    return null;
  }
}

/** The process itself and all that descends from it, parents first. What gave itself another parent is not found. */
export function familyOf(pid: number): readonly number[] {
  const parents = existsSync("/proc/self/stat") ? parentsInProc() : parentsByPs();
  const members = [pid];
  for (const member of members) {
    for (const [one, parent] of parents) if (parent === member && one !== pid) members.push(one);
  }
  return members;
}

function parentsInProc(): ReadonlyMap<number, number> {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? processStat(Number(name)) : null;
    if (stat !== null) parents.set(Number(name), stat.parent);
  }
  return parents;
}

/** Where there is no /proc there is no sandbox either, and this is the best that can be done. */
function parentsByPs(): ReadonlyMap<number, number> {
  const rows = execFileSync("/bin/ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  return new Map(
    rows.map((row) => {
      const [pid, parent] = row.trim().split(/\s+/).map(Number);
      return [pid ?? 0, parent ?? 0];
    }),
  );
}
