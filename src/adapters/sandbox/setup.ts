import { limits } from "../../base/limits.ts";
import { openSandbox, type SandboxGround, type SandboxPlace } from "./open.ts";

export type SetupRun = {
  readonly command: string;
  /** Null when it was killed: by the time limit or by the abort. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly ms: number;
  /** Head and tail, at most `modelOutputBytesMax`. Untrusted. */
  readonly output: string;
};

/**
 * Runs the maintainer's setup commands one after the other on the untouched base, with the network of the host and
 * nothing else of it. Stops after the first that does not end with 0, and at the abort; the list holds what was
 * begun. `minutes` bounds each. Throws `SandboxLost` when there is no sandbox to run in.
 */
export async function runSetup(
  options: SandboxGround & SandboxPlace,
  commands: readonly string[],
  { minutes, signal }: { readonly minutes: number; readonly signal: AbortSignal },
): Promise<readonly SetupRun[]> {
  if (commands.length === 0) return [];
  await using sandbox = await openSandbox({ ...options, network: "host", tools: false });
  const runs: SetupRun[] = [];
  for (const command of commands) {
    if (signal.aborted) break;
    const msMax = Math.round(minutes * 60_000);
    const { exitCode, timedOut, ms, output } = await sandbox.ask(
      { type: "command", command, dir: "", msMax, outputBytesMax: limits.modelOutputBytesMax },
      { signal },
    );
    runs.push({ command, exitCode, timedOut, ms, output });
    if (exitCode !== 0) break;
  }
  return runs;
}
