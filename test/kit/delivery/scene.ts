// A session of the app's whole story at a local GitHub, over real HTTP by the real adapter: a thread of its own, and
// what is left of it when a process dies.
import { rm } from "node:fs/promises";
import { treeIdOf } from "../../../src/adapters/memory/git-objects.ts";
import { memoryGitHub } from "../../../src/adapters/memory/host.ts";
import type { Orders } from "../../../src/app/means.ts";
import { parseSha, type Sha } from "../../../src/base/hash.ts";
import { sessionIdOf } from "../../../src/session/id.ts";
import { sealKeyOf } from "../../../src/session/shipment.ts";
import { newFolder } from "../folder.ts";
import { type LocalGitHub, startGitHub } from "../github/local-github.ts";
import { entriesOf } from "../race/memory-workspace.ts";
import type { Stage } from "../story/stage.ts";
import type { Step } from "../story/tale.ts";

/**
 * `issue`: a new branch and a pull request. `pull`: a commit on the branch of the pull request that it was asked on.
 * `branch`: a new branch and nothing more. `question`: as `issue`, and people are asked something before.
 * `fork`: a patch for a pull request whose head is in another repository.
 * `help`: a command that is answered by a reply.
 */
export const scenes = ["issue", "pull", "branch", "question", "fork", "help"] as const;
export type SceneKind = (typeof scenes)[number];

export type Scene = {
  readonly kind: SceneKind;
  readonly github: LocalGitHub;
  readonly stage: Stage;
  readonly thread: number;
  /** The command, and the comment that gave it. */
  readonly says: string;
  readonly comment: number;
  /** Where the commit has to be in the end. */
  readonly branch: string;
  readonly tale: readonly Step[];
  readonly orders: Partial<Orders>;
};

const baseFiles = { "a.txt": "a\n", "b.txt": "b\n", "old.txt": "old\n" };

/** What the branch has to hold in the end, and the patch to make of the base. */
export const endTree = treeIdOf(
  entriesOf(new Map([...Object.entries(baseFiles), ["a.txt", "fixed\n"], ["b.txt", "fixed\n"]])),
);

const write = (path: string) => ({ name: "write", input: { path, text: "fixed\n" } });
const work: readonly Step[] = [
  { calls: [write("a.txt"), write("b.txt")] },
  { text: "Fix a and b\n\nBoth were wrong." },
];
const asks: Step = { calls: [{ name: "ask", input: { question: "Both?" } }] };

export type Ground = AsyncDisposable & { readonly github: LocalGitHub };

export async function openGround(): Promise<Ground> {
  const dir = newFolder("delivery");
  const github = await startGitHub({
    dir,
    owner: "octo",
    repo: "demo",
    users: [{ login: "octo", permission: "admin", token: "token-of-octo" }],
    files: baseFiles,
    // So few that no comment is edited before the end, and enough for every look.
    settings: { requestsLeft: 100 },
  });
  return {
    github,
    [Symbol.asyncDispose]: async () => {
      await github[Symbol.asyncDispose]();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** A fresh thread with a fresh command on it. */
export async function givenScene({ github }: Ground, kind: SceneKind): Promise<Scene> {
  const { thread, topic, sha } = await threadFor(github, kind);
  const says = kind === "help" ? "@baton help" : kind === "fork" ? `@baton fix ${sha}` : "@baton fix";
  const comment = github.comment({ issue: thread, body: says, by: "octo" }).id;
  const { id } = github.repository;
  const session = sessionIdOf(`repo:${id}/comment:${comment}`);
  return {
    kind,
    github,
    thread,
    says,
    comment,
    branch: topic ?? `agent/${thread}-${session}`,
    tale: kind === "question" ? [asks, ...work] : work,
    orders: { setup: [], publish: kind === "branch" ? "branch" : "draft" },
    stage: {
      session,
      key: sealKeyOf("a key that is long enough", id),
      github: memoryGitHub(),
      leases: { leases: [], ended: [] },
      shelves: { stored: [] },
      patches: { stored: [] },
      base: { sha, files: new Map(Object.entries(baseFiles)) },
      processes: [],
      firstRun: comment * 10,
      sandbox: "on",
    },
  };
}

/** `topic` is the branch of a pull request of this repository; `sha` is where the work begins. */
async function threadFor(github: LocalGitHub, kind: SceneKind) {
  if (kind === "fork") {
    const sha = parsed(github.commit({ files: {}, message: "Begin" }));
    const theirs = { head: "topic", sha, fork: "octo", title: "Theirs", by: "octo" };
    return { thread: (await github.pullRequest(theirs)).number, topic: null, sha };
  }
  if (kind !== "pull") {
    const thread = github.createIssue({ title: "Broken", by: "octo" }).number;
    return { thread, topic: null, sha: shaOf(github, "main") };
  }
  const topic = `topic-${github.branches().length}`;
  const sha = parsed(github.commit({ files: {}, message: "Begin", branch: topic }));
  const { number } = await github.pullRequest({ head: topic, title: "Mine", by: "octo" });
  return { thread: number, topic, sha };
}

export function shaOf(github: LocalGitHub, revision: string): Sha {
  return parsed(github.git("rev-parse", revision));
}

function parsed(id: string): Sha {
  const sha = parseSha(id);
  if (sha === null) throw new Error(`${id} is no commit`);
  return sha;
}
