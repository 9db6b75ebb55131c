import { readdirSync, readFileSync } from "node:fs";

/**
 * The processes that still have to do with a machine: its directory stands in their arguments, or, inside a sandbox,
 * among their mounts. Linux only.
 */
export function processesOf(machine: string): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const command = read(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
      const belongs = command.includes(machine) || read(`/proc/${pid}/mountinfo`).includes(machine);
      return belongs ? [`${pid} ${command}`] : [];
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
