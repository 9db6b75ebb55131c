import type { Sha } from "../base/hash.ts";
import { type Delivery, deliverWork } from "./deliver-work.ts";
import type { Ended } from "./end-work.ts";
import { handOver } from "./hand-over.ts";
import type { Judgement } from "./judge-work.ts";
import { sentenceOf } from "./outcome.ts";
import type { ReadyWork } from "./work.ts";

type Passed = Extract<Judgement, { kind: "passed" }>;

/** Publishes what passed, and says what became of it. */
export async function publish(work: ReadyWork, judged: Passed, said: string): Promise<Ended> {
  work.board.evidence(judged.evidence);
  work.board.say("publishing");
  if (work.identity.thread?.kind === "fork") return handOver(work, judged, said);
  const delivery = await deliverWork(work, judged, said);
  return { ...endOf(work, delivery), patch: delivery.patch };
}

function endOf(work: ReadyWork, { delivered, branch, compareUrl }: Delivery): Ended {
  switch (delivered.kind) {
    case "pull-request": {
      const { number, url, head: headSha } = delivered;
      const detail = `Pull request #${number} is open from ${branch}; the checks ran on exactly its tree.`;
      const pullRequest = { number, url };
      return { ...opened, reason: "opened", detail, branch, headSha, pullRequest };
    }
    case "pushed": {
      const detail = `A commit is on ${branch}; the checks ran on exactly its tree.`;
      return { ...opened, reason: "pushed", detail, branch, headSha: delivered.head, ...pullRequestOf(work) };
    }
    case "not-permitted": {
      const { head: headSha, why } = delivered;
      const detail = `${sentenceOf(`The work passed and is on the branch ${branch}, but GitHub refused the pull request: ${why}`)} Open it by the link, or allow it under Settings, Actions, General, "Allow GitHub Actions to create and approve pull requests", and resume.`;
      return { kind: "suspended", reason: "not-permitted", detail, branch, headSha, compareUrl };
    }
    case "refused":
      return refusedEnd(work, delivered, { branch, compareUrl });
  }
}

const opened = { kind: "ended", outcome: "pull-request" } as const;

/** Where nothing more can be done by this run, and what a person can do. */
function refusedEnd(
  { identity }: ReadyWork,
  { effect, code, why, head }: Extract<Delivery["delivered"], { kind: "refused" }>,
  { branch, compareUrl }: Pick<Delivery, "branch" | "compareUrl">,
): Ended {
  const suspended = { kind: "suspended", reason: code } as const;
  if (code === "fenced") {
    const detail = `Nothing more was published here, because the session is another run's: ${why}`;
    return { ...suspended, detail: sentenceOf(detail), branch, headSha: head };
  }
  if (head !== null && effect === "pull-request") {
    const detail = `${sentenceOf(`The work passed and is on the branch ${branch}, but the pull request could not be opened: ${why}`)} Put that right and resume, or open it by the link.`;
    return { ...suspended, detail, branch, headSha: head, compareUrl };
  }
  // What was pushed is not there any more as the checks have seen it, so it is not said to be published.
  if (head !== null) {
    const where = identity.thread?.kind === "pull-request" ? "on what is there now" : "anew";
    const detail = `${sentenceOf(`The work passed and was pushed, but somebody changed that: ${why}`)} ${unforced({ where, branch, at: head })}`;
    return { ...suspended, detail, branch, headSha: head };
  }
  const next =
    code === "moved"
      ? unforced({ where: "on what is there now", branch, at: identity.baseSha })
      : "Resume when that is put right; the checks need not run again.";
  const detail = `${sentenceOf(`The work passed and is kept, but the branch could not be written: ${why}`)} ${next}`;
  return { ...suspended, detail, headSha: null };
}

function unforced({
  where,
  branch,
  at,
}: {
  readonly where: string;
  readonly branch: string;
  readonly at: Sha;
}): string {
  return `Nothing was forced or merged. To have it done ${where}, give the command again; to have it as it is, bring ${branch} back to ${at} and resume.`;
}

/** On a pull request of this repository the commit is part of that pull request. */
function pullRequestOf({ identity, means }: ReadyWork): Pick<Ended, "pullRequest"> {
  const { thread, repository } = identity;
  if (thread?.kind !== "pull-request") return {};
  const { number } = thread;
  const url = `${means.serverUrl}/${repository.owner}/${repository.name}/pull/${number}`;
  return { pullRequest: { number, url } };
}
