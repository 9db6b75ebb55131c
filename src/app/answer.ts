import { commandSpan } from "../delivery/how-to-go-on.ts";
import { markerOf, readRunsMarker, sessionsIn } from "../delivery/marker.ts";
import { keptComment } from "../delivery/open-comment.ts";
import type { SessionId } from "../session/id.ts";
import type { Means } from "./means.ts";

/** A session, as its status comment names it: where that stands, and which runs stored shipments. */
export type SessionOfThread = {
  readonly session: SessionId;
  readonly url: string;
  /** What the comment says first, in our own words: what is going on, or how it stopped. */
  readonly headline: string;
  readonly runs: readonly string[];
};

/** The sessions of a thread, newest first. */
export async function sessionsOf(
  thread: number,
  { host, key }: Pick<Means, "host" | "key">,
): Promise<readonly SessionOfThread[]> {
  const comments = await host.comment.find(thread, "<!-- agent:v1:");
  const named = comments.flatMap(({ body, url }) =>
    sessionsIn(key, body).map((session) => ({
      session,
      url,
      headline: headlineOf(body),
      runs: readRunsMarker(key, session, body) ?? [],
    })),
  );
  return named.reverse();
}

function headlineOf(body: string): string {
  const line = body.split("\n").find((one) => one.trim() !== "" && !one.startsWith("<!--"));
  return (line ?? "").trim().slice(0, 200);
}

export function helpText(phrase: string): string {
  const line = (command: string, what: string): string =>
    `- write ${commandSpan(phrase, command)} to ${what}`;
  return [
    "The first line of a new comment by somebody with write access can be a command:",
    "",
    line("fix", "have this issue fixed; words after it say more"),
    line("fix <full sha>", "work on exactly that head of a fork's pull request"),
    line("resume", "continue the last session of this thread; a session id continues that one"),
    line("approve", "allow the call that waits; with its id where several do"),
    line("deny", "refuse it; words after its id are told to the model"),
    line("stop", "suspend the session of this thread that is being worked on"),
    line("status", "be shown where the sessions of this thread stand"),
    line("help", "be shown this"),
    "",
    "Any other words after the phrase are told to the session of this thread, such as the answer to its question. Where it has ended, or there is none, they are a task, as with fix.",
  ].join("\n");
}

/**
 * One short reply to a command, in Markdown of ours: anybody else's text in it has to be made harmless before. A run
 * that is repeated brings its own reply up to date and never adds another. Null, or why there is none: a thread that
 * takes no comments is said in the log, and the summary carries the text as well.
 */
export async function reply(
  thread: number,
  session: SessionId,
  text: string,
  means: Pick<Means, "host" | "key" | "say" | "clock" | "cancelled">,
): Promise<string | null> {
  const { host, key, say, clock, cancelled: signal } = means;
  const marker = markerOf(key, session, "reply");
  const body = `${marker}\n${text}\n`;
  const made = await keptComment({ thread, body, marker }, { host, clock, signal, fenced: async () => null });
  if (made.kind === "done") return null;
  say(`The reply could not be posted on #${thread}: ${made.why}`);
  return made.why;
}
