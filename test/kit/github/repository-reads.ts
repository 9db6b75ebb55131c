// Reads of the bare repository that several handlers share.
import type { World } from "./world.ts";

export const zeroId = "0".repeat(40);

export type Ref = { readonly name: string; readonly sha: string; readonly type: string };

export type Person = { readonly name: string; readonly email: string; readonly date: string };

export type CommitRecord = {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Person;
  readonly committer: Person;
  readonly message: string;
};

/** Runs git and gives its trimmed output, or nothing when git failed: for questions whose answer may be no. */
export async function ask(world: World, ...args: readonly string[]): Promise<string | undefined> {
  try {
    return (await world.bare.run(args)).toString().trim();
  } catch {
    return undefined;
  }
}

/** All refs whose full name begins with `prefix`. */
export async function refsUnder(world: World, prefix: string): Promise<readonly Ref[]> {
  const output = await world.bare.run(["for-each-ref", "--format=%(refname) %(objectname) %(objecttype)"]);
  const lines = output.toString().split("\n").filter(Boolean);
  return lines.flatMap((line) => {
    const [name = "", sha = "", type = ""] = line.split(" ");
    return name.startsWith(prefix) ? [{ name, sha, type }] : [];
  });
}

export async function refNamed(world: World, name: string): Promise<Ref | undefined> {
  return (await refsUnder(world, name)).find((ref) => ref.name === name);
}

export function branchSha(world: World, branch: string): Promise<string | undefined> {
  return ask(world, "rev-parse", "--verify", "--quiet", `refs/heads/${branch}^{commit}`);
}

/** The commit that a branch name, a tag name or a commit id means; nothing when there is none. */
export async function commitNamed(world: World, name: string): Promise<string | undefined> {
  const candidates = [
    `refs/heads/${name}`,
    `refs/tags/${name}`,
    name.startsWith("refs/") ? name : `refs/${name}`,
  ];
  if (/^[0-9a-f]{40}$/.test(name)) candidates.unshift(name);
  for (const candidate of candidates) {
    const sha = await ask(world, "rev-parse", "--verify", "--quiet", `${candidate}^{commit}`);
    if (sha !== undefined) return sha;
  }
  return undefined;
}

/** Commits as `git log` lists them for the given arguments, newest first. */
export async function readCommits(
  world: World,
  ...args: readonly string[]
): Promise<readonly CommitRecord[]> {
  const format = ["%H", "%T", "%P", "%an", "%ae", "%aI", "%cn", "%ce", "%cI", "%B"].join("%x1f");
  const output = await world.bare.run(["log", "-z", `--format=${format}`, ...args]);
  return output
    .toString()
    .split("\0")
    .filter(Boolean)
    .map((line) => {
      const [
        sha = "",
        tree = "",
        parents = "",
        an = "",
        ae = "",
        ad = "",
        cn = "",
        ce = "",
        cd = "",
        message = "",
      ] = line.split("\x1f");
      return {
        sha,
        tree,
        parents: parents.split(" ").filter(Boolean),
        author: { name: an, email: ae, date: utc(ad) },
        committer: { name: cn, email: ce, date: utc(cd) },
        message: message.replace(/\n+$/, ""),
      };
    });
}

function utc(date: string): string {
  return new Date(date).toISOString().replace(".000Z", "Z");
}
