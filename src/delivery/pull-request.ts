import type { Tree } from "../base/hash.ts";
import type { DependencyFile } from "../gate/dependencies/dependencies.ts";
import type { EvidenceRow } from "../gate/evidence.ts";
import type { SessionId } from "../session/id.ts";
import { dependencyList } from "./dependencies.ts";
import { evidenceTable } from "./evidence.ts";
import { fitBody } from "./fit.ts";
import { commandSpan, sandboxOffSentence } from "./how-to-go-on.ts";
import { codeSpan, neutralCell, neutralText, neutralTitle, pathSpan } from "./neutral.ts";

export type PullRequestFacts = {
  readonly session: SessionId;
  readonly triggerPhrase: string;
  /** From `markerOf`. */
  readonly marker: string;
  /** What the checks saw, which is what was pushed. */
  readonly tree?: Tree;
  /** The issue that the work is for; it is closed when the pull request is merged. */
  readonly closes: number | null;
  /** What and why: the model's last message. Untrusted. */
  readonly summary: string;
  readonly evidence: readonly EvidenceRow[];
  /** Files that need a closer look, with our reason. */
  readonly flagged: readonly { readonly path: string; readonly why: string }[];
  /** What is installed otherwise once this is merged. */
  readonly dependencies: readonly DependencyFile[];
  /** What the session did not do, in our words or the model's. */
  readonly leftOut: readonly string[];
  readonly runUrl: string | null;
  /** False with the job's own token, whose pull requests start no workflow. */
  readonly startsChecks: boolean;
  readonly sandboxOff: boolean;
};

const titleMax = 200;
const listMax = 50;

/** The first line of the work's own words, as the model is told to write it; ours where it has none. */
export function pullRequestTitle(summary: string): string {
  const [first = ""] = summary.trim().split("\n");
  return neutralTitle(first.replace(/^#{1,6}[ \t]+/, ""), titleMax) || "Change what was asked for";
}

/** `untrustedMax` bounds the characters of the model's account further than GitHub does. */
export function pullRequestBody(facts: PullRequestFacts, untrustedMax = Number.POSITIVE_INFINITY): string {
  return fitBody((most) => {
    const max = Math.min(most, untrustedMax);
    const parts = [
      facts.marker,
      neutralText(facts.summary, { max, issue: facts.closes, triggerPhrase: facts.triggerPhrase }),
      facts.closes === null ? "" : `Closes #${facts.closes}`,
      facts.sandboxOff ? sandboxOffSentence : "",
      `### Evidence\n\n${measured(facts)}\n\n${evidenceTable(facts.evidence)}`,
      flaggedList(facts.flagged),
      dependencyList(facts.dependencies),
      leftOutList(facts.leftOut),
      howItGoesOn(facts),
    ];
    return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
  });
}

/** Nothing above is proved by being said; and what is pushed later has not been seen. */
function measured({ tree, summary }: PullRequestFacts): string {
  const what = tree === undefined ? "this tree" : `the tree ${codeSpan(tree)} and no later one`;
  const above = summary.trim() === "" ? "" : " What stands above it is the model's own account.";
  return `Baton ran the checks on exactly ${what}.${above}`;
}

/** The files that need a closer look, also for where no body is written; "" where there are none. */
export function flaggedList(flagged: PullRequestFacts["flagged"]): string {
  if (flagged.length === 0) return "";
  const lines = eachFirst(flagged)
    .slice(0, listMax)
    .map(({ path, why }) => `- ${pathSpan(path)}: ${neutralCell(why, 200)}`);
  return ["### Look at these closely", "", ...lines, ...more(flagged.length)].join("\n");
}

/** The first of each kind come first, so that many of one kind cannot push another out of the list. */
function eachFirst<T extends { readonly why: string; readonly kind?: string }>(
  flagged: readonly T[],
): readonly T[] {
  const seen = new Map<string, number>();
  const ranked = flagged.map((one) => {
    const key = one.kind ?? one.why;
    const rank = seen.get(key) ?? 0;
    seen.set(key, rank + 1);
    return { one, rank };
  });
  return flagged.length <= listMax
    ? flagged
    : ranked.toSorted((a, b) => a.rank - b.rank).map(({ one }) => one);
}

function leftOutList(leftOut: readonly string[]): string {
  if (leftOut.length === 0) return "";
  const lines = leftOut.slice(0, listMax).map((text) => `- ${neutralCell(text, 300)}`);
  return ["### Left out", "", ...lines, ...more(leftOut.length)].join("\n");
}

function more(length: number): readonly string[] {
  return length > listMax ? [`- and ${length - listMax} more`] : [];
}

function howItGoesOn(facts: PullRequestFacts): string {
  const sentences = [
    facts.startsChecks
      ? ""
      : "This repository's own workflows have not run on this pull request: one that a job's token opens does not start them. Close and reopen it to start them.",
    `To go on, comment ${commandSpan(facts.triggerPhrase)} and what to change on this pull request.`,
    `Made by Baton, session ${codeSpan(facts.session)}${facts.runUrl === null ? "" : ` ([run](${facts.runUrl}))`}.`,
  ];
  return `---\n\n${sentences.filter((sentence) => sentence !== "").join("\n\n")}`;
}
