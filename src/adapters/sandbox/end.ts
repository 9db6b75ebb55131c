import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { familyOf, processStat } from "./descendants.ts";
import { systemPath, systemProgram } from "./kind.ts";

/** A process of the host. Pids are used again; with the time of its start it is the same one or none. */
export type SandboxProcess = { readonly pid: number; readonly startedAt: string };

const endMsMax = 1_500;

/** Null when there is no such process, or no way to tell. */
export function sandboxProcess(pid: number): SandboxProcess | null {
  const stat = processStat(pid);
  // Without /proc there is no time of start either; the pid alone is then all there is.
  if (stat === null) return process.platform === "linux" ? null : { pid, startedAt: "" };
  return { pid, startedAt: stat.startedAt };
}

/** Kills a sandbox, from whichever process: all that descends from its outermost one. Nothing when it is gone. */
export async function endSandbox(outermost: SandboxProcess): Promise<void> {
  const deadline = performance.now() + endMsMax;
  while (performance.now() < deadline) {
    const alive = family(outermost);
    if (alive.length === 0) return;
    if (!killAll(alive)) await killAsRoot(alive);
    await sleep(5);
  }
}

function family(outermost: SandboxProcess): readonly number[] {
  const stat = processStat(outermost.pid);
  if (stat === null || stat.startedAt !== outermost.startedAt || stat.isDead) return [];
  return familyOf(outermost.pid);
}

function killAll(pids: readonly number[]): boolean {
  let all = true;
  // Children first: what dies last still has its parent to be found by.
  for (const pid of pids.toReversed()) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EPERM") all = false;
    }
  }
  return all;
}

/** A sandbox made through sudo belongs to root. */
function killAsRoot(pids: readonly number[]): Promise<void> {
  return run("sudo", ["-n", "--", "kill", "-KILL", ...pids.map(String)]).then(() => undefined);
}

/** Removes a directory with all that is in it, also what its owner made unreadable, and what other uids own. */
export async function removeTree(dir: string): Promise<void> {
  if (await run("rm", ["-rf", "--one-file-system", "--", dir])) return;
  // A directory without its rights keeps its own owner out; chmod does not follow links below what it is given.
  await run("chmod", ["-R", "u+rwX", "--", dir]);
  if (await run("rm", ["-rf", "--one-file-system", "--", dir])) return;
  if (await run("sudo", ["-n", "--", "rm", "-rf", "--one-file-system", "--", dir])) return;
  throw new Error(`cannot remove ${dir}: something in it belongs to another user or is mounted`);
}

function run(program: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(systemProgram(program) ?? program, args, {
      stdio: "ignore",
      env: { PATH: systemPath },
    });
    child.once("error", () => resolve(false));
    child.once("close", (code) => resolve(code === 0));
  });
}
