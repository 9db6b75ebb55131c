import { parseSha, type Sha } from "../../base/hash.ts";
import { HostUnavailable } from "../../delivery/host.ts";
import type { SessionId } from "../../session/id.ts";
import type { Claimed, Lease, Leases } from "../../session/leases.ts";
import { aliveAtGitHub } from "./alive.ts";
import { type No, untilAnswered } from "./client.ts";
import { leaseText, parseLease } from "./lease-text.ts";
import type { Place } from "./place.ts";
import { cannotTell, isAbsent, refusalOf } from "./refusal.ts";

/**
 * One ref per generation, `refs/agent/<session>/<gen>`; making it is the claim, because GitHub makes a ref only where
 * there is none. It points to a commit whose message names the holder.
 */
export function githubLeases(place: Place): Leases {
  return {
    claim: (lease, { signal }) => claim(place, lease, signal),
    holders: async (session, { signal }) => {
      const leases: Lease[] = [];
      for (const ref of await refsOf(place, session, signal)) {
        const lease = parseLease(await messageAt(place, ref.sha, signal));
        if (lease === null || lease.session !== session || lease.gen !== ref.gen)
          throw new Error(`refs/agent/${session}/${ref.gen} is not a lease; somebody made it by hand`);
        leases.push(lease);
      }
      return leases;
    },
    alive: (run, { signal }) => aliveAtGitHub(place, run, signal),
    // The oldest first: whoever dies in between leaves the newest, by which the session is known to have been held.
    release: async (session, { from, to, signal }) => {
      for (const { gen } of await refsOf(place, session, signal))
        if (gen >= from && gen <= to) await remove(place, session, gen, signal);
    },
  };
}

async function claim(place: Place, lease: Lease, signal: AbortSignal): Promise<Claimed> {
  const { client, owner, repo } = place;
  const commit = await commitOf(place, leaseText(lease), signal);
  if (typeof commit !== "string") return unavailable(commit);
  const ref = `refs/agent/${lease.session}/${lease.gen}`;
  const made = await client.ask(
    (request) => client.rest.git.createRef({ owner, repo, ref, sha: commit, request }),
    { signal },
  );
  if (made.kind === "ok") return { kind: "claimed" };
  const { code } = refusalOf(made, "contents: write");
  if (code !== "exists" && code !== "unavailable") return { kind: "unavailable", why: made.why };
  // Either somebody was first or our own request got through and its answer did not. The commit tells: its time and
  // text make its id ours, unless the very same run and job claimed the same thing in the same second.
  const holder = (await refsOf(place, lease.session, signal)).find(({ gen }) => gen === lease.gen);
  if (holder) return holder.sha === commit && code !== "exists" ? { kind: "claimed" } : { kind: "lost" };
  throw new HostUnavailable(`cannot claim ${ref}: ${made.why}`);
}

function unavailable(no: No): Claimed {
  const { code, why } = refusalOf(no, "contents: write");
  // Without that permission no branch could be written in the end either.
  if (code === "unavailable" || code === "forbidden")
    throw cannotTell("write a lease", no, "contents: write");
  return { kind: "unavailable", why };
}

/**
 * The commit holds its own message as a file: GitHub refuses to make an empty tree, and does not document whether it
 * takes one that it was never given.
 */
async function commitOf(place: Place, text: string, signal: AbortSignal): Promise<Sha | No> {
  const { client, owner, repo } = place;
  const entry = { path: "lease.json", mode: "100644", type: "blob", content: text } as const;
  const tree = await untilAnswered(place, () =>
    client.ask((request) => client.rest.git.createTree({ owner, repo, tree: [entry], request }), { signal }),
  );
  if (tree.kind === "no") return tree;
  const made = { owner, repo, message: text, tree: tree.data.sha, parents: [] };
  const commit = await untilAnswered(place, () =>
    client.ask((request) => client.rest.git.createCommit({ ...made, request }), { signal }),
  );
  if (commit.kind === "no") return commit;
  const sha = parseSha(commit.data.sha);
  if (sha === null) throw new Error("GitHub names the commit just made by something that is no commit id");
  return sha;
}

type LeaseRef = { readonly gen: number; readonly sha: string };

/** Oldest generation first. */
async function refsOf(
  { client, owner, repo }: Place,
  session: SessionId,
  signal: AbortSignal,
): Promise<readonly LeaseRef[]> {
  const prefix = `agent/${session}/`;
  const answer = await client.ask(
    (request) => client.rest.git.listMatchingRefs({ owner, repo, ref: prefix, request }),
    { signal },
  );
  if (answer.kind === "no") {
    if (isAbsent(answer)) return [];
    throw cannotTell(`read the leases of ${session}`, answer, "contents: write");
  }
  return answer.data
    .filter(({ ref }) => ref.startsWith(`refs/${prefix}`))
    .map(({ ref, object }) => ({ gen: genOf(ref), sha: object.sha }))
    .sort((a, b) => a.gen - b.gen);
}

function genOf(ref: string): number {
  const text = ref.slice(ref.lastIndexOf("/") + 1);
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`${ref} is not a lease; somebody made it by hand`);
  return Number(text);
}

async function messageAt({ client, owner, repo }: Place, sha: string, signal: AbortSignal): Promise<string> {
  const answer = await client.ask(
    (request) => client.rest.git.getCommit({ owner, repo, commit_sha: sha, request }),
    { signal },
  );
  if (answer.kind === "no") throw cannotTell(`read the lease ${sha}`, answer);
  return answer.data.message;
}

async function remove(
  { client, owner, repo }: Place,
  session: SessionId,
  gen: number,
  signal: AbortSignal,
): Promise<void> {
  const ref = `agent/${session}/${gen}`;
  const removed = await client.ask((request) => client.rest.git.deleteRef({ owner, repo, ref, request }), {
    signal,
  });
  if (removed.kind === "ok" || isAbsent(removed) || /does not exist/i.test(removed.why)) return;
  throw cannotTell(`remove the lease ${ref}`, removed);
}
