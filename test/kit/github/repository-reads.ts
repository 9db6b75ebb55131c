// Reads of the bare repository that several handlers share.
import { readLoose, refAt, refsFrom } from "./loose.ts";
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
  const refs = refsFrom(world.bare.path, prefix);
  return Promise.all(
    refs.map(async ([name, sha]) => ({ name, sha, type: (await typeOf(world, sha)) ?? "commit" })),
  );
}

export async function refNamed(world: World, name: string): Promise<Ref | undefined> {
  const sha = refAt(world.bare.path, name);
  return sha === undefined ? undefined : { name, sha, type: (await typeOf(world, sha)) ?? "commit" };
}

export async function typeOf(world: World, sha: string): Promise<string | undefined> {
  if (!/^[0-9a-f]{40}$/.test(sha)) return undefined;
  return readLoose(world.bare.path, sha)?.type ?? ask(world, "cat-file", "-t", sha);
}

export async function branchSha(world: World, branch: string): Promise<string | undefined> {
  return refAt(world.bare.path, `refs/heads/${branch}`);
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

export async function readCommit(world: World, sha: string): Promise<CommitRecord | undefined> {
  const loose = readLoose(world.bare.path, sha);
  if (loose?.type === "commit") return commitIn(sha, loose.bytes.toString());
  if ((await typeOf(world, sha)) !== "commit") return undefined;
  return (await readCommits(world, "-1", sha))[0];
}

function commitIn(sha: string, text: string): CommitRecord {
  const end = text.indexOf("\n\n");
  const heads = text.slice(0, end).split("\n");
  const all = (name: string) =>
    heads.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []));
  const [author = "", committer = "", tree = ""] = ["author", "committer", "tree"].map(
    (name) => all(name)[0],
  );
  return {
    ...{ sha, tree, parents: all("parent") },
    ...{ author: personIn(author), committer: personIn(committer) },
    message: text.slice(end + 2).replace(/\n+$/, ""),
  };
}

function personIn(line: string): Person {
  const [, name = "", email = "", seconds = ""] = /^(.*) <(.*)> (\d+) [+-]\d{4}$/.exec(line) ?? [];
  return { name, email, date: new Date(Number(seconds) * 1000).toISOString().replace(".000Z", "Z") };
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
