import { type Authorised, authorise, type Refused } from "../command/authorise.ts";
import type { Command } from "../command/command.ts";
import type { Trigger } from "../command/trigger.ts";
import { helpText, reply, sessionsOf, statusText } from "./answer.ts";
import type { Means } from "./means.ts";
import { type Outcome, outcome } from "./outcome.ts";
import { resume } from "./resume.ts";
import { start } from "./start.ts";

/** From what was asked to how it ended: permission first, then the story that the command names. */
export async function handle(
  asked: { readonly trigger: Trigger; readonly command: Command },
  means: Means,
  { signal }: { readonly signal: AbortSignal },
): Promise<Outcome> {
  const { trigger, command } = asked;
  const { triggerPhrase, allowedBots } = means.orders;
  const options = { allowedBots, triggerPhrase, thread: means.host.thread, signal };
  const checked = await authorise(trigger, command, means.permissions, options);
  if (checked.kind === "refused") return refuse(checked, trigger, means);
  const reacted = trigger.kind === "comment" ? means.host.comment.react(trigger.comment.id, "eyes") : null;
  const ended = await carryOut(checked.command, means, signal);
  await reacted;
  // A session tells its end in its own comment; what ended before there was one is told in a reply.
  if (ended.report === "" && ended.kind === "refused")
    await tell(trigger, `Refused (${ended.reason}): ${ended.detail}`, means);
  return ended;
}

function carryOut(asked: Authorised, means: Means, signal: AbortSignal): Promise<Outcome> {
  const { command } = asked;
  switch (command.kind) {
    case "fix":
      return start(asked, means, { signal });
    case "resume":
      return resumeAsked(asked, command, means, signal);
    case "status":
    case "help":
      return answer(asked, command.kind, means);
  }
}

async function resumeAsked(
  asked: Authorised,
  command: Extract<Command, { kind: "resume" }>,
  means: Means,
  signal: AbortSignal,
): Promise<Outcome> {
  const { session, run } = command;
  if (session !== null) return resume({ session, run }, asked.by, means, { signal });
  const last = asked.thread === null ? undefined : (await sessionsOf(asked.thread.number, means))[0];
  if (last !== undefined) return resume({ session: last.session, run }, asked.by, means, { signal });
  return outcome(
    "refused",
    "not-found",
    "No session has been started on this thread, so there is none to resume.",
  );
}

async function answer(asked: Authorised, what: "status" | "help", means: Means): Promise<Outcome> {
  const { thread } = asked;
  if (thread === null)
    return outcome("refused", "no-thread", `The command ${what} is answered on a thread only.`);
  const text =
    what === "help"
      ? helpText(means.orders.triggerPhrase)
      : statusText(await sessionsOf(thread.number, means));
  await reply(thread.number, asked.trigger.session, text, means);
  return outcome("answered", what, text, { report: text });
}

/** A stranger's comment makes no red run and gets one short answer at most. */
async function refuse(refused: Refused, trigger: Trigger, means: Means): Promise<Outcome> {
  if (!refused.quiet) await tell(trigger, `Refused: ${refused.why}.`, means);
  return outcome("refused", refused.code, `${refused.why}.`, { exit: refused.exit });
}

async function tell(trigger: Trigger, text: string, means: Means): Promise<void> {
  if (trigger.kind === "comment") await reply(trigger.thread.number, trigger.session, text, means);
}
