// Turns a pull request into GitHub's REST objects.
import { changedFiles } from "./pull-files.ts";
import { ask, branchSha } from "./repository-reads.ts";
import type { RestPull, RestPullSimple } from "./rest-types.ts";
import { apiUrl, association, commentsOf, forkShape, htmlUrl, nodeId, userShape } from "./shapes.ts";
import type { Pull, Thread, World } from "./world.ts";

// What GitHub shows for an author whose account is gone.
const ghostId = 10137;

// The same object in another of the description's types; the contract check reads the real one.
type PullRepository = RestPull["base"]["repo"];

type Side = {
  readonly label: string;
  readonly ref: string;
  readonly sha: string;
  readonly repo: PullRepository;
};
type Sides = { readonly pull: Pull; readonly base: Side; readonly head: Side };

async function sidesOf(world: World, thread: Thread): Promise<Sides> {
  const { pull, number } = thread;
  if (!pull) throw new Error(`issue ${number} is not a pull request`);
  const headSha = await ask(world, "rev-parse", "--verify", "--quiet", `refs/pull/${number}/head`);
  if (headSha === undefined) throw new Error(`pull request ${number} has no head ref`);
  const owner = pull.fork?.owner.login ?? world.owner;
  return {
    pull,
    base: {
      label: `${world.owner}:${pull.base}`,
      ref: pull.base,
      sha: (await branchSha(world, pull.base)) ?? headSha,
      repo: world.repository as PullRepository,
    },
    head: {
      label: `${owner}:${pull.head}`,
      ref: pull.head,
      sha: headSha,
      repo: (pull.fork ? forkShape(world, pull.fork) : world.repository) as PullRepository,
    },
  };
}

function common(world: World, thread: Thread, { pull, base, head }: Sides) {
  const url = apiUrl(world, `/pulls/${thread.number}`);
  const issue = apiUrl(world, `/issues/${thread.number}`);
  const html = htmlUrl(world, `/pull/${thread.number}`);
  const comments = `${url}/comments`;
  const review = `${url}/comments{/number}`;
  const statuses = apiUrl(world, `/statuses/${head.sha}`);
  return {
    url,
    id: pull.id,
    node_id: nodeId("PR", pull.id),
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    issue_url: issue,
    number: thread.number,
    state: thread.state,
    locked: thread.locked,
    title: thread.title,
    user: thread.author?.rest ?? userShape(world.origin, "ghost", ghostId, "User"),
    body: thread.body,
    created_at: thread.createdAt,
    updated_at: thread.updatedAt,
    closed_at: thread.closedAt,
    merged_at: null,
    merge_commit_sha: null,
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    requested_teams: [],
    labels: [],
    milestone: null,
    draft: pull.draft,
    commits_url: `${url}/commits`,
    review_comments_url: comments,
    review_comment_url: review,
    comments_url: `${issue}/comments`,
    statuses_url: statuses,
    head: { ...head, user: head.repo.owner },
    base: { ...base, user: base.repo.owner },
    _links: {
      self: { href: url },
      html: { href: html },
      issue: { href: issue },
      comments: { href: `${issue}/comments` },
      review_comments: { href: comments },
      review_comment: { href: review },
      commits: { href: `${url}/commits` },
      statuses: { href: statuses },
    },
    author_association: association(world, thread.author),
    auto_merge: null,
    active_lock_reason: null,
  };
}

export async function pullSimpleShape(world: World, thread: Thread): Promise<RestPullSimple> {
  return common(world, thread, await sidesOf(world, thread));
}

export async function pullShape(world: World, thread: Thread): Promise<RestPull> {
  const sides = await sidesOf(world, thread);
  const files = await changedFiles(world, sides.base.sha, sides.head.sha);
  const commits = await ask(world, "rev-list", "--count", `${sides.base.sha}..${sides.head.sha}`);
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
  return {
    ...common(world, thread, sides),
    merged: false,
    mergeable: thread.state === "open" ? true : null,
    rebaseable: null,
    mergeable_state: sides.pull.draft ? "draft" : "clean",
    merged_by: null,
    comments: commentsOf(world, thread.number).length,
    review_comments: 0,
    maintainer_can_modify: sides.pull.maintainerCanModify,
    commits: Number(commits ?? 0),
    additions: sum(files.map((file) => file.additions)),
    deletions: sum(files.map((file) => file.deletions)),
    changed_files: files.length,
  };
}
