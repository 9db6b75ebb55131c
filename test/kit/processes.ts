import { readdirSync, readFileSync } from "node:fs";
import { sendSignal } from "./runner/orphans.ts";

/**
 * The processes that still have to do with a machine: its directory stands in their arguments, or, inside a sandbox,
 * among their mounts. Linux only.
 */
export function processesOf(machine: string): readonly string[] {
  return found(machine).map(({ pid, command }) => `${pid} ${command}`);
}

/** Kills them, as a machine that is switched off ends all that runs on it; resolves when none is left. */
export async function endProcessesOf(machine: string): Promise<void> {
  for (let looks = 0; looks < looksMax; looks += 1) {
    const alive = found(machine);
    if (alive.length === 0) return;
    for (const { pid } of alive) sendSignal(pid, "SIGKILL");
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`cannot end what runs on ${machine}: ${processesOf(machine).join("; ")}`);
}

// Each reads all of /proc, and what was killed is gone after a few of them.
const looksMax = 1_000;

function found(machine: string): readonly { readonly pid: number; readonly command: string }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const command = read(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
      const belongs = command.includes(machine) || read(`/proc/${pid}/mountinfo`).includes(machine);
      return belongs ? [{ pid: Number(pid), command }] : [];
    });
}

/** Empty when the process has ended, or is not ours to read. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
