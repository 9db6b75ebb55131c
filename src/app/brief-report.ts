import { fitBody } from "../delivery/fit.ts";
import { neutralText } from "../delivery/neutral.ts";
import { waitingText } from "../delivery/waiting.ts";
import type { Outcome } from "./outcome.ts";

type Brief = Pick<Outcome, "kind" | "reason" | "detail" | "session" | "waits">;

/** The reply to a command that ended without a session whose comment could tell it. */
export function briefReply(ended: Brief, triggerPhrase: string): string {
  return fitBody((max) => `Baton stopped: **${ended.kind}**.\n\n${why(ended, triggerPhrase, max)}`);
}

/** The same for the job summary. */
export function briefSummary(ended: Brief, triggerPhrase: string): string {
  return `## Baton: ${ended.kind}\n\n${why(ended, triggerPhrase, 20_000)}\n`;
}

function why({ reason, detail, session, waits }: Brief, triggerPhrase: string, max: number): string {
  const said =
    waits === null || session === null
      ? neutralText(detail, { max, issue: null, triggerPhrase })
      : waitingText(waits.waiting, { session, triggerPhrase, thread: waits.thread, max });
  return `Reason: ${reason}.\n\n${said}`;
}
