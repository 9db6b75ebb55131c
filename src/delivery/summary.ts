import { evidenceTable } from "./evidence.ts";
import { sandboxOffSentence } from "./how-to-go-on.ts";
import { neutralText } from "./neutral.ts";
import { planList, type StatusFacts, spent, wayOn } from "./status-comment.ts";

/**
 * The job summary: what the comment says, for where there is no thread, or one that is locked. `offered` is Markdown
 * that only stands here.
 */
export function jobSummary(facts: StatusFacts, offered: readonly string[]): string {
  const { stopped, triggerPhrase } = facts;
  const detail =
    stopped === null ? "" : neutralText(stopped.detail, { max: 20_000, issue: null, triggerPhrase });
  const parts = [
    `## Baton: ${stopped === null ? facts.doing : stopped.outcome}`,
    stopped === null ? "" : `Reason: ${stopped.reason}.`,
    detail,
    stopped?.compareUrl ? `[Open the pull request yourself](${stopped.compareUrl})` : "",
    facts.sandboxOff ? sandboxOffSentence : "",
    planList(facts.plan),
    facts.evidence.length > 0 ? evidenceTable(facts.evidence) : "",
    ...facts.notes,
    ...offered,
    stopped === null ? "" : wayOn(stopped, facts, 20_000),
    spent(facts),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}
