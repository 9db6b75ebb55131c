import { neutralText } from "../delivery/neutral.ts";
import type { Outcome } from "./outcome.ts";

type Brief = Pick<Outcome, "kind" | "reason" | "detail">;

/** The reply to a command that ended without a session whose comment could tell it. */
export function briefReply(ended: Brief, triggerPhrase: string): string {
  return `Baton stopped: **${ended.kind}**.\n\n${why(ended, triggerPhrase)}`;
}

/** The same for the job summary. */
export function briefSummary(ended: Brief, triggerPhrase: string): string {
  return `## Baton: ${ended.kind}\n\n${why(ended, triggerPhrase)}\n`;
}

function why({ reason, detail }: Brief, triggerPhrase: string): string {
  return `Reason: ${reason}.\n\n${neutralText(detail, { max: 20_000, issue: null, triggerPhrase })}`;
}
