import { branchName, branchToMake, commitMessage } from "../delivery/branch.ts";
import { compareLink } from "../delivery/compare-link.ts";
import { type Delivered, deliver, type Target } from "../delivery/deliver.ts";
import { dependencyList } from "../delivery/dependencies.ts";
import type { CommitFile } from "../delivery/host.ts";
import { markerOf } from "../delivery/marker.ts";
import type { StoredPatch } from "../delivery/patches.ts";
import {
  flaggedList,
  type PullRequestFacts,
  pullRequestBody,
  pullRequestTitle,
} from "../delivery/pull-request.ts";
import { isUnproved } from "../gate/evidence.ts";
import type { Candidate } from "./candidate.ts";
import { effectTools } from "./effect-tools.ts";
import { offerHeldBack } from "./held-patch.ts";
import type { Judgement } from "./judge-work.ts";
import { reportChecks } from "./report-checks.ts";
import type { ReadyWork, Work } from "./work.ts";

type Passed = Extract<Judgement, { kind: "passed" }>;

export type Delivery = {
  readonly delivered: Delivered;
  /** Where the commit goes, published or not. */
  readonly branch: string;
  /** Where one click opens the pull request that the settings forbid us to open. */
  readonly compareUrl: string;
  /** Of what was held back; null where nothing was, or where it lies nowhere. */
  readonly patch: StoredPatch | null;
};

/** Publishes what the gate passed: one commit on the base, one branch, one pull request. */
export async function deliverWork(work: ReadyWork, judged: Passed, summary: string): Promise<Delivery> {
  const { identity, means, workspace, board } = work;
  const { session } = identity;
  const { evidence, flagged, dependencies, passed } = judged;
  // What the gate held back is not in the commit, which does not make it unasked for.
  const held = await offerHeldBack(work);
  const title = pullRequestTitle(summary);
  const facts = factsOf(work, judged, {
    summary: withoutTitle(summary, title),
    leftOut: held === null ? [] : [held.sentence],
  });
  const body = pullRequestBody(facts);
  const { key: branchKey, target } = await targetOf(work);
  const delivered = await deliver(
    {
      session,
      passed,
      parent: { sha: identity.baseSha, tree: workspace.baseTree },
      files: await commitFiles(work, judged.candidate),
      message: commitMessage({ title, session, tree: passed.tree, by: identity.actor }),
      target,
      branchKey,
      pullRequest: {
        title,
        body,
        marker: facts.marker,
        draft: means.orders.publish === "draft" || evidence.some(isUnproved),
      },
    },
    { ...effectTools(work), host: means.host },
  );
  if ("head" in delivered && delivered.head !== null)
    await reportChecks(work, judged, { head: delivered.head, tools: effectTools(work) });
  // A commit on a branch has no body in which a person would see it.
  if (delivered.kind !== "pull-request") {
    board.note(flaggedList(flagged));
    board.note(dependencyList(dependencies));
  }
  const bodies = [body, ...shorterMax.map((max) => pullRequestBody(facts, max))] as const;
  const compareUrl = linkTo(work, { branch: target.name, title, bodies });
  return { delivered, branch: target.name, compareUrl, patch: held?.patch ?? null };
}

/** Characters of the model's account in ever shorter bodies, for a link that cannot hold all of it. */
const shorterMax = [2000, 300] as const;

function factsOf(
  { identity, means, room }: ReadyWork,
  { passed, evidence, flagged, dependencies }: Passed,
  said: Pick<PullRequestFacts, "summary" | "leftOut">,
): PullRequestFacts {
  const { session, thread } = identity;
  const { orders, run, key } = means;
  return {
    ...said,
    session,
    triggerPhrase: orders.triggerPhrase,
    marker: markerOf(key, session, "pull-request"),
    tree: passed.tree,
    closes: thread?.kind === "issue" ? thread.number : null,
    evidence,
    flagged,
    dependencies,
    runUrl: run.url,
    startsChecks: orders.startsChecks,
    sandboxOff: room.sandbox === "off",
  };
}

function linkTo(
  { identity, means }: Work,
  about: Pick<Parameters<typeof compareLink>[0], "branch" | "title" | "bodies">,
): string {
  const { owner, name: repo } = identity.repository;
  return compareLink({ ...about, serverUrl: means.serverUrl, owner, repo, base: identity.baseRef });
}

async function targetOf({ identity, means, journal }: Work): Promise<{ key: string; target: Target }> {
  const { thread, session, baseRef } = identity;
  if (thread?.kind === "pull-request") {
    const { number } = thread;
    return { key: `${session}/branch`, target: { kind: "pull-request", name: baseRef, number } };
  }
  const { effects } = journal.state;
  const wanted = branchName(thread, session);
  const { key, name } = await branchToMake(wanted, { session, effects, host: means.host });
  const target: Target =
    means.orders.publish === "branch"
      ? { kind: "branch", name }
      : { kind: "new-branch", name, base: baseRef };
  return { key, target };
}

async function commitFiles({ workspace }: Work, { changes }: Candidate): Promise<readonly CommitFile[]> {
  const files: CommitFile[] = [];
  for (const { path, mode, blob } of changes) {
    const bytes = blob === null ? null : await workspace.objects.blob(blob);
    files.push({ path, mode: mode ?? "100644", bytes });
  }
  return files;
}

/** The first line is the title already; the body need not say it twice. */
function withoutTitle(summary: string, title: string): string {
  const [first = "", ...rest] = summary.trim().split("\n");
  return first.replace(/^#+\s*/, "").trim() === title ? rest.join("\n").trim() : summary;
}
