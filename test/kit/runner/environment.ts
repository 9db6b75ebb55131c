import { delimiter, dirname, join } from "node:path";

/** Where things lie on a machine. Everything is under one directory, so that deleting it loses the machine. */
export interface MachinePaths {
  readonly home: string;
  readonly temp: string;
  readonly tools: string;
  /** The repository's directory; the workspace lies in it. */
  readonly work: string;
  readonly workspace: string;
  readonly eventFile: string;
  readonly fileCommands: string;
}

export function pathsOf(machine: string, repository: string, workspace: string | undefined): MachinePaths {
  const name = repository.split("/")[1] ?? repository;
  const work = join(machine, "work", name);
  const temp = join(machine, "work", "_temp");
  return {
    home: join(machine, "home"),
    temp,
    tools: join(machine, "tools"),
    work,
    workspace: workspace ?? join(work, name),
    eventFile: join(temp, "_github_workflow", "event.json"),
    fileCommands: join(temp, "_runner_file_commands"),
  };
}

export interface JobFacts {
  readonly node: string;
  readonly paths: MachinePaths;
  readonly event: Readonly<Record<string, unknown>>;
  readonly eventName: string;
  /** `owner/name`. */
  readonly repository: string;
  readonly runId: number;
  readonly runAttempt: number;
  readonly job: string;
  readonly actor: string | undefined;
  readonly sha: string | undefined;
  readonly ref: string | undefined;
  readonly actionRepository: string;
  readonly actionRef: string;
  readonly trackingId: string;
  readonly debug: boolean;
}

/**
 * The variables the runner gives to an action: the documented defaults, and nothing of this process but
 * `PATH`. `GITHUB_ACTION_PATH` is missing on purpose: only composite actions have it.
 */
export function jobEnvironment(facts: JobFacts): Record<string, string> {
  return { ...machineVariables(facts), ...githubVariables(facts), ...runnerVariables(facts) };
}

function machineVariables({ node, paths }: JobFacts): Record<string, string> {
  const path = [dirname(node), process.env["PATH"]].filter(Boolean).join(delimiter);
  return { PATH: path, HOME: paths.home, LANG: "C.UTF-8", CI: "true" };
}

function runnerVariables({ paths, trackingId, debug }: JobFacts): Record<string, string> {
  return {
    RUNNER_ARCH: process.arch === "arm64" ? "ARM64" : "X64",
    ...(debug ? { RUNNER_DEBUG: "1" } : {}),
    RUNNER_ENVIRONMENT: "github-hosted",
    RUNNER_NAME: "GitHub Actions 1",
    RUNNER_OS: process.platform === "darwin" ? "macOS" : "Linux",
    RUNNER_TEMP: paths.temp,
    RUNNER_TOOL_CACHE: paths.tools,
    RUNNER_TRACKING_ID: trackingId,
    RUNNER_WORKSPACE: paths.work,
  };
}

function githubVariables(facts: JobFacts): Record<string, string> {
  const { event, repository, paths } = facts;
  const sender = field(event, "sender");
  const repo = field(event, "repository");
  const actor = facts.actor ?? text(sender["login"], "github-actions[bot]");
  const ref = facts.ref ?? `refs/heads/${text(repo["default_branch"], "main")}`;
  const sha = facts.sha ?? "0".repeat(40);
  return {
    GITHUB_ACTION: `__${facts.actionRepository.replace(/[^\w]/g, "_")}`,
    GITHUB_ACTION_REF: facts.actionRef,
    GITHUB_ACTION_REPOSITORY: facts.actionRepository,
    GITHUB_ACTIONS: "true",
    GITHUB_ACTOR: actor,
    GITHUB_ACTOR_ID: text(sender["id"], "41898282"),
    GITHUB_API_URL: "https://api.github.com",
    GITHUB_BASE_REF: "",
    GITHUB_EVENT_NAME: facts.eventName,
    GITHUB_EVENT_PATH: paths.eventFile,
    GITHUB_GRAPHQL_URL: "https://api.github.com/graphql",
    GITHUB_HEAD_REF: "",
    GITHUB_JOB: facts.job,
    GITHUB_REF: ref,
    GITHUB_REF_NAME: ref.replace(/^refs\/(heads|tags|pull)\//, ""),
    GITHUB_REF_PROTECTED: "false",
    GITHUB_REF_TYPE: ref.startsWith("refs/tags/") ? "tag" : "branch",
    GITHUB_REPOSITORY: repository,
    GITHUB_REPOSITORY_ID: text(repo["id"], "186853002"),
    GITHUB_REPOSITORY_OWNER: repository.split("/")[0] ?? "",
    GITHUB_REPOSITORY_OWNER_ID: text(field(repo, "owner")["id"], "6811672"),
    GITHUB_RETENTION_DAYS: "90",
    GITHUB_RUN_ATTEMPT: String(facts.runAttempt),
    GITHUB_RUN_ID: String(facts.runId),
    GITHUB_RUN_NUMBER: "1",
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_SHA: sha,
    GITHUB_TRIGGERING_ACTOR: actor,
    GITHUB_WORKFLOW: "agent",
    GITHUB_WORKFLOW_REF: `${repository}/.github/workflows/agent.yml@${ref}`,
    GITHUB_WORKFLOW_SHA: sha,
    GITHUB_WORKSPACE: paths.workspace,
  };
}

/** A member that is an object, or an empty one: a test may send a broken event. */
function field(value: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  const member = value?.[name];
  return typeof member === "object" && member !== null ? (member as Record<string, unknown>) : {};
}

function text(value: unknown, fallback: string): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : fallback;
}
