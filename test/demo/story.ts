// The story in two acts: the work begins, the machine is lost, another one finishes the work.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type LocalGitHub, startGitHub } from "../kit/github/local-github.ts";
import { issueComment, type Payload, workflowDispatch } from "../kit/payloads.ts";
import type { Run, RunResult } from "../kit/runner/run.ts";
import { runAction } from "../kit/runner/run-action.ts";
import type { DemoJournal } from "./journal.ts";
import type { DemoModel } from "./model.ts";
import { issue, seedFiles, variables } from "./repository.ts";
import type { Timeline } from "./timeline.ts";

export const owner = "acme";
const repo = "fastq";
const person = "maintainer";

export function startDemoGitHub(dir: string): Promise<LocalGitHub> {
  return startGitHub({
    dir,
    owner,
    repo,
    users: [
      { login: person, permission: "maintain", token: "token-of-maintainer" },
      { login: "reporter", permission: "read", token: "token-of-reporter" },
    ],
    files: seedFiles(),
  });
}

export type Stage = {
  readonly action: string;
  readonly github: LocalGitHub;
  readonly model: DemoModel;
  readonly journal: DemoJournal;
  readonly timeline: Timeline;
  /** For the machines' directories. */
  readonly scratch: string;
  readonly modules: string;
  readonly sandbox: "on" | "off";
  /** Is told of each job, so that it can be ended with the demo. */
  readonly started: (run: Run) => void;
};

export type FirstAct = {
  readonly run: number;
  readonly base: string;
  readonly issue: number;
  readonly session: string;
  /** Wall time in milliseconds. */
  readonly killedAt: number;
  /** What was under way then. */
  readonly moment: string;
  readonly requests: number;
  /** Whether the machine went without a word and nothing of it is left. */
  readonly isLost: boolean;
};

/** The first run was over before it could be interrupted. */
export class EndedTooSoon extends Error {
  readonly result: RunResult;

  constructor(result: RunResult) {
    super(`the first run ended before it could be interrupted (${howItEnded(result)})`);
    this.result = result;
  }
}

/** A maintainer's comment starts the work; the machine is lost in the middle of a call. Throws when it ends by itself. */
export async function firstAct(stage: Stage): Promise<FirstAct> {
  const { github, journal, model, timeline } = stage;
  const opened = github.createIssue({ ...issue, by: "reporter" });
  const base = github.git("rev-parse", "refs/heads/main");
  timeline.act("Act 1: a comment starts the work, and the machine dies");
  timeline.happened(`issue #${opened.number} by reporter: ${issue.title}`);
  const said = github.comment({ issue: opened.number, body: "/agent fix", by: person });
  timeline.happened(`comment by ${person}: /agent fix`);
  const event = issueComment({
    repository: repositoryOf(github),
    issue: { number: opened.number, ...issue },
    comment: { id: said.id, body: "/agent fix" },
    sender: senderOf(said.user),
  });
  const { run, id, machine } = await startJob(stage, { event, name: "machine-1", inputs: {} });
  const ended = run.done.then((result) => {
    throw new EndedTooSoon(result);
  });
  const moment = await Promise.race([model.moment(journal), ended]);
  const requests = model.requests();
  const killedAt = Date.now();
  // From here on its end is what we want.
  ended.catch(() => undefined);
  timeline.happened(`machine lost: ${moment}`);
  const lost = await run.lose();
  github.completeRun(id, "failure");
  const silent = lost.signal === "SIGKILL" && lost.postCode === undefined;
  const gone = !existsSync(machine);
  timeline.proved(silent, "node ended by SIGKILL and no post step ran: nothing could be said or saved");
  timeline.proved(gone, "the machine's directory is gone");
  if (model.kind === "scripted" && stage.sandbox === "on") {
    await journal.died;
    timeline.proved(true, "the command that was running died with it: nobody holds its pipe any more");
  }
  const session = sessionIn(github, opened.number);
  const isLost = silent && gone;
  return { run: id, base, issue: opened.number, session, killedAt, moment, requests, isLost };
}

export type SecondAct = { readonly run: number; readonly result: RunResult };

/** Another job, on an empty machine, is told nothing but the session's id. */
export async function secondAct(stage: Stage, first: FirstAct): Promise<SecondAct> {
  const { github, timeline } = stage;
  timeline.act("Act 2: another job, on an empty machine, goes on");
  timeline.happened(
    `the status comment names session ${first.session}; ${person} starts the workflow with it`,
  );
  const sender = senderOf(
    github.comments(first.issue).find(({ user }) => user?.login === person)?.user ?? null,
  );
  const inputs = { session: first.session };
  const event = workflowDispatch({ inputs, repository: repositoryOf(github), sender });
  const { run, id } = await startJob(stage, { event, name: "machine-2", inputs });
  const result = await run.done;
  github.completeRun(id, result.conclusion === "success" ? "success" : "failure");
  timeline.happened(`the job ended: ${howItEnded(result)}`);
  return { run: id, result };
}

async function startJob(
  stage: Stage,
  job: { readonly event: Payload; readonly name: string; readonly inputs: Readonly<Record<string, string>> },
): Promise<{ readonly run: Run; readonly id: number; readonly machine: string }> {
  const { action, github, model, timeline, sandbox } = stage;
  const { id } = github.addRun({ event: job.event.name, actor: person });
  const machine = join(stage.scratch, job.name);
  mkdirSync(machine, { recursive: true });
  const run = await runAction({
    actionDir: action,
    machine,
    repository: `${owner}/${repo}`,
    eventName: job.event.name,
    event: job.event.body,
    runId: id,
    sha: github.git("rev-parse", "refs/heads/main"),
    githubToken: github.jobToken,
    secrets: [model.key],
    inputs: {
      "anthropic-api-key": model.key,
      "anthropic-base-url": model.url,
      "ship-seconds": "0",
      ...(sandbox === "off" && { "dangerously-disable-sandbox": "true" }),
      ...job.inputs,
    },
    env: {
      ...github.env({ id, attempt: 1, job: "agent" }),
      [variables.modules]: stage.modules,
      [variables.journal]: stage.journal.dir,
    },
    onLine: (line) => tellLine(line, timeline),
  });
  stage.started(run);
  timeline.happened(`${job.name}: dist/main starts, run ${id}`);
  return { run, id, machine };
}

/** The artifact client says ten lines for each upload; one is enough here. */
function tellLine(line: string, timeline: Timeline): void {
  const stored = /^Artifact (agent-session-\S+) successfully finalized/.exec(line)?.[1];
  if (stored !== undefined) timeline.detail(`shipped: ${stored}`);
  else if (!uploadChatter.test(line)) timeline.detail(`log: ${line}`);
}

const uploadChatter =
  /^(Artifact name is valid|Root directory input|Uploading artifact|Beginning upload|Uploaded bytes|Finished uploading|SHA256 digest|Finalizing artifact)/;

function repositoryOf({ repository, restRepository }: LocalGitHub) {
  return { id: repository.id, name: `${owner}/${repo}`, ownerId: restRepository().owner.id };
}

function senderOf(user: { readonly login: string; readonly id: number } | null) {
  if (user === null) throw new Error("the comment has no author");
  return { login: user.login, id: user.id };
}

function sessionIn(github: LocalGitHub, number: number): string {
  const bodies = github.comments(number).map(({ body }) => body ?? "");
  const found = bodies.map((body) => /session `(s[0-9a-f]{12})`/.exec(body)?.[1]).find(Boolean);
  if (found === undefined) throw new Error(`no comment of issue #${number} names a session`);
  return found;
}

export function howItEnded({ code, signal, outputs, log }: RunResult): string {
  const { outcome, reason } = outputs as { readonly outcome?: string; readonly reason?: string };
  const how = signal ?? `exit ${code}`;
  if (outcome !== undefined) return `${outcome}, ${reason}, ${how}`;
  return `${how}, no outcome; its last words: ${log.split("\n").slice(-5).join(" | ")}`;
}
