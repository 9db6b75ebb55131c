import { digestOf, type Sha, type Tree } from "../../base/hash.ts";
import type { CheckRunHost, CheckRunRef, Host, HostRefusal, HostThread } from "../../delivery/host.ts";
import { commitIdOf, type Entries, treeIdOf, withFiles } from "./git-objects.ts";

type Commit = {
  readonly tree: Tree;
  readonly parents: readonly Sha[];
  /** Null where the files were never told; then the tree's id is taken as given. */
  readonly entries: Entries | null;
  readonly message?: string;
};
type PullRequest = {
  readonly number: number;
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly draft: boolean;
  body: string;
  state: "open" | "closed";
};
type Comment = {
  readonly id: number;
  readonly thread: number;
  /** A login; one that ends in `[bot]` is an app. */
  readonly author: string;
  body: string;
  /** Wall time in ms; without it, older than everything that has one, and recent all the same. */
  readonly at?: number;
  edited?: boolean;
};

/** GitHub's state, open for a test or a terminal to look at and to change. */
export type MemoryGitHub = {
  /** Begins every url. */
  readonly url: string;
  /** Whose comments are ours. */
  readonly self: string;
  /** Numeric ids by login; one is made of the login where none is named. */
  readonly accounts: Map<string, number>;
  readonly threads: Map<number, HostThread>;
  readonly commits: Map<Sha, Commit>;
  readonly branches: Map<string, Sha>;
  readonly pulls: PullRequest[];
  readonly comments: Comment[];
  readonly reactions: { readonly comment: number; readonly content: string }[];
  readonly checkRuns: (Parameters<CheckRunHost["create"]>[0] & { readonly id: number })[];
  /** When false, the token may make no check run. */
  mayMakeCheckRuns: boolean;
  /** When false, pull requests are refused as a repository's settings do. */
  mayOpenPullRequests: boolean;
  nextId: number;
};

export function memoryGitHub(given: Partial<MemoryGitHub> = {}): MemoryGitHub {
  return {
    url: "https://github.example/o/r",
    self: "github-actions[bot]",
    accounts: new Map(),
    threads: new Map(),
    commits: new Map(),
    branches: new Map(),
    pulls: [],
    comments: [],
    reactions: [],
    checkRuns: [],
    mayMakeCheckRuns: true,
    mayOpenPullRequests: true,
    nextId: 1,
    ...given,
  };
}

export function memoryHost(github: MemoryGitHub): Host {
  return {
    allowance: { left: 1 },
    thread: async (number) => github.threads.get(number) ?? null,
    branch: branchHost(github),
    pullRequest: pullRequestHost(github),
    comment: commentHost(github),
    checkRun: checkRunHost(github),
  };
}

function branchHost(github: MemoryGitHub): Host["branch"] {
  const { branches, commits } = github;
  return {
    find: async (name) => {
      const sha = branches.get(name);
      const commit = sha && commits.get(sha);
      if (!commit) return null;
      const { tree, parents, message = "" } = commit;
      return { sha, tree, parents, message };
    },
    commit: async ({ parent, parentTree, tree, files, message }) => {
      const before = [...commits.values()].find((commit) => commit.tree === parentTree)?.entries ?? null;
      const entries = before && withFiles(before, files);
      const made = entries ? treeIdOf(entries) : tree;
      if (made !== tree) throw new Error(`the files make the tree ${made}, not ${tree}`);
      const sha = commitIdOf({ tree, parent, message, number: github.nextId++ });
      commits.set(sha, { tree, parents: [parent], entries, message });
      return { kind: "committed", sha };
    },
    create: async (name, sha) => {
      if (branches.has(name)) return refused("exists", "Reference already exists");
      branches.set(name, sha);
      return { kind: "made" };
    },
    advance: async (name, { from, to }) => {
      const at = branches.get(name);
      if (at === undefined) return refused("gone", `the branch ${name} is gone`);
      if (at !== from) return refused("moved", `the branch ${name} moved to ${at}; expected ${from}`);
      if (!commits.get(to)?.parents.includes(from)) return refused("rejected", "not a fast-forward");
      branches.set(name, to);
      return { kind: "made" };
    },
  };
}

function pullRequestHost(github: MemoryGitHub): Host["pullRequest"] {
  const urlOf = (number: number) => `${github.url}/pull/${number}`;
  return {
    forbidden: async () => null,
    find: async (branch) =>
      github.pulls
        .filter((pull) => pull.branch === branch)
        .sort((a, b) => b.number - a.number)
        .map(({ number, state, body }) => ({ number, url: urlOf(number), state, body })),
    open: async (pull) => {
      if (!github.mayOpenPullRequests)
        return refused(
          "not-permitted",
          "GitHub Actions is not permitted to create or approve pull requests.",
        );
      if (!github.branches.has(pull.branch)) return refused("rejected", "head invalid");
      if (github.pulls.some(({ branch, state }) => branch === pull.branch && state === "open"))
        return refused("exists", `A pull request already exists for ${pull.branch}.`);
      const number = Math.max(0, ...github.threads.keys(), ...github.pulls.map((one) => one.number)) + 1;
      github.pulls.push({ ...pull, number, state: "open" });
      return { kind: "made", id: number, url: urlOf(number) };
    },
    update: async (number, { body }) => {
      const pull = github.pulls.find((one) => one.number === number);
      if (!pull) return refused("gone", "Not Found");
      pull.body = body;
      return { kind: "made", id: number, url: urlOf(number) };
    },
  };
}

function commentHost(github: MemoryGitHub): Host["comment"] {
  const urlOf = ({ thread, id }: Pick<Comment, "thread" | "id">) =>
    `${github.url}/issues/${thread}#issuecomment-${id}`;
  return {
    find: async (number, marker) =>
      github.comments
        .filter((one) => one.thread === number && one.author === github.self && one.body.includes(marker))
        .sort((a, b) => a.id - b.id)
        .map((one) => ({ id: one.id, url: urlOf(one), body: one.body })),
    recent: async (number, { since }) =>
      github.comments
        .filter(({ thread, at }) => thread === number && (at === undefined || at >= since))
        .map(({ id, body, author: login, at: createdAt = 0, edited = false, thread }) => {
          const type = login.endsWith("[bot]") ? "Bot" : "User";
          const author = { login, id: github.accounts.get(login) ?? idOf(login), type };
          const url = urlOf({ id, thread });
          return { id, url, body, author, own: login === github.self, createdAt, edited };
        }),
    create: async (number, body) => {
      const thread = github.threads.get(number);
      if (!thread) return refused("gone", "Not Found");
      if (thread.locked) return refused("locked", "Unable to create comment because issue is locked.");
      const comment = { id: github.nextId++, thread: number, author: github.self, body };
      github.comments.push(comment);
      return { kind: "made", id: comment.id, url: urlOf(comment) };
    },
    update: async (id, body) => {
      const comment = github.comments.find((one) => one.id === id);
      if (!comment) return refused("gone", "Not Found");
      comment.body = body;
      return { kind: "made", id, url: urlOf(comment) };
    },
    react: async (comment, content) => {
      github.reactions.push({ comment, content });
    },
    reacted: async (comment, content) =>
      github.reactions.some((one) => one.comment === comment && one.content === content),
  };
}

function checkRunHost(github: MemoryGitHub): CheckRunHost {
  const urlOf = (id: number) => `${github.url}/runs/${id}`;
  return {
    find: async ({ head, name, externalId }) => {
      const is = (one: CheckRunRef) =>
        one.head === head && one.name === name && one.externalId === externalId;
      const ours = github.checkRuns.find(is);
      return ours === undefined ? null : { id: ours.id, url: urlOf(ours.id) };
    },
    create: async (run) => {
      if (!github.mayMakeCheckRuns)
        return refused("forbidden", "Resource not accessible by integration (needs `checks: write`)");
      const id = github.nextId++;
      github.checkRuns.push({ ...run, id });
      return { kind: "made", id, url: urlOf(id) };
    },
  };
}

function idOf(login: string): number {
  return Number.parseInt(digestOf(login).slice(0, 8), 16);
}

function refused(code: HostRefusal["code"], why: string): HostRefusal {
  return { kind: "refused", code, why };
}
