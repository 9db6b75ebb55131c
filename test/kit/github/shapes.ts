// Turns records into GitHub's REST objects: users, repositories, issues, comments, reactions.
import type { RestComment, RestIssue, RestReaction, RestRepository, RestUser } from "./rest-types.ts";
import type { Account, Comment, Fork, Reaction, Thread, World } from "./world.ts";

export const botLogin = "github-actions[bot]";
// The real ids of the GitHub Actions app and its bot, so that code which recognises them by number works here too.
const botId = 41898282;
const appId = 15368;
const appMade = "2018-07-30T09:30:17Z";

export function nodeId(kind: string, id: number): string {
  return `${kind}_${Buffer.from(`kit:${id}`).toString("base64url")}`;
}

export function apiUrl(world: World, path: string): string {
  return `${world.origin}/repos/${world.owner}/${world.name}${path}`;
}

export function htmlUrl(world: World, path: string): string {
  return `${world.serverUrl}/${world.owner}/${world.name}${path}`;
}

/** A user object under the given origin; the bot's and the ghost's have GitHub's own ids. */
export function userShape(origin: string, login: string, id: number, type: "User" | "Bot"): RestUser {
  const url = `${origin}/users/${encodeURIComponent(login)}`;
  return {
    login,
    id,
    node_id: nodeId("U", id),
    avatar_url: `${origin}/avatars/u/${id}`,
    gravatar_id: "",
    url,
    html_url: `${origin}/${encodeURIComponent(login)}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type,
    site_admin: false,
  };
}

export function botAccount(origin: string): Account {
  return {
    login: botLogin,
    id: botId,
    kind: "bot",
    permission: "write",
    rest: userShape(origin, botLogin, botId, "Bot"),
  };
}

function actionsApp(world: World) {
  return {
    id: appId,
    slug: "github-actions",
    node_id: nodeId("A", appId),
    client_id: "Iv1.05c79e9ad1f6bdfa",
    owner: userShape(world.origin, "github", 9919, "User"),
    name: "GitHub Actions",
    description: "Automate your workflow from idea to production",
    external_url: "https://help.github.com/en/actions",
    html_url: "https://github.com/apps/github-actions",
    created_at: appMade,
    updated_at: appMade,
    permissions: {
      actions: "write",
      contents: "write",
      issues: "write",
      metadata: "read",
      pull_requests: "write",
    },
    events: [],
  };
}

export function viaApp(world: World, author: Account | null) {
  return author?.login === botLogin ? actionsApp(world) : null;
}

export type Association = "OWNER" | "COLLABORATOR" | "NONE";

export function association(world: World, author: Account | null): Association {
  if (author?.login === world.owner) return "OWNER";
  return author?.kind === "user" && ["admin", "maintain", "write"].includes(author.permission)
    ? "COLLABORATOR"
    : "NONE";
}

/** The repository object of a fork: the upstream's, under another owner and id. */
export function forkShape(world: World, fork: Fork): RestRepository {
  const from = `${world.owner}/${world.name}`;
  const to = `${fork.owner.login}/${world.name}`;
  const copy = JSON.parse(JSON.stringify(world.repository).replaceAll(from, to)) as RestRepository;
  return { ...copy, id: fork.id, node_id: nodeId("R", fork.id), owner: fork.owner.rest, fork: true };
}

function rollup(world: World, kind: "issue" | "comment", id: number, url: string) {
  const of = world.reactions.filter(({ subject }) => subject.kind === kind && subject.id === id);
  const count = (content: string) => of.filter((reaction) => reaction.content === content).length;
  return {
    url: `${url}/reactions`,
    total_count: of.length,
    "+1": count("+1"),
    "-1": count("-1"),
    laugh: count("laugh"),
    hooray: count("hooray"),
    confused: count("confused"),
    heart: count("heart"),
    rocket: count("rocket"),
    eyes: count("eyes"),
  };
}

export function commentsOf(world: World, thread: number): readonly Comment[] {
  return [...world.comments.values()].filter((comment) => comment.thread === thread);
}

export function issueShape(world: World, thread: Thread): RestIssue {
  const url = apiUrl(world, `/issues/${thread.number}`);
  const html = htmlUrl(world, `/${thread.pull ? "pull" : "issues"}/${thread.number}`);
  const pull = apiUrl(world, `/pulls/${thread.number}`);
  return {
    url,
    repository_url: apiUrl(world, ""),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: html,
    id: thread.id,
    node_id: nodeId(thread.pull ? "PR" : "I", thread.id),
    number: thread.number,
    title: thread.title,
    user: thread.author?.rest ?? null,
    labels: [],
    state: thread.state,
    locked: thread.locked,
    active_lock_reason: null,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: commentsOf(world, thread.number).length,
    created_at: thread.createdAt,
    updated_at: thread.updatedAt,
    closed_at: thread.closedAt,
    closed_by: null,
    author_association: association(world, thread.author),
    body: thread.body,
    reactions: rollup(world, "issue", thread.number, url),
    timeline_url: `${url}/timeline`,
    performed_via_github_app: viaApp(world, thread.author),
    state_reason: thread.stateReason,
    ...(thread.pull && {
      draft: thread.pull.draft,
      pull_request: {
        url: pull,
        html_url: html,
        diff_url: `${html}.diff`,
        patch_url: `${html}.patch`,
        merged_at: null,
      },
    }),
  };
}

export function commentShape(world: World, comment: Comment): RestComment {
  const url = apiUrl(world, `/issues/comments/${comment.id}`);
  const kind = world.threads.get(comment.thread)?.pull ? "pull" : "issues";
  return {
    url,
    html_url: htmlUrl(world, `/${kind}/${comment.thread}#issuecomment-${comment.id}`),
    issue_url: apiUrl(world, `/issues/${comment.thread}`),
    id: comment.id,
    node_id: nodeId("IC", comment.id),
    user: comment.author?.rest ?? null,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: association(world, comment.author),
    body: comment.body,
    reactions: rollup(world, "comment", comment.id, url),
    performed_via_github_app: viaApp(world, comment.author),
  };
}

export function reactionShape(reaction: Reaction): RestReaction {
  return {
    id: reaction.id,
    node_id: nodeId("REA", reaction.id),
    user: reaction.author.rest,
    content: reaction.content,
    created_at: reaction.createdAt,
  };
}
