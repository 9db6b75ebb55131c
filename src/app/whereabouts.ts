import { commandSpan, howToGoOn, howToGoOnInWords } from "../delivery/how-to-go-on.ts";
import { codeSpan } from "../delivery/neutral.ts";
import type { RunRef } from "../session/event.ts";
import { type SessionOfThread, sessionsOf } from "./answer.ts";
import type { Means } from "./means.ts";

/** A session of a thread, and who works on it. */
export type Whereabouts = SessionOfThread & {
  /** The run that works on it now, as far as GitHub can tell; null where none does. */
  readonly worker: RunRef | null;
  /** A lease is left of it: it can be resumed. */
  readonly held: boolean;
};

/** Each costs a few requests; older sessions are told of by their comment alone. */
const lookedUpMax = 5;
/** A comment has an end. */
const listedMax = 50;

/** The sessions of a thread, newest first. */
export async function whereaboutsOf(
  thread: number,
  means: Means,
  { signal }: { readonly signal: AbortSignal },
): Promise<readonly Whereabouts[]> {
  const sessions = await sessionsOf(thread, means);
  return Promise.all(
    sessions.map(async (one, at): Promise<Whereabouts> => {
      if (at >= lookedUpMax) return { ...one, worker: null, held: false };
      const newest = (await means.leases.holders(one.session, { signal })).at(-1);
      if (newest === undefined) return { ...one, worker: null, held: false };
      const alive = await means.leases.alive(newest.run, { signal });
      return { ...one, worker: alive === "gone" ? null : newest.run, held: true };
    }),
  );
}

type Said = Pick<Means, "orders" | "repository" | "serverUrl">;

/** Where the sessions of a thread stand, and how each can be gone on with. */
export function statusText(sessions: readonly Whereabouts[], means: Said): string {
  if (sessions.length === 0) return "No session has been started on this thread.";
  const lines = sessions.slice(0, listedMax).map((one) => {
    const { session, url, headline } = one;
    return `- session ${codeSpan(session)}: ${headline} [Its comment](${url}) says more.${next(one, means)}`;
  });
  const older = sessions.length - lines.length;
  const more = older > 0 ? [`- and ${older} older`] : [];
  return `Sessions of this thread, newest first:\n\n${[...lines, ...more].join("\n")}`;
}

function next({ session, headline, worker, held }: Whereabouts, means: Said): string {
  const { triggerPhrase } = means.orders;
  if (worker !== null) {
    return ` ${runLink(worker, means)} works on it now; words after ${commandSpan(triggerPhrase)} are passed on to it, and ${commandSpan(triggerPhrase, "stop")} suspends it.`;
  }
  if (/^Baton stopped: \*\*needs-input\*\*/.test(headline)) return " How to answer stands there too.";
  if (!held) return "";
  if (/^Baton stopped: \*\*gate-failed\*\*/.test(headline))
    return ` ${howToGoOnInWords(triggerPhrase, session)}`;
  const died = headline.startsWith("Baton stopped") ? "" : " No run works on it any more.";
  return `${died} ${howToGoOn(triggerPhrase, session)}`;
}

/** What becomes of the sessions of a thread when somebody says stop: the runs that work on them see it themselves. */
export function stopText(sessions: readonly Whereabouts[], means: Said): string {
  const { triggerPhrase } = means.orders;
  const lines = sessions.flatMap(({ session, worker }) =>
    worker === null
      ? []
      : [
          `${runLink(worker, means)} works on session ${codeSpan(session)}. It sees this within about a minute and suspends: everything up to the last finished call is kept, and what it publishes by then stands. ${howToGoOn(triggerPhrase, session)}`,
        ],
  );
  if (lines.length > 0) return lines.join("\n\n");
  const [newest] = sessions;
  const last = newest === undefined ? "" : ` The newest is ${codeSpan(newest.session)}: ${newest.headline}`;
  return `No run works on a session of this thread now.${last} What was asked for before this and has not begun yet suspends when it begins.`;
}

function runLink({ id }: RunRef, { repository, serverUrl }: Said): string {
  return `[Run ${id}](${serverUrl}/${repository.owner}/${repository.name}/actions/runs/${id})`;
}
