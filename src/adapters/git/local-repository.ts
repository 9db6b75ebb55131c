import { dirname, resolve } from "node:path";
import { parseSha, type Sha } from "../../base/hash.ts";
import type { GitPlace } from "./environment.ts";
import { askGit } from "./plumbing.ts";
import { gitDirOf } from "./repository.ts";

/** `path` is the top of the work tree, or a bare repository. */
export type LocalRepository = { readonly path: string; readonly gitDir: string };

/** The repository that `dir` lies in, looked for upwards; null when there is none. Git is not run. */
export function findRepository(dir: string): LocalRepository | null {
  for (let path = resolve(dir); ; path = dirname(path)) {
    const gitDir = gitDirOf(path);
    if (gitDir !== null) return { path, gitDir };
    if (path === dirname(path)) return null;
  }
}

/** The branch that HEAD names; null when it is detached. */
export async function currentBranch(place: GitPlace): Promise<string | null> {
  const { code, stdout } = await askGit(place, ["symbolic-ref", "--quiet", "HEAD"]);
  const ref = stdout.toString("utf8").trim();
  return code === 0 && ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : null;
}

/** Null when there is no such branch. */
export async function branchHead(place: GitPlace, branch: string): Promise<Sha | null> {
  const name = `refs/heads/${branch}^{commit}`;
  const { code, stdout } = await askGit(place, [
    "rev-parse",
    "--verify",
    "--quiet",
    "--end-of-options",
    name,
  ]);
  return code === 0 ? parseSha(stdout.toString("latin1").trim()) : null;
}
