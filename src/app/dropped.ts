import { allowedAccount } from "../command/authorise.ts";
import { type Command, parseCommand } from "../command/command.ts";
import type { Trigger } from "../command/trigger.ts";
import { commandSpan } from "../delivery/how-to-go-on.ts";
import { markerOf } from "../delivery/marker.ts";
import { codeSpan } from "../delivery/neutral.ts";
import { sessionOfComment } from "../session/id.ts";
import { reply } from "./answer.ts";
import type { Means } from "./means.ts";

const lookBackMs = 24 * 60 * 60 * 1000;
/** Each may cost a look-up or two; whoever gave more commands than that sees the answers to the newest. */
const answersMax = 5;

/**
 * GitHub drops a waiting run of a concurrency group when a newer one comes to wait, and nobody is told. So a run tells:
 * commands on its thread that were given before its own, by people who may, and which no run has taken up. They are
 * answered and not carried out: whoever gave one may have meant it for the thread as it was. A command that is answered
 * outside of the group, beside a run that works, tells nothing: what waits for that run to end is not dropped yet.
 */
export async function answerDropped(
  { comment, thread, repositoryId }: Extract<Trigger, { kind: "comment" }>,
  means: Means,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  const { host, key, clock, permissions, orders } = means;
  const { triggerPhrase, allowedBots } = orders;
  if (isAnsweredBeside(parseCommand(comment.body, triggerPhrase))) return;
  const since = clock.now() - lookBackMs;
  const said = await host.comment.recent(thread.number, { since, signal });
  const waiting = said.filter(
    ({ id, body, author }) =>
      id < comment.id && author?.type === "User" && parseCommand(body, triggerPhrase) !== null,
  );
  for (const { id, url, author } of waiting.slice(-answersMax)) {
    const session = sessionOfComment(repositoryId, id);
    const markers = [markerOf(key, session, "comment"), markerOf(key, session, "reply")];
    const answered = said.some(({ body, own }) => own && markers.some((marker) => body.includes(marker)));
    if (answered || author === null || (await host.comment.reacted(id, "eyes"))) continue;
    const { kind } = await allowedAccount(author, permissions, { allowedBots, signal });
    if (kind === "refused") continue;
    await reply(thread.number, session, droppedText(url, triggerPhrase), means);
  }
}

function isAnsweredBeside(command: Command | null): boolean {
  return command?.kind === "stop" || command?.kind === "status" || command?.kind === "help";
}

function droppedText(url: string, triggerPhrase: string): string {
  return [
    `No run has taken up [this command](${url}), and a newer one has been answered since.`,
    `GitHub keeps one waiting run of a concurrency group and drops the others, unless the workflow says ${codeSpan("queue: max")} there.`,
    `If no run of it is waiting, give the command again: ${commandSpan(triggerPhrase)} and what to do.`,
  ].join(" ");
}
