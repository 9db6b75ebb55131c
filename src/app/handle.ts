import { type Authorised, authorise, type Refused } from "../command/authorise.ts";
import type { Command } from "../command/command.ts";
import type { Trigger } from "../command/trigger.ts";
import type { SessionId } from "../session/id.ts";
import { helpText, reply, sessionsOf } from "./answer.ts";
import { briefReply } from "./brief-report.ts";
import { answerDropped } from "./dropped.ts";
import { goOn, judgeCall } from "./go-on.ts";
import { leftToRunReason } from "./left-to-run.ts";
import type { Means } from "./means.ts";
import { type Outcome, outcome } from "./outcome.ts";
import { resume } from "./resume.ts";
import { start } from "./start.ts";
import { statusText, stopText, whereaboutsOf } from "./whereabouts.ts";

/** From what was asked to how it ended: permission first, then the story that the command names. */
export async function handle(
  asked: { readonly trigger: Trigger; readonly command: Command },
  means: Means,
  options: {
    readonly signal: AbortSignal;
    /** What becomes of an error that no story turned into a value; without it, it is thrown on. */
    readonly fault?: (error: unknown) => Outcome;
    /** Whether this run has a session open, whose own comment tells its end. */
    readonly opened?: () => boolean;
  },
): Promise<Outcome> {
  const { signal } = options;
  const { trigger, command } = asked;
  const { triggerPhrase, allowedBots } = means.orders;
  const rules = { allowedBots, triggerPhrase, thread: means.host.thread, signal };
  const checked = await authorise(trigger, command, means.permissions, rules);
  // What nobody could look up because the run was ended says nothing of who gave the command.
  if (checked.kind === "refused" && checked.code === "permission-unknown") signal.throwIfAborted();
  if (checked.kind === "refused") return refuse(checked, trigger, means);
  const noticed = noticing(trigger, means);
  const parts = command.kind === "go-on" ? { ...means, opened: noticed.opened } : means;
  if (command.kind !== "go-on") void noticed.react();
  const ended = await carryOut(checked.command, parts, signal).catch(options.fault ?? thrown);
  if (ended.reason !== leftToRunReason) await noticed.react();
  // Beside a run that works nobody can tell what was dropped and what that run has yet to take in.
  const isBeside = ended.reason === leftToRunReason || ended.reason === "busy";
  if (trigger.kind === "comment" && !signal.aborted && !isBeside) await answerOthers(trigger, means, signal);
  // A session tells its end in its own comment; what ended before there was one is told in a reply.
  if (ended.report === "" && ended.kind !== "ignored" && !options.opened?.())
    await tell(trigger, ended, means);
  return ended;
}

/**
 * The first sign that a command was seen. Words wait for it until a session is open: where they are left to a run that
 * works already, the reaction is that run's to make, and without it a later job tells that nobody took them up.
 */
function noticing(trigger: Trigger, { host, opened }: Pick<Means, "host" | "opened">) {
  let reacted: Promise<void> | null = null;
  const react = (): Promise<void> => {
    reacted ??=
      trigger.kind === "comment" ? host.comment.react(trigger.comment.id, "eyes") : Promise.resolve();
    return reacted;
  };
  return {
    react,
    opened: (session: SessionId): void => {
      void react();
      opened(session);
    },
  };
}

/** Nothing that was done depends on it. */
async function answerOthers(
  trigger: Extract<Trigger, { kind: "comment" }>,
  means: Means,
  signal: AbortSignal,
): Promise<void> {
  await answerDropped(trigger, means, { signal }).catch((error: unknown) => {
    means.say(`Commands before this one on #${trigger.thread.number} were not looked for: ${String(error)}`);
  });
}

function thrown(error: unknown): never {
  throw error;
}

function carryOut(asked: Authorised, means: Means, signal: AbortSignal): Promise<Outcome> {
  const { command } = asked;
  switch (command.kind) {
    case "fix":
      return start(asked, means, { signal });
    case "go-on":
      return goOn(asked, means, { signal });
    case "approve":
    case "deny":
      return judgeCall(asked, means, { signal });
    case "resume":
      return resumeAsked(asked, command, means, signal);
    case "stop":
    case "status":
    case "help":
      return answer(asked, command.kind, means, signal);
  }
}

async function resumeAsked(
  asked: Authorised,
  command: Extract<Command, { kind: "resume" }>,
  means: Means,
  signal: AbortSignal,
): Promise<Outcome> {
  const here = asked.thread === null ? [] : await sessionsOf(asked.thread.number, means);
  const session = command.session ?? here[0]?.session ?? null;
  // Where no lease could be written, the comment is what names the runs.
  const marked = here.find((one) => one.session === session)?.runs ?? [];
  const runs = command.run === null ? marked : [command.run, ...marked];
  if (session !== null) return resume({ session, runs }, asked.by, means, { signal });
  return outcome(
    "refused",
    "not-found",
    "No session has been started on this thread, so there is none to resume.",
  );
}

async function answer(
  asked: Authorised,
  what: "stop" | "status" | "help",
  means: Means,
  signal: AbortSignal,
): Promise<Outcome> {
  const { thread } = asked;
  if (thread === null)
    return outcome("refused", "no-thread", `The command ${what} is answered on a thread only.`);
  const text = await answerTo(what, thread.number, means, signal);
  const unposted = await reply(thread.number, asked.trigger.session, text, means);
  const report = `## Baton: answered\n\n${text}`;
  const detail =
    unposted === null
      ? `#${thread.number} was told ${told[what]}.`
      : `The answer could not be posted on #${thread.number} (${unposted}); it stands in the job summary.`;
  return outcome("answered", what, detail, { report });
}

const told = {
  stop: "what becomes of the work on it",
  status: "where the sessions of this thread stand",
  help: "which commands there are",
} as const;

async function answerTo(
  what: "stop" | "status" | "help",
  thread: number,
  means: Means,
  signal: AbortSignal,
): Promise<string> {
  if (what === "help") return helpText(means.orders.triggerPhrase);
  const sessions = await whereaboutsOf(thread, means, { signal });
  return what === "stop" ? stopText(sessions, means) : statusText(sessions, means);
}

/** A stranger's comment makes no red run and gets one short answer at most. */
async function refuse(refused: Refused, trigger: Trigger, means: Means): Promise<Outcome> {
  const ended = outcome("refused", refused.code, refused.why, { exit: refused.exit });
  if (!refused.quiet) await tell(trigger, ended, means);
  return ended;
}

async function tell(trigger: Trigger, ended: Outcome, means: Means): Promise<void> {
  if (trigger.kind !== "comment") return;
  const text = briefReply(ended, means.orders.triggerPhrase);
  await reply(trigger.thread.number, trigger.session, text, means).catch((error: unknown) => {
    // The end stands in the log and the summary, whatever keeps it from the thread.
    means.say(`No reply on #${trigger.thread.number}: ${String(error)}`);
  });
}
