import type { Sha, Tree } from "../base/hash.ts";
import type { Passed } from "../gate/verdict.ts";
import type { SessionId } from "../session/id.ts";
import { carryOut, type Effect, type EffectDone, type EffectTools } from "./effect.ts";
import type { CommitFile, Host, HostRefusal } from "./host.ts";

/** Where the commit goes. */
export type Target =
  /** A branch that does not exist yet, and a pull request from it. */
  | { readonly kind: "new-branch"; readonly name: string; readonly base: string }
  /** Our own branch of an earlier delivery, which stands at the commit's parent. */
  | { readonly kind: "own-branch"; readonly name: string; readonly base: string }
  /** A branch that does not exist yet, and nothing more: a person opens the pull request. */
  | { readonly kind: "branch"; readonly name: string }
  /** The branch of the pull request that the work was asked on; no pull request is opened. */
  | { readonly kind: "pull-request"; readonly name: string; readonly number: number };

/** What leaves. Only a judged tree can: `passed` is made by the gate alone. */
export type Work = {
  readonly session: SessionId;
  readonly passed: Passed;
  readonly parent: { readonly sha: Sha; readonly tree: Tree };
  /** Everything in which the passed tree differs from the parent's. */
  readonly files: readonly CommitFile[];
  readonly message: string;
  readonly target: Target;
  /** Of the effect that makes the branch or moves it. */
  readonly branchKey: string;
  readonly pullRequest: {
    readonly title: string;
    /** Holds `marker`. */
    readonly body: string;
    readonly marker: string;
    readonly draft: boolean;
  };
};

export type Delivered =
  | {
      readonly kind: "pull-request";
      readonly branch: string;
      readonly head: Sha;
      readonly number: number;
      readonly url: string;
    }
  /** On the branch of an existing pull request. */
  | { readonly kind: "pushed"; readonly branch: string; readonly head: Sha }
  /** The branch is there and stays; the repository's settings let only a person open the pull request. */
  | { readonly kind: "not-permitted"; readonly branch: string; readonly head: Sha; readonly why: string }
  /** `head` is the published commit where only the pull request was refused. */
  | {
      readonly kind: "refused";
      readonly effect: "branch" | "pull-request";
      readonly code: HostRefusal["code"];
      readonly why: string;
      readonly head: Sha | null;
    };

export type DeliverTools = EffectTools & { readonly host: Host };

/** Publishes a judged tree: a branch, then a pull request. Safe to be called again after any interruption. */
export async function deliver(work: Work, tools: DeliverTools): Promise<Delivered> {
  const { name } = work.target;
  const branch = await carryOut(branchEffect(work, tools), tools);
  if (branch.kind === "refused") return { ...branch, effect: "branch", head: null };
  const head = branch.value;
  const other = await whyOther(work, head, tools.host);
  if (other !== null) return { ...other, effect: "branch", head };
  if (work.target.kind === "pull-request" || work.target.kind === "branch")
    return { kind: "pushed", branch: name, head };
  const pull = await carryOut(pullRequestEffect(work, work.target.base, tools.host), tools);
  if (pull.kind === "done") return { kind: "pull-request", branch: name, head, ...pull.value };
  if (pull.code === "not-permitted") return { kind: "not-permitted", branch: name, head, why: pull.why };
  return { ...pull, effect: "pull-request", head };
}

function branchEffect(work: Work, { host, append }: DeliverTools): Effect<Sha> {
  const { branchKey: key, parent, files, message } = work;
  const { name } = work.target;
  const { tree } = work.passed;
  const detail = { branch: name, parent: parent.sha, tree };
  return {
    key,
    detail: JSON.stringify(detail),
    find: () => findBranch(work, host),
    make: async () => {
      const commit = await host.branch.commit({
        parent: parent.sha,
        parentTree: parent.tree,
        tree,
        files,
        message,
      });
      if (commit.kind === "refused") return { ...commit, unmade: true };
      // Nothing names the commit yet. From here on the log does, whatever becomes of the ref.
      const made = JSON.stringify({ ...detail, commit: commit.sha });
      await append({ type: "effect.intended", key, detail: made });
      const moved =
        work.target.kind === "new-branch" || work.target.kind === "branch"
          ? await host.branch.create(name, commit.sha)
          : await host.branch.advance(name, { from: parent.sha, to: commit.sha });
      return moved.kind === "made" ? doneAt(commit.sha) : moved;
    },
  };
}

/** Ours is what has our tree on our parent, whoever's hand made it; the commit's id holds a time and proves nothing. */
async function findBranch(work: Work, host: Host): Promise<EffectDone<Sha> | HostRefusal | null> {
  const { target, parent, passed } = work;
  const at = await host.branch.find(target.name);
  if (at?.tree === passed.tree && at.parents.length === 1 && at.parents[0] === parent.sha)
    return doneAt(at.sha);
  if (target.kind === "new-branch" || target.kind === "branch") {
    if (at === null) return null;
    return refused("exists", `the branch ${target.name} exists at ${at.sha} with other content`);
  }
  if (at === null) return refused("gone", `the branch ${target.name} is gone`);
  if (at.sha === parent.sha) return target.kind === "pull-request" ? whyOver(target.number, host) : null;
  return refused("moved", `the branch ${target.name} moved to ${at.sha}; the work is on ${parent.sha}`);
}

/** The branch has to hold exactly what the gate passed, once it is there for everybody: others can write to it too. */
async function whyOther({ target, passed }: Work, head: Sha, host: Host): Promise<HostRefusal | null> {
  const at = await host.branch.find(target.name);
  if (at === null) return refused("gone", `the branch ${target.name} is gone again`);
  if (at.sha === head && at.tree === passed.tree) return null;
  const why = `the branch ${target.name} was written as ${head} and is at ${at.sha} now, which the checks have not seen`;
  return refused("moved", why);
}

/** A commit on the branch of a pull request that is over would go nowhere. */
async function whyOver(number: number, host: Host): Promise<HostRefusal | null> {
  const thread = await host.thread(number);
  if (thread === null) return refused("gone", `pull request #${number} is gone`);
  if (thread.state === "open") return null;
  return refused(
    "gone",
    `pull request #${number} was closed or merged meanwhile; reopen it to go on with it`,
  );
}

type Pull = { readonly number: number; readonly url: string };

function pullRequestEffect(work: Work, base: string, host: Host): Effect<Pull> {
  const { name: branch } = work.target;
  const { title, body, draft } = work.pullRequest;
  return {
    key: `${work.session}/pull-request`,
    detail: JSON.stringify({ branch, base }),
    find: () => findPull(work, host),
    make: async () => {
      const made = await host.pullRequest.open({ branch, base, title, body, draft });
      return made.kind === "made" ? opened({ number: made.id, url: made.url }) : made;
    },
  };
}

/** Ours is what carries our marker. It is brought up to date; one that a person closed is left closed. */
async function findPull(work: Work, host: Host): Promise<EffectDone<Pull> | HostRefusal | null> {
  const { marker, body } = work.pullRequest;
  const pulls = await host.pullRequest.find(work.target.name);
  const ours = pulls.filter((pull) => pull.body.includes(marker));
  const open = ours.find(({ state }) => state === "open");
  if (open) {
    if (open.body === body) return opened(open);
    const updated = await host.pullRequest.update(open.number, { body });
    return updated.kind === "made" ? opened(open) : updated;
  }
  const closed = ours[0];
  if (closed) return refused("gone", `the pull request ${closed.url} was closed; reopen it to go on with it`);
  const foreign = pulls.find(({ state }) => state === "open");
  return foreign ? refused("exists", `${foreign.url} is open from the same branch and is not ours`) : null;
}

function opened({ number, url }: Pull): EffectDone<Pull> {
  return { kind: "done", value: { number, url }, detail: String(number), url };
}

function doneAt(sha: Sha): EffectDone<Sha> {
  return { kind: "done", value: sha, detail: sha, url: null };
}

function refused(code: HostRefusal["code"], why: string): HostRefusal {
  return { kind: "refused", code, why };
}
