import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseSha, type Sha } from "../../base/hash.ts";
import type { PinTarget } from "../../workspace/workspace.ts";
import { isWhole } from "./packs.ts";
import { askGit } from "./plumbing.ts";
import { fetchRefs, listRefs, type Origin, type Refusal } from "./remote.ts";
import { type Lender, makeRepository, writeRef } from "./repository.ts";

/** History that is fetched, in commits. */
const depth = 50;
/** How far back an authorised commit is looked for when its branch has moved on. */
const depthMax = 1_000;

export type Commits = { readonly kind: "commits"; readonly baseSha: Sha; readonly configSha: Sha };

/** A commit to pin. With `id`, exactly that one. `contains`: only if the ref's history has it. */
type Want = {
  readonly name: "base" | "config";
  readonly ref: string;
  readonly id: Sha | null;
  readonly contains: boolean;
};

/**
 * Gets both commits of the target, with all their files, into a new repository. Objects of `lender` are used where
 * it has them; if they turn out not to be enough, everything is fetched.
 */
export async function pinCommits(
  target: PinTarget,
  origin: Origin,
  lender: Lender | null,
): Promise<Commits | Refusal> {
  const wants = wantsOf(target);
  const unnamed = wants.find(({ ref }) => !isRefName(ref));
  if (unnamed !== undefined) return moved(`${unnamed.ref} is not a name that git allows`);
  if (lender !== null) {
    const lent = await pinLent(wants, origin, lender);
    if (lent !== null) return lent;
  }
  startAfresh(origin, null);
  return await pinFetched(wants, origin, depth);
}

function wantsOf(target: PinTarget): readonly Want[] {
  switch (target.kind) {
    case "branch": {
      const ref = `refs/heads/${target.branch}`;
      return [
        { name: "base", ref, id: target.baseSha, contains: false },
        { name: "config", ref, id: target.configSha, contains: false },
      ];
    }
    case "pull-request":
      return [
        { name: "base", ref: `refs/pull/${target.number}/head`, id: target.headSha, contains: true },
        { name: "config", ref: `refs/heads/${target.baseRef}`, id: target.configSha, contains: false },
      ];
  }
}

/** The rules of git-check-ref-format that matter here: nothing that a refspec gives a meaning, nor a path. */
function isRefName(ref: string): boolean {
  return !/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(\/|$)|[./]$/.test(ref);
}

function moved(why: string): Refusal {
  return { kind: "refused", code: "moved", why };
}

function startAfresh({ place }: Origin, lender: Lender | null): void {
  rmSync(place.gitDir, { recursive: true, force: true });
  makeRepository(place.gitDir, lender === null ? [] : [lender.objects]);
  if (lender === null) return;
  // Where the lender's history ends, ours ends too: otherwise the remote would be told that we have what lies beyond.
  if (lender.shallow !== null) writeFileSync(join(place.gitDir, "shallow"), lender.shallow);
  if (lender.head !== null) writeRef(place.gitDir, "refs/pinned/lender", lender.head);
}

/** Null when the lender is of no use after all. */
async function pinLent(
  wants: readonly Want[],
  origin: Origin,
  lender: Lender,
): Promise<Commits | Refusal | null> {
  startAfresh(origin, lender);
  const open = wants.filter(({ id, contains }) => id === null || contains).map(({ ref }) => ref);
  const tips = open.length === 0 ? new Map<string, Sha>() : await listRefs(origin, [...new Set(open)]);
  if ("kind" in tips) return tips;
  const gone = open.find((ref) => !tips.has(ref));
  if (gone !== undefined) return moved(`${gone} is not at ${origin.remote.url}`);
  const commits = commitsOf(wants, (want) => want.id ?? tips.get(want.ref) ?? null);
  const proven = wants.every((want) => !want.contains || tips.get(want.ref) === want.id);
  if (commits !== null && proven && (await areWhole(commits, origin))) return commits;
  const fetched = await pinFetched(
    wants,
    origin,
    lender.shallow === null && lender.head !== null ? null : depth,
  );
  if (fetched.kind === "refused") return fetched.code === "moved" ? fetched : null;
  return (await areWhole(fetched, origin)) ? fetched : null;
}

async function areWhole({ baseSha, configSha }: Commits, { place }: Origin): Promise<boolean> {
  for (const id of new Set([baseSha, configSha])) if (!(await isWhole(place, `${id}^{tree}`))) return false;
  return true;
}

async function pinFetched(
  wants: readonly Want[],
  origin: Origin,
  depth: number | null,
): Promise<Commits | Refusal> {
  const byId = (want: Want) => (want.contains ? want.ref : (want.id ?? want.ref));
  const first = await fetchRefs(origin, refspecs(wants, byId), depth);
  // A server may give out commits by the name of a ref only.
  const byRef = first?.code === "moved" && wants.some((want) => byId(want) !== want.ref);
  const refusal = byRef
    ? await fetchRefs(
        origin,
        refspecs(wants, (want) => want.ref),
        depth,
      )
    : first;
  if (refusal !== null) return refusal;
  for (const want of wants) {
    const lost = await notInHistory(want, origin);
    if (lost !== null) return lost;
  }
  const commits = commitsOf(wants, (want) => want.id ?? tipOf(want, origin));
  return commits ?? moved(`${origin.remote.url} did not send what was asked for`);
}

function refspecs(wants: readonly Want[], source: (want: Want) => string): readonly string[] {
  return wants.map((want) => `+${source(want)}:refs/pinned/${want.name}`);
}

/** Null when the commit is what the ref names or lies in its history; looks further back before it refuses. */
async function notInHistory(want: Want, origin: Origin): Promise<Refusal | null> {
  const { id } = want;
  if (id === null || tipOf(want, origin) === id) return null;
  const isThere = async () => {
    const { code } = await askGit(origin.place, [
      "merge-base",
      "--is-ancestor",
      id,
      `refs/pinned/${want.name}`,
    ]);
    return code === 0;
  };
  if (await isThere()) return null;
  const refusal = await fetchRefs(
    origin,
    refspecs([want], ({ ref }) => ref),
    depthMax,
  );
  if (refusal !== null) return refusal;
  if (await isThere()) return null;
  return moved(`commit ${id} is not in the last ${depthMax} commits of ${want.ref}`);
}

function tipOf(want: Want, { place }: Origin): Sha | null {
  return parseSha(readFileSync(join(place.gitDir, "refs/pinned", want.name), "utf8").trim());
}

function commitsOf(wants: readonly Want[], idOf: (want: Want) => Sha | null): Commits | null {
  const [baseSha, configSha] = wants.map(idOf);
  if (!baseSha || !configSha) return null;
  return { kind: "commits", baseSha, configSha };
}
