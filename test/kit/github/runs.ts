// Workflow runs, their attempts and jobs.
import { type Answer, answer, type Call, type Handlers, notFound, paginate } from "./answer.ts";
import type { RestJob, RestRun } from "./rest-types.ts";
import { apiUrl, forkShape, htmlUrl, nodeId } from "./shapes.ts";
import type { Job, Run, World } from "./world.ts";

const workflowId = 4242;

export function runHandlers(world: World): Handlers {
  const withRun = (act: (run: Run, call: Call) => Answer) => (call: Call) => {
    const attempt = call.params["attempt_number"];
    const run = findRun(
      world,
      Number(call.params["run_id"]),
      attempt === undefined ? undefined : Number(attempt),
    );
    return run ? act(run, call) : notFound();
  };
  return {
    "actions/get-workflow-run": withRun((run) => answer(200, runShape(world, run))),
    "actions/get-workflow-run-attempt": withRun((run) => answer(200, runShape(world, run))),
    "actions/list-jobs-for-workflow-run": withRun((run, { url }) => {
      const runs =
        url.searchParams.get("filter") === "all" ? world.runs.filter(({ id }) => id === run.id) : [run];
      return listJobs(world, runs, url);
    }),
    "actions/list-jobs-for-workflow-run-attempt": withRun((run, { url }) => listJobs(world, [run], url)),
    "actions/get-job-for-workflow-run": ({ params }) => {
      const id = Number(params["job_id"]);
      const run = world.runs.find(({ jobs }) => jobs.some((job) => job.id === id));
      const job = run?.jobs.find((candidate) => candidate.id === id);
      return run && job ? answer(200, jobShape(world, run, job)) : notFound();
    },
  };
}

/** The given attempt of a run, or its latest. */
export function findRun(world: World, id: number, attempt?: number): Run | undefined {
  return world.runs
    .filter((run) => run.id === id && (attempt === undefined || run.attempt === attempt))
    .sort((a, b) => b.attempt - a.attempt)[0];
}

function listJobs(world: World, runs: readonly Run[], url: URL): Answer {
  const jobs = runs.flatMap((run) => run.jobs.map((job) => jobShape(world, run, job)));
  const page = paginate(url, jobs);
  return answer(200, { total_count: jobs.length, jobs: page.items }, page.headers);
}

export function runShape(world: World, run: Run): RestRun {
  const url = apiUrl(world, `/actions/runs/${run.id}`);
  const done = run.status === "completed";
  return {
    id: run.id,
    name: "Agent",
    node_id: nodeId("WFR", run.id),
    head_branch: run.headBranch,
    head_sha: run.headSha,
    path: run.path,
    run_number: 1,
    run_attempt: run.attempt,
    display_title: "Agent",
    event: run.event,
    status: run.status,
    conclusion: run.conclusion,
    workflow_id: workflowId,
    check_suite_id: run.id,
    check_suite_node_id: nodeId("CS", run.id),
    url,
    html_url: htmlUrl(world, `/actions/runs/${run.id}`),
    pull_requests: [],
    created_at: run.createdAt,
    updated_at: done ? (run.jobs.at(-1)?.completedAt ?? run.createdAt) : run.createdAt,
    actor: run.actor.rest,
    triggering_actor: run.actor.rest,
    run_started_at: run.createdAt,
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: apiUrl(world, `/check-suites/${run.id}`),
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: run.attempt > 1 ? `${url}/attempts/${run.attempt - 1}` : null,
    workflow_url: apiUrl(world, `/actions/workflows/${workflowId}`),
    head_commit: null,
    repository: world.repository as RestRun["repository"],
    head_repository: (run.fork ? forkShape(world, run.fork) : world.repository) as RestRun["head_repository"],
  };
}

export function jobShape(world: World, run: Run, job: Job): RestJob {
  return {
    id: job.id,
    run_id: run.id,
    workflow_name: "Agent",
    head_branch: run.headBranch,
    run_url: apiUrl(world, `/actions/runs/${run.id}`),
    run_attempt: run.attempt,
    node_id: nodeId("CR", job.id),
    head_sha: run.headSha,
    url: apiUrl(world, `/actions/jobs/${job.id}`),
    html_url: htmlUrl(world, `/actions/runs/${run.id}/job/${job.id}`),
    status: job.status,
    conclusion: job.conclusion,
    created_at: job.startedAt,
    started_at: job.startedAt,
    completed_at: job.completedAt,
    name: job.name,
    steps: [],
    check_run_url: apiUrl(world, `/check-runs/${job.id}`),
    labels: ["ubuntu-latest"],
    runner_id: 1,
    runner_name: "local runner",
    runner_group_id: 1,
    runner_group_name: "local",
  };
}
