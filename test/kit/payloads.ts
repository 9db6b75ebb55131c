import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

type Json = Record<string, unknown>;

/** A person or bot. `null` where GitHub gives null: the account was deleted. */
export interface UserChange {
  readonly login?: string;
  readonly id?: number;
  readonly type?: "User" | "Bot" | "Organization" | "Mannequin";
}

export interface RepositoryChange {
  /** Numeric id. */
  readonly id?: number;
  /** `owner/name`. */
  readonly name?: string;
  readonly ownerId?: number;
  readonly defaultBranch?: string;
  readonly private?: boolean;
}

export interface IssueChange {
  readonly number?: number;
  readonly title?: string;
  readonly body?: string | null;
  /** Null: the author's account was deleted. */
  readonly user?: UserChange | null;
  readonly state?: "open" | "closed";
  readonly locked?: boolean;
  readonly labels?: readonly string[];
}

export interface CommentChange {
  readonly id?: number;
  readonly body?: string;
  /** Null: the author's account was deleted. Left out: the sender. */
  readonly user?: UserChange | null;
  readonly authorAssociation?: string;
  /** When it was written, and not changed since. */
  readonly at?: string;
}

export interface IssueCommentOptions {
  readonly action?: "created" | "edited" | "deleted";
  readonly repository?: RepositoryChange;
  readonly issue?: IssueChange;
  readonly comment?: CommentChange;
  readonly sender?: UserChange;
}

/** A payload as GitHub sends it; `name` is what the runner calls the event. */
export interface Payload {
  readonly name: "issue_comment" | "workflow_dispatch" | "schedule";
  readonly body: Readonly<Json>;
}

const defaults = {
  repository: { id: 186853002, name: "octo-org/hello", ownerId: 6811672, defaultBranch: "main" },
  sender: { login: "maintainer", id: 21031067 },
};

/** A comment on an issue. */
export function issueComment(options: IssueCommentOptions = {}): Payload {
  const body = baseComment(options);
  return { name: "issue_comment", body };
}

/** A comment on a pull request: the same event, with `issue.pull_request`. */
export function pullRequestComment(options: IssueCommentOptions = {}): Payload {
  const body = baseComment(options);
  const issue = object(body["issue"]);
  const { number } = issue;
  const { full_name } = object(body["repository"]);
  const html = `https://github.com/${full_name}/pull/${number}`;
  const pull_request = {
    url: `https://api.github.com/repos/${full_name}/pulls/${number}`,
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    merged_at: null,
  };
  return {
    name: "issue_comment",
    body: { ...body, issue: { ...issue, html_url: html, pull_request, draft: false } },
  };
}

export interface DispatchOptions {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly repository?: RepositoryChange;
  readonly sender?: UserChange;
  readonly ref?: string;
  /** Path of the workflow file. */
  readonly workflow?: string;
}

/** A workflow started by hand, with its inputs. */
export function workflowDispatch(options: DispatchOptions = {}): Payload {
  const example = { ...exampleOf("workflow_dispatch") };
  delete example["organization"];
  const change = { ...defaults.repository, ...options.repository };
  const body = {
    ...example,
    inputs: options.inputs ?? {},
    ref: options.ref ?? `refs/heads/${change.defaultBranch}`,
    repository: repositoryOf(currentRepository(), change),
    sender: userOf(example["sender"], options.sender ?? defaults.sender),
    workflow: options.workflow ?? ".github/workflows/agent.yml",
  };
  return { name: "workflow_dispatch", body };
}

export interface ScheduleOptions {
  readonly cron?: string;
  readonly repository?: RepositoryChange;
  /** Path of the workflow file. */
  readonly workflow?: string;
}

/**
 * A workflow started by its schedule. GitHub publishes no example and no schema of it; these members
 * are the ones that runs print: the cron line, the repository, and the workflow's path.
 */
export function schedule(options: ScheduleOptions = {}): Payload {
  const change = { ...defaults.repository, ...options.repository };
  const body = {
    schedule: options.cron ?? "0 3 * * *",
    repository: repositoryOf(currentRepository(), change),
    workflow: options.workflow ?? ".github/workflows/agent.yml",
  };
  return { name: "schedule", body };
}

function baseComment(options: IssueCommentOptions): Json {
  const action = options.action ?? "created";
  const example = { ...exampleOf("issue_comment", (e) => e["action"] === action && hasReactions(e)) };
  delete example["organization"];
  const sender = userOf(example["sender"], { ...defaults.sender, ...options.sender });
  const repository = repositoryOf(example["repository"], { ...defaults.repository, ...options.repository });
  const issue = issueOf(example["issue"], options.issue ?? {}, String(repository["full_name"]));
  const comment = commentOf(example["comment"], options.comment ?? {}, issue, sender);
  return { ...example, issue, comment, repository, sender };
}

function issueOf(example: unknown, change: IssueChange, repository: string): Json {
  const issue = rename(object(example), object(example)["repository_url"], repository);
  const number = change.number ?? 1;
  const api = `https://api.github.com/repos/${repository}/issues/${number}`;
  const label = firstOf(issue["labels"]);
  return {
    ...issue,
    url: api,
    labels_url: `${api}/labels{/name}`,
    comments_url: `${api}/comments`,
    events_url: `${api}/events`,
    html_url: `https://github.com/${repository}/issues/${number}`,
    id: 444500000 + number,
    number,
    title: change.title ?? "The queue forgets its limit",
    body: change.body === undefined ? "Lowering concurrency while tasks run has no effect." : change.body,
    user: change.user === null ? null : userOf(issue["user"], change.user ?? { login: "reporter", id: 1001 }),
    state: change.state ?? "open",
    closed_at: change.state === "closed" ? issue["updated_at"] : null,
    locked: change.locked ?? false,
    active_lock_reason: null,
    assignee: null,
    assignees: [],
    milestone: null,
    performed_via_github_app: null,
    labels: (change.labels ?? []).map((name) => ({
      ...label,
      url: `https://api.github.com/repos/${repository}/labels/${encodeURIComponent(name)}`,
      name,
    })),
    reactions: { ...object(issue["reactions"]), url: `${api}/reactions` },
  };
}

function commentOf(example: unknown, change: CommentChange, issue: Json, sender: Json): Json {
  const comment = object(example);
  const id = change.id ?? 492700400;
  const api = String(issue["url"]).replace(/issues\/\d+$/, `issues/comments/${id}`);
  return {
    ...comment,
    url: api,
    html_url: `${issue["html_url"]}#issuecomment-${id}`,
    issue_url: issue["url"],
    id,
    body: change.body ?? "/agent fix",
    ...(change.at !== undefined && { created_at: change.at, updated_at: change.at }),
    user: change.user === null ? null : change.user ? userOf(comment["user"], change.user) : sender,
    author_association: change.authorAssociation ?? "OWNER",
    performed_via_github_app: null,
    reactions: { ...object(comment["reactions"]), url: `${api}/reactions` },
  };
}

function repositoryOf(
  example: unknown,
  change: Required<Omit<RepositoryChange, "private">> & RepositoryChange,
): Json {
  const { full_name } = object(example);
  const repository = rename(object(example), full_name, change.name);
  const [login = "", name = ""] = change.name.split("/");
  return {
    ...repository,
    id: change.id,
    name,
    full_name: change.name,
    private: change.private ?? false,
    owner: userOf(repository["owner"], { login, id: change.ownerId }),
    default_branch: change.defaultBranch,
  };
}

function userOf(example: unknown, change: UserChange): Json {
  const user = object(example);
  const login = change.login ?? String(user["login"]);
  return { ...rename(user, user["login"], login), ...change, login, type: change.type ?? "User" };
}

/** The example with `from` replaced by `to` in every URL of its top level. */
function rename(example: Json, from: unknown, to: string): Json {
  const old = String(from).replace("https://api.github.com/repos/", "");
  const entries = Object.entries(example).map(([key, value]) => {
    const isUrl = typeof value === "string" && /^(https?|git):\/\/|^git@/.test(value);
    return [key, isUrl ? value.replace(new RegExp(`${old}(?=[/.{#?]|$)`), to) : value];
  });
  return Object.fromEntries(entries);
}

function hasReactions(example: Json): boolean {
  return (
    object(example["issue"])["reactions"] !== undefined &&
    object(example["comment"])["reactions"] !== undefined
  );
}

/** The dispatch example's repository lacks members that GitHub has added since; that of a comment has them. */
function currentRepository(): unknown {
  return exampleOf("issue_comment", hasReactions)["repository"];
}

interface Example {
  readonly name: string;
  readonly examples: readonly Json[];
}

let loaded: readonly Example[] | undefined;

/** The examples are 4 MB of JSON: read when the first payload is made, then kept. */
function exampleOf(name: string, fits: (example: Json) => boolean = () => true): Json {
  const file = createRequire(import.meta.url).resolve("@octokit/webhooks-examples");
  loaded ??= JSON.parse(readFileSync(file, "utf8")) as readonly Example[];
  const found = loaded.find((entry) => entry.name === name)?.examples.find(fits);
  if (!found) throw new Error(`@octokit/webhooks-examples has no fitting example of ${name}`);
  return found;
}

function object(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

function firstOf(value: unknown): Json {
  return object(Array.isArray(value) ? value[0] : undefined);
}
