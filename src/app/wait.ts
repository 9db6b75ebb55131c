import { fitBody } from "../delivery/fit.ts";
import type { AskedEffect } from "../delivery/marker.ts";
import { markerOf } from "../delivery/marker.ts";
import { postOnce } from "../delivery/open-comment.ts";
import { type Waiting, waitingLine, waitingText } from "../delivery/waiting.ts";
import { askedSetup, setupSummary } from "../delivery/waiting-setup.ts";
import type { End } from "../loop/end.ts";
import type { State } from "../session/state.ts";
import { effectTools } from "./effect-tools.ts";
import { endWork } from "./end-work.ts";
import { interrupted } from "./interrupted.ts";
import { type Outcome, sentenceOf } from "./outcome.ts";
import { approvalEffect, requestedCalls } from "./said.ts";
import { callsAsked } from "./waiting.ts";
import type { Work } from "./work.ts";

/**
 * Ends a run that has to wait for people: they are asked in a comment of its own, once for what is asked, then the
 * session suspends, and this machine is free.
 */
export async function waitForPeople(
  work: Work,
  end: Extract<End, { kind: "asked" | "approval" }>,
): Promise<Outcome> {
  // The runner gives a cancelled run seconds. What waits stays recorded, and the next run asks.
  if (work.means.cancelled.aborted) return endWork(work, interrupted(work));
  const waiting: Waiting =
    end.kind === "asked"
      ? { kind: "question", question: end.question }
      : { kind: "approval", calls: end.calls };
  offerWhole(work, waiting);
  const url = await ask(work, effectOf(end, work.journal.state), waiting);
  const thread = work.identity.thread?.number ?? null;
  return endWork(work, {
    kind: "waits",
    reason: waiting.kind,
    detail: waitingLine(waiting),
    waits: { waiting, thread, url },
  });
}

/** A comment may have to cut what setup would find; without a thread the summary holds what a comment would. */
function offerWhole({ means, identity, board }: Work, waiting: Waiting): void {
  const [call] = waiting.kind === "approval" ? waiting.calls : [];
  const setup = call === undefined || identity.thread === null ? null : askedSetup(call);
  if (call !== undefined && setup !== null) board.offer(setupSummary(call, setup, means.orders));
}

/**
 * The calls that still wait where a person has allowed another one of their reply, null where the work can go on: for
 * that no place has to be made ready.
 */
export async function stillWaiting({
  story,
}: Pick<Work, "story">): Promise<Extract<End, { kind: "approval" }> | null> {
  const { state, facts, checkpoint } = story;
  const ids = requestedCalls(state);
  // Where one of them was denied, none waits any more.
  if (ids.length === 0 || Object.keys(facts.refusals).length > 0) return null;
  const placed = await story.recordsFrom(checkpoint.offset);
  const events = placed.map(({ record }) => record.event);
  return { kind: "approval", calls: await callsAsked(events, ids, (payload) => story.load(payload)) };
}

function effectOf(
  end: Extract<End, { kind: "asked" | "approval" }>,
  { approvals }: Pick<State, "approvals">,
): AskedEffect {
  if (end.kind === "asked") return `question/${end.id}`;
  return approvalEffect(approvals);
}

/** The address of the comment, null where there is none. */
async function ask(work: Work, effect: AskedEffect, waiting: Waiting): Promise<string | null> {
  const { means, identity, journal, shipper, board } = work;
  const { session, thread } = identity;
  if (thread === null) return null;
  const before = journal.state.effects[`${session}/${effect}`];
  if (before?.status === "done") return before.url;
  const marker = markerOf(means.key, session, effect);
  const { triggerPhrase } = means.orders;
  const body = fitBody((max) => {
    const text = waitingText(waiting, { session, triggerPhrase, thread: thread.number, max });
    return `${marker}\n${text}\n`;
  });
  const tools = effectTools(work);
  const posted = await postOnce(
    { session, effect, thread: thread.number, body, marker },
    {
      ...tools,
      host: means.host,
      // Nobody could go on with an answer to it.
      fenced: async () => (shipper.stored() === 0 ? "nothing of it is stored" : tools.fenced()),
    },
  );
  if (posted.kind === "done") return posted.value.url;
  board.note(sentenceOf(`There is no comment that asks: ${posted.why}`));
  return null;
}
