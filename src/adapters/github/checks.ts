import type { CheckRunHost } from "../../delivery/host.ts";
import { allPages } from "./pages.ts";
import type { Place } from "./place.ts";
import { cannotTell, refusalOf } from "./refusal.ts";

const needs = "checks: write";

/** Check runs are made by apps alone, so a person's token is refused here whatever else it may do. */
export function githubCheckRuns({ client, owner, repo, signal }: Place): CheckRunHost {
  return {
    find: async ({ head, name, externalId }) => {
      const at = { owner, repo, ref: head, check_name: name, filter: "all", per_page: 100 } as const;
      const found = await allPages(
        (page) =>
          client.ask((request) => client.rest.checks.listForRef({ ...at, page, request }), { signal }),
        ({ check_runs }) => check_runs,
      );
      if (found.kind === "no") throw cannotTell(`look up the check runs of ${head}`, found, needs);
      const ours = found.items.find(({ external_id }) => external_id === externalId);
      return ours === undefined ? null : { id: ours.id, url: ours.html_url ?? ours.url };
    },
    create: async ({ head, name, externalId, conclusion, title, summary, detailsUrl, annotations }) => {
      const made = await client.ask(
        (request) =>
          client.rest.checks.create({
            ...{
              owner,
              repo,
              name,
              head_sha: head,
              external_id: externalId,
              status: "completed",
              conclusion,
            },
            ...(detailsUrl !== null && { details_url: detailsUrl }),
            output: {
              ...{ title, summary },
              annotations: annotations.map(({ level, path, line, title, message }) => ({
                ...{ path, start_line: line, end_line: line, annotation_level: level, title, message },
              })),
            },
            request,
          }),
        { signal },
      );
      if (made.kind === "no") return refusalOf(made, needs);
      return { kind: "made", id: made.data.id, url: made.data.html_url ?? made.data.url };
    },
  };
}
