import type { RunRef } from "../../session/event.ts";
import { allPages } from "./pages.ts";
import type { Place } from "./place.ts";

type Alive = "running" | "gone" | "unknown";

/**
 * Whether a job still runs. A completed attempt has no running job. In one that goes on, the job is looked for: the
 * API knows jobs by their display name, which is the job's id unless the workflow gives it a `name:`, followed by the
 * matrix values in brackets, and preceded by the caller's in a reusable workflow. A job that cannot be told by that
 * counts as running for as long as its attempt does.
 */
export async function aliveAtGitHub(place: Place, run: RunRef, signal: AbortSignal): Promise<Alive> {
  if (!/^\d{1,15}$/.test(run.id)) return "unknown";
  const { client, owner, repo } = place;
  const at = { owner, repo, run_id: Number(run.id), attempt_number: run.attempt };
  const attempt = await client.ask(
    (request) => client.rest.actions.getWorkflowRunAttempt({ ...at, request }),
    { signal },
  );
  // 404 is also what a token without `actions: read` gets for a private repository.
  if (attempt.kind === "no") return "unknown";
  if (attempt.data.status === "completed") return "gone";
  const jobs = await allPages(
    (page) =>
      client.ask(
        (request) =>
          client.rest.actions.listJobsForWorkflowRunAttempt({ ...at, per_page: 100, page, request }),
        { signal },
      ),
    (data) => data.jobs,
  );
  if (jobs.kind === "no") return "unknown";
  const ours = jobs.items.filter(({ name }) => isNamed(name, run.job));
  if (ours.length === 0) return "running";
  return ours.every(({ status }) => status === "completed") ? "gone" : "running";
}

function isNamed(name: string, job: string): boolean {
  const last = name.split(" / ").at(-1) ?? "";
  return last === job || last.startsWith(`${job} (`);
}
