import type { HostRefusal, Made, PullRequestHost } from "../../delivery/host.ts";
import { untilAnswered, untilSeen } from "./client.ts";
import { allPages } from "./pages.ts";
import type { Place } from "./place.ts";
import { cannotTell, refusalOf } from "./refusal.ts";

const needs = "pull-requests: write";

type Pull = Parameters<PullRequestHost["open"]>[0];

export function githubPullRequests(place: Place): PullRequestHost {
  const { client, owner, repo, signal } = place;
  return {
    forbidden: async (base) => {
      // A token's permissions cannot be read. One from a branch to itself is never opened, and asking for it is
      // answered by what forbids it, else by that.
      const itself = { owner, repo, head: base, base, title: "A look whether one may be opened" };
      const asked = await client.ask((request) => client.rest.pulls.create({ ...itself, request }), {
        signal,
      });
      const refused = asked.kind === "no" ? refusalOf(asked, needs) : null;
      return refused?.code === "forbidden" ? refused.why : null;
    },
    find: async (branch) => {
      const found = await allPages(
        (page) =>
          client.ask(
            (request) =>
              client.rest.pulls.list({
                owner,
                repo,
                head: `${owner}:${branch}`,
                state: "all",
                sort: "created",
                direction: "desc",
                per_page: 100,
                page,
                request,
              }),
            { signal },
          ),
        (data) => data,
      );
      if (found.kind === "no") throw cannotTell(`look up pull requests from ${branch}`, found, needs);
      return found.items
        .filter((pull) => pull.head.ref === branch)
        .map((pull) => ({
          number: pull.number,
          url: pull.html_url,
          state: pull.state === "open" ? "open" : "closed",
          body: pull.body ?? "",
        }));
    },
    open: (pull) => openPull(place, pull),
    update: async (number, { body }) => {
      const updated = await untilAnswered(place, () =>
        client.ask(
          (request) => client.rest.pulls.update({ owner, repo, pull_number: number, body, request }),
          { signal },
        ),
      );
      if (updated.kind === "no") return refusalOf(updated, needs);
      return { kind: "made", id: updated.data.number, url: updated.data.html_url };
    },
  };
}

async function openPull(place: Place, pull: Pull): Promise<Made | HostRefusal> {
  const { client, owner, repo, signal } = place;
  const { branch: head, base, title, body, draft } = pull;
  // The branch was made just before.
  const opened = await untilSeen(place, /\bhead invalid\b/i, () =>
    client.ask(
      (request) => client.rest.pulls.create({ owner, repo, head, base, title, body, draft, request }),
      { signal },
    ),
  );
  if (opened.kind === "no") return refusalOf(opened, needs);
  return { kind: "made", id: opened.data.number, url: opened.data.html_url };
}
