import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { newFolder } from "./folder.ts";
import { type LocalGitHub, startGitHub } from "./github/local-github.ts";
import type { GitHubOptions } from "./github/world-setup.ts";
import type { Step } from "./model/script.ts";
import { type ScriptedModel, startModel } from "./model/server.ts";
import { issueComment, type Payload, pullRequestComment, schedule, workflowDispatch } from "./payloads.ts";
import type { Run, RunOptions, RunResult } from "./runner/run.ts";
import { runAction } from "./runner/run-action.ts";

export const apiKey = "sk-ant-test-0123456789abcdef";
const root = path.resolve(import.meta.dirname, "../..");

/** A repository on a local GitHub, a scripted model, and jobs that run the built action as a runner does. */
export type World = AsyncDisposable & {
  readonly github: LocalGitHub;
  readonly model: ScriptedModel;
  /** Everything of this world lies under it. */
  readonly dir: string;
  /** A new, empty machine's directory. */
  readonly machine: () => string;
  /** An issue with a comment on it; what the maintainer's comment triggers. */
  readonly asked: (options?: AskOptions) => Asked;
  readonly dispatch: (inputs: Readonly<Record<string, string>>, by?: string) => JobEvent;
  readonly scheduled: () => JobEvent;
  readonly job: (event: JobEvent, options?: JobOptions) => Promise<Job>;
  /** Runs a job to its end and marks its run as completed. */
  readonly finish: (event: JobEvent, options?: JobOptions) => Promise<RunResult>;
};

export type AskOptions = {
  readonly title?: string;
  readonly body?: string;
  readonly comment?: string;
  readonly by?: string;
  readonly author?: string | null;
};

export type JobEvent = {
  readonly payload: Payload;
  readonly inputs: Readonly<Record<string, string>>;
  readonly actor: string;
};
export type Asked = JobEvent & { readonly issue: number; readonly comment: number };

export type JobOptions = Partial<Omit<RunOptions, "actionDir" | "event" | "eventName" | "repository">> & {
  /** The same run's next attempt, as "Re-run failed jobs" makes it. */
  readonly again?: Job;
};

export type Job = Run & { readonly runId: number; readonly attempt: number; readonly machine: string };

export type WorldOptions = Pick<
  Partial<GitHubOptions>,
  "owner" | "repo" | "users" | "private" | "settings"
> & {
  /** Over `sumFiles`; null leaves one of those out. */
  readonly files?: Readonly<Record<string, string | null>>;
  /** A folder that the repository is seeded from, in place of files. */
  readonly seedFrom?: string;
  readonly script?: readonly Step[];
  readonly actionDir?: string;
  /** `with:` of every job, over the defaults. */
  readonly inputs?: Readonly<Record<string, string>>;
};

/**
 * A tiny package with a bug, a test that is green, and its configuration. Checks run when the gate is reached, so that
 * records and requests come in the same order every time.
 */
export const sumFiles: Readonly<Record<string, string>> = {
  "sum.mjs": "export const sum = (a, b) => a - b;\n",
  "sum.test.mjs":
    'import assert from "node:assert";\nimport { sum } from "./sum.mjs";\nassert.equal(sum(2, 0), 2);\n',
  ".github/agent.yml": "baseline: gate\nchecks:\n  - { name: test, run: node sum.test.mjs }\n",
};

export async function givenWorld(options: WorldOptions = {}): Promise<World> {
  const dir = newFolder("world");
  const users = options.users ?? [
    { login: "maintainer", permission: "write", token: "ghp_maintainer" },
    { login: "stranger", permission: "read", token: "ghp_stranger" },
  ];
  const github = await startGitHub({
    dir: path.join(dir, "github"),
    owner: options.owner ?? "octo",
    repo: options.repo ?? "demo",
    users,
    ...seedOf(options),
    ...(options.private === undefined ? {} : { private: options.private }),
    ...(options.settings === undefined ? {} : { settings: options.settings }),
  });
  const model = await startModel({ script: [...(options.script ?? [])], key: apiKey });
  let machines = 0;
  const world: World = {
    github,
    model,
    dir,
    machine: () => {
      machines += 1;
      return path.join(dir, `machine-${machines}`);
    },
    asked: (ask: AskOptions = {}) => askOn(github, ask),
    dispatch: (inputs: Readonly<Record<string, string>>, by = "maintainer") => {
      const sender = userOf(github, by);
      return {
        payload: workflowDispatch({ inputs, repository: repositoryOf(github), sender }),
        inputs,
        actor: by,
      };
    },
    scheduled: () => ({
      payload: schedule({ repository: repositoryOf(github) }),
      inputs: {},
      actor: "maintainer",
    }),
    job: (event: JobEvent, job: JobOptions = {}) => startJob(world, event, job, options),
    finish: async (event: JobEvent, job: JobOptions = {}) => {
      const started = await world.job(event, job);
      const result = await started.done;
      github.completeRun(started.runId, result.conclusion);
      return result;
    },
    [Symbol.asyncDispose]: async () => {
      await model[Symbol.asyncDispose]();
      await github[Symbol.asyncDispose]();
      await rm(dir, { recursive: true, force: true });
    },
  };
  return world;
}

function seedOf({
  files,
  seedFrom,
}: WorldOptions): { readonly files: Record<string, string> } | { readonly seedFrom: string } {
  if (seedFrom !== undefined) return { seedFrom };
  const all = Object.entries({ ...sumFiles, ...files });
  return { files: Object.fromEntries(all.filter((one): one is [string, string] => one[1] !== null)) };
}

function askOn(github: LocalGitHub, ask: AskOptions): Asked {
  const author = ask.author === undefined ? "maintainer" : ask.author;
  const issue = github.createIssue({
    title: ask.title ?? "sum subtracts",
    body: ask.body ?? "sum(2, 3) gives -1.",
    by: author,
  });
  const by = ask.by ?? "maintainer";
  const comment = github.comment({ issue: issue.number, body: ask.comment ?? "/agent fix", by });
  const payload = commentPayload(github, { issue: issue.number, comment: comment.id, by });
  return { payload, inputs: {}, actor: by, issue: issue.number, comment: comment.id };
}

/** What GitHub would send for a comment that is there. */
export function commentPayload(
  github: LocalGitHub,
  at: { readonly issue: number; readonly comment: number; readonly by: string },
): Payload {
  const issue = github.issue(at.issue);
  const comment = github.comments(at.issue).find((one) => one.id === at.comment);
  if (comment === undefined) throw new Error(`there is no comment ${at.comment} on #${at.issue}`);
  const make = issue.pull_request == null ? issueComment : pullRequestComment;
  const sender = userOf(github, at.by);
  return make({
    repository: repositoryOf(github),
    issue: {
      number: issue.number,
      title: issue.title,
      body: issue.body ?? null,
      user: issue.user === null ? null : { login: issue.user.login, id: issue.user.id },
      state: issue.state === "closed" ? "closed" : "open",
      locked: issue.locked,
    },
    comment: { id: comment.id, body: comment.body ?? "", user: sender, at: comment.created_at },
    sender,
  });
}

function userOf(github: LocalGitHub, login: string): { readonly login: string; readonly id: number } {
  return { login, id: github.userId(login) };
}

function repositoryOf({ repository }: LocalGitHub) {
  const { id, owner, name, defaultBranch } = repository;
  return { id, name: `${owner}/${name}`, defaultBranch };
}

let runIds = 30_000_000_000;

async function startJob(world: World, event: JobEvent, job: JobOptions, options: WorldOptions): Promise<Job> {
  const { github, model } = world;
  const { again, ...given } = job;
  runIds += 1;
  const runId = again?.runId ?? runIds;
  const attempt = again === undefined ? 1 : again.attempt + 1;
  const machine = given.machine ?? world.machine();
  github.addRun({ id: runId, attempt, event: event.payload.name, actor: event.actor, status: "in_progress" });
  const { owner, name } = github.repository;
  const run = await runAction({
    actionDir: options.actionDir ?? root,
    event: event.payload.body,
    eventName: event.payload.name,
    repository: `${owner}/${name}`,
    runId,
    runAttempt: attempt,
    actor: event.actor,
    githubToken: github.jobToken,
    machine,
    ...given,
    inputs: {
      "anthropic-api-key": apiKey,
      "anthropic-base-url": model.url,
      ...(canSandbox ? {} : { "dangerously-disable-sandbox": "true" }),
      ...event.inputs,
      ...options.inputs,
      ...given.inputs,
    },
    env: {
      ...github.env({ id: runId, attempt, job: "agent" }),
      RUNNER_ENVIRONMENT: "github-hosted",
      ...given.env,
    },
  });
  return Object.assign(run, { runId, attempt, machine });
}

/** Namespaces need root here; without them the promises of the sandbox are not exercised, and the tests say so. */
export const canSandbox = process.getuid?.() === 0 && existsSync("/usr/bin/unshare");
