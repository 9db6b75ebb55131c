import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { gitWorkspaces } from "../../../src/adapters/git/workspaces.ts";
import type { Sha } from "../../../src/base/hash.ts";
import type { PinTarget } from "../../../src/workspace/workspace.ts";
import { gitEnvironment } from "../../kit/git-server.ts";
import {
  emptyRepository,
  git,
  type RepositoryServer,
  serveRepositories,
  temporaryFolder,
} from "../../kit/repositories.ts";

const run = promisify(execFile);
export const path = process.env["PATH"] ?? "";
export const never = new AbortController().signal;
export const mainBranch: Extract<PinTarget, { kind: "branch" }> = {
  kind: "branch",
  branch: "main",
  baseSha: null,
  configSha: null,
};

type Ground = AsyncDisposable & {
  readonly folder: string;
  readonly repository: string;
  readonly server: RepositoryServer;
  readonly pin: (
    target: PinTarget,
    options?: { borrowFrom?: string; token?: string; dir?: string; signal?: AbortSignal; url?: string },
  ) => ReturnType<ReturnType<typeof gitWorkspaces>["pin"]>;
};

export async function ground(options: { token?: string } = {}): Promise<Ground> {
  const stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(temporaryFolder());
  const repository = emptyRepository(join(folder, "served/o/r.git"));
  const server = stack.use(await serveRepositories(join(folder, "served"), options));
  return {
    folder,
    repository,
    server,
    pin: async (target, { borrowFrom = null, token = null, dir = "private", signal = never, url } = {}) => {
      const pinned = await gitWorkspaces({
        remote: { url: url ?? `${server.url}/o/r.git`, token },
        dir: join(folder, dir),
        borrowFrom,
        path,
      }).pin(target, { signal });
      if (pinned.kind === "pinned") stack.use(pinned.workspace);
      return pinned;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export function pull(headSha: string, over: { configSha?: string } = {}): PinTarget {
  const configSha = (over.configSha ?? null) as Sha | null;
  return { kind: "pull-request", number: 7, headSha: headSha as Sha, baseRef: "main", configSha };
}

/** Adds commits that each change `file.txt`, and returns all of them, the oldest first. */
export function history(repository: string, length: number, ref = "refs/heads/main"): string[] {
  const tip = git(repository, ["for-each-ref", "--format=%(objectname)", ref]);
  const data = (text: string) => `data ${text.length}\n${text}\n`;
  const commits = Array.from({ length }, (_, at) => {
    const from = at === 0 && tip !== "" ? `from ${tip}\n` : "";
    const head = `commit ${ref}\ncommitter Octo Seed <seed@example.com> ${1_700_000_000 + at} +0000\n`;
    return `${head}${data("Change")}${from}M 100644 inline file.txt\n${data(`${ref} ${at}\n`)}\n`;
  });
  git(repository, ["fast-import", "--quiet"], { input: commits.join("") });
  const range = tip === "" ? ref : `${tip}..${ref}`;
  return git(repository, ["rev-list", "--reverse", range]).split("\n");
}

/** Not waiting in a blocking way: the server that is cloned from runs in this process. */
export async function clone(from: string, to: string, ...options: readonly string[]): Promise<string> {
  await run("git", ["clone", "--quiet", ...options, from, to], { env: gitEnvironment() });
  return to;
}
