import { type Authorised, whyUnfit } from "../command/authorise.ts";
import { sessionsOf } from "./answer.ts";
import { leftToRunReason } from "./left-to-run.ts";
import type { Means } from "./means.ts";
import { type Outcome, outcome } from "./outcome.ts";
import { type Reference, resume } from "./resume.ts";
import { type Said, saidBy } from "./said.ts";
import { start } from "./start.ts";
import { untilHeard } from "./until-heard.ts";

type Options = { readonly signal: AbortSignal };

/**
 * Words for a session: the one that was dispatched with them, or the newest one of the thread. Where that has ended,
 * and where there is none, they are the task of a new one.
 */
export async function goOn(asked: Authorised, means: Means, options: Options): Promise<Outcome> {
  const reference = await sessionFor(asked, means);
  const isNamed = namedIn(asked) !== null;
  // Its own is one that an earlier delivery of the same comment has begun.
  const isOwn = !isNamed && reference?.session === asked.trigger.session;
  if (reference === null || isOwn) return begin(asked, means, options);
  const said = saidBy(asked, means);
  if (said === null)
    return outcome(
      "refused",
      "no-text",
      "The command holds no words that can be seen, so there is nothing to tell.",
    );
  const ended = await resumeWith(said, reference, asked, means, options);
  if (ended.kind !== "refused" || isNamed) return ended;
  if (await isOver(ended, reference, means, options)) return begin(asked, means, options);
  // Time alone ends these.
  if (ended.reason === "busy" || ended.reason === "lost-race") return ended;
  const anew = `To begin anew instead, comment \`${means.orders.triggerPhrase} fix\`.`;
  return { ...ended, detail: `${ended.detail} ${anew}` };
}

/** Words that are left to a run at work are for this one again where that has ended and not taken them in. */
async function resumeWith(
  said: Said,
  reference: Reference,
  { trigger, by }: Authorised,
  means: Means,
  options: Options,
): Promise<Outcome> {
  const say = (): Promise<Outcome> => resume(reference, by, means, { ...options, said });
  // Bounded by the runs that have the session one after the other.
  for (;;) {
    const ended = await say();
    if (ended.reason !== leftToRunReason || trigger.kind !== "comment") return ended;
    const words = { session: reference.session, comment: trigger.comment.id };
    const heard = await untilHeard(words, means, options);
    if (heard === "taken" || options.signal.aborted) return ended;
    // It may have stored by now that nobody hears them there.
    if (heard === "waiting") return say();
  }
}

/**
 * The word of a person on a call that waits. It is for the newest session of the thread alone: that an older one waits
 * for a call of the same id does not say that they were asked about that one.
 */
export async function judgeCall(asked: Authorised, means: Means, options: Options): Promise<Outcome> {
  const sessions = await sessionsFor(asked, means);
  const [newest] = sessions;
  if (newest === undefined) {
    const why = "No session has been started on this thread, so nothing waits for approval.";
    return outcome("refused", "nothing-to-approve", why);
  }
  const ended = await resume(newest, asked.by, means, { ...options, said: saidBy(asked, means) });
  if (sessions.length === 1 || !["ended", "nothing-to-approve"].includes(ended.reason)) return ended;
  const older = `That is the newest session of this thread, \`${newest.session}\`. To answer an older one, dispatch the workflow with its id as \`session\` and with \`answer\`.`;
  return { ...ended, detail: `${ended.detail} ${older}` };
}

/** The session that words are for; its own, where an earlier delivery of them has started one. */
async function sessionFor(asked: Authorised, means: Means): Promise<Reference | null> {
  const sessions = await sessionsFor(asked, means);
  return sessions.find(({ session }) => session === asked.trigger.session) ?? sessions[0] ?? null;
}

/** The sessions that a command may speak of, the newest first. */
async function sessionsFor(asked: Authorised, means: Means): Promise<readonly Reference[]> {
  const named = namedIn(asked);
  if (named !== null) return [named];
  return asked.thread === null ? [] : sessionsOf(asked.thread.number, means);
}

function namedIn({ trigger }: Authorised): Reference | null {
  if (trigger.kind !== "dispatch" || trigger.asks.kind !== "resume") return null;
  const { session, run } = trigger.asks;
  return { session, runs: run === null ? [] : [run] };
}

/**
 * Whether nothing of the session can be gone on with because there is nothing left to do. What it stored expires; a
 * lease says that it had not ended by then.
 */
async function isOver(
  { reason }: Outcome,
  { session }: Reference,
  means: Means,
  { signal }: Options,
): Promise<boolean> {
  if (reason === "ended" || reason === "not-found") return true;
  return reason === "expired" && (await means.leases.holders(session, { signal })).length === 0;
}

function begin(asked: Authorised, means: Means, options: Options): Promise<Outcome> {
  const unfit = whyUnfit(asked, means.orders);
  if (unfit !== null) return Promise.resolve(outcome("refused", unfit.code, unfit.why, { exit: unfit.exit }));
  return start(asked, means, options);
}
