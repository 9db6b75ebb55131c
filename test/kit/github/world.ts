// The state behind the local GitHub: plain records in memory. Git objects and refs live in the bare repository only.
import type { BareRepository } from "../git-server.ts";
import type { RestCheckRun, RestReaction, RestRepository, RestUser } from "./rest-types.ts";

export type Permission = "admin" | "maintain" | "write" | "triage" | "read" | "none";
export type Level = "write" | "read" | "none";
/** What the job's token may do, by the names of a workflow's `permissions:`. */
export type JobPermissions = {
  readonly actions: Level;
  readonly contents: Level;
  readonly issues: Level;
  readonly "pull-requests": Level;
  readonly checks: Level;
};

export type Account = {
  readonly login: string;
  readonly id: number;
  readonly kind: "user" | "bot";
  readonly permission: Permission;
  readonly rest: RestUser;
};

/** An issue or a pull request: GitHub numbers both in one sequence and keeps comments, locks and states the same way. */
export type Thread = {
  readonly number: number;
  readonly id: number;
  readonly author: Account | null;
  readonly createdAt: string;
  title: string;
  body: string | null;
  state: "open" | "closed";
  stateReason: "completed" | "not_planned" | "reopened" | null;
  locked: boolean;
  updatedAt: string;
  closedAt: string | null;
  readonly pull?: Pull;
};

export type Pull = {
  readonly id: number;
  /** The branch in the head repository. */
  readonly head: string;
  base: string;
  /** The fork the head is in; `null` when it is a branch of this repository. */
  readonly fork: Fork | null;
  readonly draft: boolean;
  readonly maintainerCanModify: boolean;
};

export type Fork = { readonly id: number; readonly owner: Account };

export type Comment = {
  readonly id: number;
  readonly thread: number;
  readonly author: Account | null;
  readonly createdAt: string;
  updatedAt: string;
  body: string;
};

export type ReactionContent = RestReaction["content"];

export type Reaction = {
  readonly id: number;
  readonly subject: { readonly kind: "issue" | "comment"; readonly id: number };
  readonly content: ReactionContent;
  readonly author: Account;
  readonly createdAt: string;
};

export type ThreadEvent = {
  readonly id: number;
  readonly thread: number;
  readonly event: "closed" | "reopened" | "locked" | "unlocked";
  readonly actor: Account;
  readonly createdAt: string;
};

export type RunStatus = "queued" | "in_progress" | "completed";
export type Conclusion = "success" | "failure" | "cancelled";

export type Job = {
  readonly id: number;
  readonly name: string;
  readonly startedAt: string;
  status: RunStatus;
  conclusion: Conclusion | null;
  completedAt: string | null;
};

/** One attempt of a workflow run. */
export type Run = {
  readonly id: number;
  readonly attempt: number;
  readonly event: string;
  /** The workflow file, such as `.github/workflows/agent.yml`. */
  readonly path: string;
  readonly headBranch: string;
  readonly headSha: string;
  readonly actor: Account;
  /** The fork that the head is in, for runs of a fork's pull request. */
  readonly fork: Fork | null;
  readonly createdAt: string;
  readonly jobs: readonly Job[];
  status: RunStatus;
  conclusion: Conclusion | null;
};

export type World = {
  /** Origin of the API, `http://127.0.0.1:<port>`. */
  readonly origin: string;
  /** What `GITHUB_SERVER_URL` says: the origin under a name the artifact client takes for github.com's own. */
  readonly serverUrl: string;
  readonly owner: string;
  readonly name: string;
  readonly private: boolean;
  readonly bare: BareRepository;
  readonly repository: RestRepository;
  readonly settings: {
    readonly actionsMayCreatePullRequests: boolean;
    readonly job: JobPermissions;
    readonly requestsLeft: number | null;
  };
  readonly accounts: ReadonlyMap<string, Account>;
  readonly tokens: ReadonlyMap<string, Account>;
  readonly threads: Map<number, Thread>;
  readonly comments: Map<number, Comment>;
  readonly reactions: Reaction[];
  readonly events: ThreadEvent[];
  readonly runs: Run[];
  readonly checkRuns: RestCheckRun[];
  /** Files that people uploaded, by their id. */
  readonly attachments: Map<string, Buffer>;
  /** A fresh numeric id, unique across everything. */
  nextId(): number;
  /** Now, in seconds precision, as GitHub writes it. */
  now(): string;
};

export function accountOf(world: World, login: string): Account {
  const account = world.accounts.get(login.toLowerCase());
  if (!account)
    throw new Error(
      `the local GitHub has no user ${login}; it was started with ${[...world.accounts.keys()]}`,
    );
  return account;
}

export function mayPush(account: Account | undefined): boolean {
  return account !== undefined && ["admin", "maintain", "write"].includes(account.permission);
}

export function threadOf(world: World, number: string | number): Thread | undefined {
  return world.threads.get(Number(number));
}

export function nextThreadNumber(world: World): number {
  return Math.max(0, ...world.threads.keys()) + 1;
}
