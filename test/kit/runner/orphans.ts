import { readdir, readFile } from "node:fs/promises";

/**
 * Kills what a job left running, as the real runner does at a job's end: every process that still
 * carries the job's `RUNNER_TRACKING_ID` in its environment. Gives their pids. Linux only.
 */
export async function killOrphans(trackingId: string): Promise<readonly number[]> {
  const killed: number[] = [];
  for (const name of await readdir("/proc").catch(() => [])) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    // A process that ended meanwhile, or that is not ours to read, is none of ours.
    const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    if (!environment.split("\0").includes(`RUNNER_TRACKING_ID=${trackingId}`)) continue;
    if (sendSignal(pid, "SIGKILL")) killed.push(pid);
  }
  return killed;
}

/** False when the process has ended already. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw error;
  }
}
