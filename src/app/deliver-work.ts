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
export async function deliverWork(
  work: ReadyWork,
  judged: Extract<Judgement, { kind: "passed" }>,
  summary: string,
): Promise<Delivery> {
  const { identity, means, workspace } = work;
  const { session, thread } = identity;
  const { repository } = identity;
  // What the gate held back is not in the commit, which does not make it unasked for.
  const held = await offerHeldBack(work);
  const title = pullRequestTitle({ summary, issueTitle: null });
  const marker = markerOf(means.key, session, "pull-request");
  const facts: PullRequestFacts = {
    session,
    triggerPhrase: means.orders.triggerPhrase,
    marker,
    tree: judged.passed.tree,
    closes: thread?.kind === "issue" ? thread.number : null,
    summary: withoutTitle(summary, title),
    evidence: judged.evidence,
    flagged: judged.flagged,
    dependencies: judged.dependencies,
    leftOut: held === null ? [] : [held.sentence],
    runUrl: means.run.url,
    startsChecks: means.orders.startsChecks,
    sandboxOff: work.room.sandbox === "off",
  };
  const body = pullRequestBody(facts);
  const { key: branchKey, target } = await targetOf(work);
  const delivered = await deliver(
    {
      session,
      passed: judged.passed,
      parent: { sha: identity.baseSha, tree: workspace.baseTree },
      files: await commitFiles(work, judged.candidate),
      message: commitMessage({ title, session, tree: judged.passed.tree, by: identity.actor }),
      target,
      branchKey,
      pullRequest: {
        title,
        body,
        marker,
        draft: means.orders.publish === "draft" || judged.evidence.some(isUnproved),
      },
    },
    { ...effectTools(work), host: means.host },
  );
  if ("head" in delivered && delivered.head !== null)
    await reportChecks(work, judged, { head: delivered.head, tools: effectTools(work) });
  // A commit on a branch has no body in which a person would see it.
  if (delivered.kind !== "pull-request") {
    work.board.note(flaggedList(judged.flagged));
    work.board.note(dependencyList(judged.dependencies));
  }
  const link = { serverUrl: means.serverUrl, owner: repository.owner, repo: repository.name };
  return {
    delivered,
    branch: target.name,
    compareUrl: compareLink({
      ...link,
      base: identity.baseRef,
      branch: target.name,
      title,
      bodies: [body, pullRequestBody(facts, 2000), pullRequestBody(facts, 300)],
    }),
    patch: held?.patch ?? null,
  };
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
