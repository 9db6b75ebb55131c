import { spawn } from "node:child_process";
import { type GitPlace, gitEnvironment } from "./environment.ts";

const errorBytesMax = 4_000;

export type GitAnswer = {
  readonly code: number;
  readonly stdout: Buffer;
  /** Git was ended because it printed more than it may; `stdout` holds as much as came until then. */
  readonly isCut: boolean;
  /** The beginning of what git said, for messages. */
  readonly stderr: string;
};

/**
 * Runs git with bytes on its standard input, which simple-git has no way to do for commands that read while they
 * write. Resolves with the exit code, whatever it is; rejects when git cannot be started or the signal aborts.
 */
export function askGit(
  place: GitPlace,
  args: readonly string[],
  options: {
    readonly input?: Uint8Array | string;
    readonly outputBytesMax?: number;
    readonly signal?: AbortSignal;
  } = {},
): Promise<GitAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<GitAnswer>();
  const child = spawn("git", args, {
    cwd: place.home,
    env: gitEnvironment(place),
    stdio: "pipe",
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const output: Buffer[] = [];
  let bytes = 0;
  let isCut = false;
  let stderr = "";
  child.stdout.on("data", (part: Buffer) => {
    if (isCut) return;
    output.push(part);
    bytes += part.length;
    isCut = bytes > (options.outputBytesMax ?? Number.POSITIVE_INFINITY);
    if (isCut) child.kill("SIGKILL");
  });
  child.stderr.on("data", (part: Buffer) => {
    if (stderr.length < errorBytesMax) stderr += part.toString();
  });
  // Git may end before it has read everything; why is in its exit code.
  child.stdin.on("error", () => {});
  child.stdin.end(options.input ?? "");
  child.on("error", (cause) => reject(new Error(`cannot run git ${args[0]}`, { cause })));
  child.on("close", (code) =>
    resolve({ code: code ?? 1, stdout: Buffer.concat(output), isCut, stderr: stderr.trim() }),
  );
  return promise;
}

/** The same for commands that are not expected to fail: throws with what git said. */
export async function runGit(...call: Parameters<typeof askGit>): Promise<Buffer> {
  const { code, stdout, stderr } = await askGit(...call);
  if (code !== 0)
    throw new Error(`git ${call[1].join(" ")} ended with ${code} in ${call[0].gitDir}: ${stderr}`);
  return stdout;
}
