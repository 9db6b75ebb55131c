// What a test does to GitHub from outside, as people and other workflows would, and what it can look up.
import type { CommitRequest } from "../git-server.ts";
import { upload } from "./attachments.ts";
import { addComment, openThread, setLocked, setState } from "./issues.ts";
import { readLoose, refsFrom } from "./loose.ts";
import { pullShape } from "./pull-shapes.ts";
import { followHeads, openPull, pullThreads } from "./pulls.ts";
import type { Ref } from "./repository-reads.ts";
import type { RestCheckRun, RestComment, RestIssue, RestPull, RestRepository } from "./rest-types.ts";
import { findRun } from "./runs.ts";
import { commentShape, commentsOf, issueShape } from "./shapes.ts";
import {
  accountOf,
  type Conclusion,
  type Fork,
  type Run,
  type RunStatus,
  type Thread,
  threadOf,
  type World,
} from "./world.ts";

/** A login, or `null` for an author whose account is gone. */
export type By = string | null;

export type PullRequestRequest = {
  /** The head branch. It must exist in the repository, unless `sha` says where it is. */
  readonly head: string;
  readonly title: string;
  readonly by: By;
  readonly base?: string;
  readonly body?: string;
  readonly draft?: boolean;
  /** The head commit, for a branch that this repository does not have: a fork's. Make it with `commit`. */
  readonly sha?: string;
  /** The login that owns the fork the head is in. */
  readonly fork?: string;
};

export type RunRequest = {
  readonly event: string;
  readonly actor: string;
  /** A fresh id when absent. */
  readonly id?: number;
  readonly attempt?: number;
  readonly path?: string;
  readonly headBranch?: string;
  readonly status?: RunStatus;
  /** Names of the jobs; one, `agent`, when absent. */
  readonly jobs?: readonly string[];
  /** The login that owns the fork whose pull request the run is for. */
  readonly fork?: string;
};

export type SeenReaction = {
  readonly on: "issue" | "comment";
  readonly id: number;
  readonly content: string;
  readonly login: string;
};

export type Stage = {
  createIssue(request: { readonly title: string; readonly body?: string | null; readonly by: By }): RestIssue;
  /** Comments as a person would, locked or not. */
  comment(request: { readonly issue: number; readonly body: string; readonly by: By }): RestComment;
  /** Its author changes what it says, a second after it was written or later. */
  editComment(id: number, body: string): void;
  /** Keeps a file as one that was dropped into a text, and returns the address that the text then holds. */
  upload(file: Buffer): string;
  lockIssue(issue: number): void;
  closeIssue(issue: number): void;
  deleteComment(id: number): void;
  pullRequest(request: PullRequestRequest): Promise<RestPull>;
  /** Makes a commit in the bare repository and moves `branch`, if given, to it; returns its id. */
  commit(change: CommitRequest): string;
  /** Registers a run, or a further attempt of one, as GitHub would before its jobs start. */
  addRun(request: RunRequest): Run;
  /** Ends the latest attempt of a run with all its jobs. */
  completeRun(id: number, conclusion?: Conclusion): void;
  /** The issue or pull request as REST and webhook payloads show it. */
  issue(number: number): RestIssue;
  /** The numeric id of an account. */
  userId(login: string): number;
  restRepository(): RestRepository;
  comments(issue: number): readonly RestComment[];
  pulls(): Promise<readonly RestPull[]>;
  /** The numbers of the pull requests, open or not, from a branch of this repository. */
  pullsFrom(branch: string): readonly number[];
  reactions(): readonly SeenReaction[];
  checkRuns(): readonly RestCheckRun[];
  /** Branch names. */
  branches(): readonly string[];
  /** Refs whose full name begins with `prefix`, such as `refs/agent/`. */
  refs(prefix?: string): readonly Ref[];
};

export function openStage(world: World): Stage {
  const forks = new Map<string, Fork>();
  const forkOf = (login: string | undefined): Fork | null => {
    if (login === undefined) return null;
    const fork = forks.get(login) ?? { id: world.nextId(), owner: accountOf(world, login) };
    forks.set(login, fork);
    return fork;
  };
  const by = (login: By) => (login === null ? null : accountOf(world, login));
  const thread = (number: number): Thread => {
    const found = threadOf(world, number);
    if (!found) throw new Error(`there is no issue ${number}; there are ${[...world.threads.keys()]}`);
    return found;
  };
  const refs = (prefix = "refs/") => listRefs(world, prefix);

  return {
    createIssue: ({ title, body = null, by: login }) =>
      issueShape(world, openThread(world, { title, body, author: by(login) })),
    comment: ({ issue, body, by: login }) =>
      commentShape(world, addComment(world, thread(issue), body, by(login))),
    editComment: (id, body) => {
      const comment = world.comments.get(id);
      if (!comment) throw new Error(`there is no comment ${id}`);
      const later = Math.max(Date.parse(comment.createdAt) + 1000, Date.parse(world.now()));
      comment.body = body;
      comment.updatedAt = new Date(later).toISOString().replace(/\.\d+Z$/, "Z");
    },
    upload: (file) => upload(world, file),
    lockIssue: (issue) => setLocked(world, thread(issue), true, accountOf(world, world.owner)),
    closeIssue: (issue) => setState(world, thread(issue), "closed", accountOf(world, world.owner)),
    deleteComment: (id) => {
      if (!world.comments.delete(id)) throw new Error(`there is no comment ${id}`);
    },
    async pullRequest({ head, base = "main", title, body = null, by: login, draft = false, sha, fork }) {
      const opened = await openPull(world, sha ?? world.bare.git("rev-parse", `refs/heads/${head}`), {
        id: world.nextId(),
        head,
        base,
        fork: forkOf(fork),
        draft,
        maintainerCanModify: false,
        title,
        body,
        author: by(login),
      });
      return pullShape(world, opened);
    },
    commit: (change) => commit(world, change),
    addRun: (request) => addRun(world, request, forkOf(request.fork)),
    completeRun: (id, conclusion = "success") => completeRun(world, id, conclusion),
    issue: (number) => issueShape(world, thread(number)),
    userId: (login) => accountOf(world, login).id,
    restRepository: () => world.repository,
    comments: (issue) => commentsOf(world, issue).map((comment) => commentShape(world, comment)),
    async pulls() {
      await followHeads(world);
      return Promise.all(pullThreads(world).map((pull) => pullShape(world, pull)));
    },
    pullsFrom: (branch) =>
      pullThreads(world).flatMap(({ number, pull }) =>
        pull?.head === branch && pull.fork === null ? [number] : [],
      ),
    reactions: () =>
      world.reactions.map(({ subject, content, author }) => ({
        on: subject.kind,
        id: subject.id,
        content,
        login: author.login,
      })),
    checkRuns: () => world.checkRuns,
    branches: () => refs("refs/heads/").map(({ name }) => name.slice("refs/heads/".length)),
    refs,
  };
}

function listRefs({ bare }: World, prefix: string): readonly Ref[] {
  return refsFrom(bare.path, prefix).map(([name, sha]) => {
    const type = readLoose(bare.path, sha)?.type ?? bare.git("cat-file", "-t", sha);
    return { name, sha, type };
  });
}

function commit(world: World, change: CommitRequest): string {
  const sha = world.bare.commit(change);
  for (const { number, pull, state } of pullThreads(world)) {
    if (state === "open" && pull?.fork === null && pull.head === change.branch) {
      world.bare.git("update-ref", `refs/pull/${number}/head`, sha);
    }
  }
  return sha;
}

function addRun(world: World, request: RunRequest, fork: Fork | null): Run {
  const { event, id = world.nextId(), attempt = 1, headBranch = "main", status = "in_progress" } = request;
  if (findRun(world, id, attempt)) throw new Error(`run ${id} has an attempt ${attempt} already`);
  const createdAt = world.now();
  const known = listRefs(world, `refs/heads/${headBranch}`).find(
    ({ name }) => name === `refs/heads/${headBranch}`,
  );
  const ended = status === "completed";
  const run: Run = {
    id,
    attempt,
    event,
    path: request.path ?? ".github/workflows/agent.yml",
    headBranch,
    headSha: known?.sha ?? world.bare.git("rev-parse", "refs/heads/main"),
    actor: accountOf(world, request.actor),
    fork,
    createdAt,
    status,
    conclusion: ended ? "success" : null,
    jobs: (request.jobs ?? ["agent"]).map((name) => ({
      id: world.nextId(),
      name,
      status,
      conclusion: ended ? "success" : null,
      startedAt: createdAt,
      completedAt: ended ? createdAt : null,
    })),
  };
  world.runs.push(run);
  return run;
}

function completeRun(world: World, id: number, conclusion: Conclusion): void {
  const run = findRun(world, id);
  if (!run) throw new Error(`there is no run ${id}`);
  run.status = "completed";
  run.conclusion = conclusion;
  for (const job of run.jobs) {
    job.status = "completed";
    job.conclusion = conclusion;
    job.completedAt = world.now();
  }
}
