import type { GitPlace } from "../adapters/git/environment.ts";
import { branchHead, currentBranch } from "../adapters/git/local-repository.ts";
import type { Sha } from "../base/hash.ts";
import type { LocalOrders } from "./local-orders.ts";

/**
 * Check 10 of a resume on this machine. A session that began on what was checked out goes on only while that still is
 * what it was, or when a person says that it does not matter. Null when nothing moved, else a sentence.
 */
export async function whyHeadMoved(
  { base, head, repository }: Pick<LocalOrders, "base" | "head" | "repository">,
  baseSha: Sha,
  place: GitPlace,
): Promise<string | null> {
  if (head === null) return null;
  const branch = await currentBranch(place);
  const at = branch === null ? null : await branchHead(place, branch);
  if (branch === head && at === baseSha) return null;
  const began = `${repository} had ${head} checked out at ${short(baseSha)} when this session began`;
  const goOn = `resume it with --base ${base} to go on from ${short(baseSha)} all the same`;
  if (branch === head)
    return `${began}, and ${head} is at ${at === null ? "no commit" : short(at)} now; ${goOn}`;
  const now = branch === null ? "no branch" : branch;
  return `${began}, and has ${now} checked out now; check out ${head} again, or ${goOn}`;
}

function short(sha: Sha): string {
  return sha.slice(0, 12);
}
