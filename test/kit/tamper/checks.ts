// Checks that really run: the tree's files in a directory of their own, and the command in a process group.
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { limits } from "../../../src/base/limits.ts";
import type { Check, CheckRun, Checks } from "../../../src/gate/checks.ts";
import { headTail } from "../../../src/tools/head-tail.ts";
import type { MemoryMachine } from "../race/memory-workspace.ts";
import { temporaryFolder } from "../repositories.ts";

/** What ran before on the same files came out the same, so each check of each tree runs once in a process. */
const known = new Map<string, Promise<CheckRun>>();
const msMax = 60_000;

export function realChecks(machine: MemoryMachine): Checks {
  return {
    checkout: async (tree) => ({
      run: (check) => {
        const key = `${tree} ${check.run}`;
        const run = known.get(key) ?? runIn(machine.trees.get(tree) ?? new Map(), check);
        known.set(key, run);
        return run;
      },
      [Symbol.asyncDispose]: async () => undefined,
    }),
  };
}

async function runIn(files: ReadonlyMap<string, string>, check: Check): Promise<CheckRun> {
  using folder = temporaryFolder();
  for (const [path, text] of files) {
    const place = join(folder.path, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
    if (text.startsWith("#!")) chmodSync(place, 0o755);
  }
  const startMs = performance.now();
  const capture = headTail(limits.modelOutputBytesMax);
  const path = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const child = spawn("/bin/sh", ["-e", "-c", check.run], {
    cwd: join(folder.path, check.dir),
    env: { PATH: path, HOME: folder.path, TMPDIR: folder.path, CI: "true" },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  child.stdout.on("data", (chunk: Buffer) => capture.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => capture.push(chunk));
  const timer = setTimeout(() => endGroup(child.pid), msMax);
  const exitCode = await new Promise<number | null>((resolve) => {
    child.once("exit", (code) => {
      endGroup(child.pid);
      child.once("close", () => resolve(code));
    });
  });
  clearTimeout(timer);
  const ms = Math.round(performance.now() - startMs);
  return { exitCode, timedOut: false, cancelled: false, ms, output: capture.text(() => "") };
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // The group has ended by itself.
  }
}
