import type { ChildProcess } from "node:child_process";
import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { familyOf } from "./descendants.ts";

const clearMsMax = 5_000;

/** Kills every process of this namespace but the caller and pid 1; resolves when they are gone. */
export async function clearNamespace(): Promise<void> {
  const deadline = performance.now() + clearMsMax;
  while (true) {
    try {
      // Spares the caller and the namespace's pid 1.
      process.kill(-1, "SIGKILL");
    } catch {
      // ESRCH: there was nobody to kill.
    }
    if (others() === 0) return;
    // What cannot be killed goes with the namespace: the broker learns that the sandbox is lost.
    if (performance.now() > deadline) process.exit(4);
    await sleep(1);
  }
}

function others(): number {
  const own = String(process.pid);
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && name !== "1" && name !== own).length;
}

/** Without a namespace: kills these children and their families; resolves when the children are gone. */
export async function clearGroups(children: ReadonlySet<ChildProcess>): Promise<void> {
  const deadline = performance.now() + clearMsMax;
  while (children.size > 0 && performance.now() < deadline) {
    for (const child of children) killFamily(child);
    await sleep(1);
  }
}

/** The child's group and, because commands have groups of their own, all that descends from it. */
export function killFamily(child: ChildProcess): void {
  if (child.pid === undefined) return;
  for (const pid of familyOf(child.pid).flatMap((one) => [-one, one])) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Gone already, or not the leader of a group.
    }
  }
}
