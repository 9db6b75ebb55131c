import { parseSha } from "../../base/hash.ts";
import type { HostThread } from "../../delivery/host.ts";
import type { Place } from "./place.ts";
import { cannotTell, isAbsent } from "./refusal.ts";

export type RepositoryFacts = {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly defaultBranch: string;
  readonly private: boolean;
  readonly archived: boolean;
};

/** Null when there is no such repository for this token. Throws `HostUnavailable`. */
export async function repositoryFacts(place: Place): Promise<RepositoryFacts | null> {
  const { client, owner, repo, signal } = place;
  const answer = await client.ask((request) => client.rest.repos.get({ owner, repo, request }), { signal });
  if (answer.kind === "no") {
    if (isAbsent(answer)) return null;
    throw cannotTell(`read the repository ${owner}/${repo}`, answer);
  }
  const { data } = answer;
  return {
    id: data.id,
    owner: data.owner.login,
    name: data.name,
    defaultBranch: data.default_branch,
    private: data.private,
    archived: data.archived,
  };
}

/** The issue or pull request, or null when this repository has none (any more): deleted, transferred, issues off. */
export async function threadFacts(place: Place, number: number): Promise<HostThread | null> {
  const { client, owner, repo, signal } = place;
  const answer = await client.ask(
    (request) => client.rest.issues.get({ owner, repo, issue_number: number, request }),
    { signal },
  );
  if (answer.kind === "no") {
    if (isAbsent(answer)) return null;
    throw cannotTell(`read #${number}`, answer, "issues: write");
  }
  const { data } = answer;
  // The answer for a transferred issue is a redirect that is followed to its new repository, which is not ours.
  if (!isHere(data.repository_url, place)) return null;
  const ends = data.pull_request === undefined ? null : await pullEnds(place, number);
  return {
    number: data.number,
    kind: ends === null ? "issue" : "pull-request",
    title: data.title,
    body: data.body ?? "",
    author: data.user?.login ?? null,
    state: data.state === "open" ? "open" : "closed",
    locked: data.locked,
    head: ends?.head ?? null,
    base: ends?.base ?? null,
  };
}

async function pullEnds(place: Place, number: number): Promise<Pick<HostThread, "head" | "base">> {
  const { client, owner, repo, signal } = place;
  const answer = await client.ask(
    (request) => client.rest.pulls.get({ owner, repo, pull_number: number, request }),
    { signal },
  );
  if (answer.kind === "no") throw cannotTell(`read pull request #${number}`, answer, "pull-requests: write");
  const { head, base } = answer.data;
  const sha = parseSha(head.sha);
  if (sha === null) throw new Error(`GitHub names the head of #${number} by something that is no commit id`);
  // A deleted fork leaves no repository behind, whatever the type says.
  const repository = head.repo as { readonly id: number } | null;
  return { head: { ref: head.ref, sha, repositoryId: repository?.id ?? null }, base: { ref: base.ref } };
}

function isHere(repositoryUrl: string, { owner, repo }: Place): boolean {
  return repositoryUrl.toLowerCase().endsWith(`/repos/${owner}/${repo}`.toLowerCase());
}
