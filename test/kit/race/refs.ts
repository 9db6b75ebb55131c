// As much of GitHub's API as leases need, in memory: refs that are made only where there is none, and which job runs.
// The product's own adapter works with it, so that each of its requests is a step of the race.
import type { Answer, GitHubClient } from "../../../src/adapters/github/client.ts";
import { parseLease } from "../../../src/adapters/github/lease-text.ts";
import { githubLeases } from "../../../src/adapters/github/leases.ts";
import type { Clock } from "../../../src/base/clock.ts";
import { digestOf } from "../../../src/base/hash.ts";
import type { RunRef } from "../../../src/session/event.ts";
import type { Lease, Leases } from "../../../src/session/leases.ts";

export type MemoryRefs = {
  /** Commit by ref. */
  readonly refs: Map<string, string>;
  /** Message by commit. */
  readonly commits: Map<string, string>;
  /** Jobs that count as over. */
  readonly ended: RunRef[];
};

/** Every request of the adapter, by its name in the REST API, such as `git.createRef`. */
export type Asks = Readonly<Record<string, (params: Params) => Promise<Answer<unknown>>>>;

type Params = Readonly<Record<string, unknown>>;

export function refRequests(github: MemoryRefs, options: { readonly refused: boolean }): Asks {
  const { refs, commits, ended } = github;
  return {
    "git.createTree": async ({ tree }) => ok({ sha: shaOf(tree) }),
    // GitHub writes the time into a commit, to the second: two that claim the same in one second make the same commit.
    "git.createCommit": async ({ message }) => {
      const sha = shaOf(message);
      commits.set(sha, String(message));
      return ok({ sha });
    },
    "git.createRef": async ({ ref, sha }) => {
      if (options.refused) return no(422, "Repository rule violations found");
      if (refs.has(String(ref))) return no(422, "Reference already exists");
      refs.set(String(ref), String(sha));
      return ok({});
    },
    "git.listMatchingRefs": async ({ ref }) =>
      ok(
        [...refs]
          .filter(([name]) => name.startsWith(`refs/${String(ref)}`))
          .map(([name, sha]) => ({ ref: name, object: { sha } })),
      ),
    "git.getCommit": async ({ commit_sha }) => ok({ message: commits.get(String(commit_sha)) }),
    "git.deleteRef": async ({ ref }) => {
      const name = `refs/${String(ref)}`;
      if (!refs.has(name)) return no(422, "Reference does not exist");
      refs.delete(name);
      return ok({});
    },
    "actions.getWorkflowRunAttempt": async ({ run_id, attempt_number }) => {
      const over = ended.some(({ id, attempt }) => id === String(run_id) && attempt === attempt_number);
      return ok({ status: over ? "completed" : "in_progress" });
    },
    "actions.listJobsForWorkflowRunAttempt": async () =>
      ok({ jobs: [{ name: "agent", status: "in_progress" }] }),
  };
}

/** The product's leases, whose client is nothing but these requests. */
export function leasesOver(asks: Asks, clock: Clock): Leases {
  const groups: Record<string, Record<string, unknown>> = {};
  for (const [name, ask] of Object.entries(asks)) {
    const [group = "", method = ""] = name.split(".");
    groups[group] = { ...groups[group], [method]: ({ request: _, ...params }: Params) => ask(params) };
  }
  const client: GitHubClient = {
    baseUrl: "https://api.github.example",
    rest: groups as unknown as GitHubClient["rest"],
    // What the requests give is the answer already.
    ask: (request, options) => request(options) as unknown as Promise<never>,
    graphql: async () => no(404, "Not Found"),
    left: () => 1,
  };
  const { signal } = new AbortController();
  return githubLeases({ client, owner: "o", repo: "r", clock, signal });
}

/** The lease that a ref points to. */
export function leaseAt({ refs, commits }: MemoryRefs, ref: string): Lease | null {
  return parseLease(commits.get(refs.get(ref) ?? "") ?? "");
}

export function newestLease(github: MemoryRefs): Lease | null {
  const leases = [...github.refs.keys()].flatMap((ref) => leaseAt(github, ref) ?? []);
  return leases.reduce<Lease | null>((newest, one) => (one.gen > (newest?.gen ?? 0) ? one : newest), null);
}

/** What a caller gets when GitHub did not answer, for as long as it asked. */
export const unansweredRequest: Answer<never> = { kind: "no", status: null, why: "no answer" };

function ok(data: unknown): Answer<unknown> {
  return { kind: "ok", data, more: false, etag: null };
}

function no(status: number, why: string): Answer<never> {
  return { kind: "no", status, why };
}

function shaOf(value: unknown): string {
  return digestOf(JSON.stringify(value)).slice(0, 40);
}
