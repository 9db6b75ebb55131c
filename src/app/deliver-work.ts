import { branchName, branchToMake, commitMessage } from "../delivery/branch.ts";
import { compareLink } from "../delivery/compare-link.ts";
import { type Delivered, deliver, type Target } from "../delivery/deliver.ts";
import { dependencyList } from "../delivery/dependencies.ts";
import type { EffectTools } from "../delivery/effect.ts";
import type { CommitFile } from "../delivery/host.ts";
import { markerOf } from "../delivery/marker.ts";
import { flaggedList, pullRequestBody, pullRequestTitle } from "../delivery/pull-request.ts";
import { isUnproved } from "../gate/evidence.ts";
import { whyFenced } from "../session/claim.ts";
import type { Candidate } from "./candidate.ts";
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
  const title = pullRequestTitle({ summary, issueTitle: null });
  const marker = markerOf(means.key, session, "pull-request");
  const body = pullRequestBody({
    session,
    triggerPhrase: means.orders.triggerPhrase,
    marker,
    closes: thread?.kind === "issue" ? thread.number : null,
    ...(thread?.kind === "fork" ? { buildsOn: thread.number } : {}),
    summary: withoutTitle(summary, title),
    evidence: judged.evidence,
    flagged: judged.flagged,
    dependencies: judged.dependencies,
    leftOut: await leftOut(work),
    runUrl: means.run.url,
    startsChecks: means.orders.startsChecks,
    sandboxOff: work.room.sandbox === "off",
  });
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
    compareUrl: compareLink({ ...link, base: identity.baseRef, branch: target.name, title, body }),
  };
}

/** What the gate held back is not in the commit, which does not make it unasked for. */
async function leftOut(work: Work): Promise<readonly string[]> {
  const held = await offerHeldBack(work);
  return held === null ? [] : [held];
}

/** What effects of this run need. */
export function effectTools(work: Work): EffectTools {
  return {
    append: work.journal.append,
    shipped: async () => {
      await work.shipper.ship();
    },
    fenced: () => fencedNow(work),
    clock: work.means.clock,
    signal: work.means.cancelled,
  };
}

/** Why this run has lost the session to another, or null. */
export function fencedNow({ identity, hold, means }: Pick<Work, "identity" | "hold" | "means">) {
  return whyFenced(identity.session, hold, { leases: means.leases, signal: means.cancelled });
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
