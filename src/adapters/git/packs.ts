import type { Tree } from "../../base/hash.ts";
import { type GitPlace, toleratedByFsck } from "./environment.ts";
import { askGit, runGit } from "./plumbing.ts";

/** A pack of everything in `want` that is in none of `without`. Deltas refer to nothing outside the pack. */
export async function packTrees(
  place: GitPlace,
  { want, without }: { readonly want: readonly Tree[]; readonly without: readonly Tree[] },
): Promise<Uint8Array> {
  const revisions = [...want, ...without.map((tree) => `^${tree}`)];
  return await runGit(place, ["pack-objects", "--revs", "--stdout", "-q", "--threads=1"], {
    input: `${revisions.join("\n")}\n`,
  });
}

/** Stores a pack after git has checked every object in it and that what they name is here. */
export async function unpackTrees(place: GitPlace, pack: Uint8Array): Promise<void> {
  const tolerated = toleratedByFsck.map((name) => `${name}=ignore`).join(",");
  await runGit(place, ["index-pack", "--stdin", `--strict=${tolerated}`], { input: pack });
}

/** Whether `name`, a tree or an expression for one, and everything below it are here. */
export async function isWhole(place: GitPlace, name: string): Promise<boolean> {
  const { code } = await askGit(place, ["rev-list", "--objects", "--quiet", name, "--"]);
  return code === 0;
}
