import { malformed, markBroken } from "./blocks.ts";
import { makeRoom } from "./compact.ts";
import { messagesOf, usedIds } from "./context.ts";
import type { End } from "./end.ts";
import { leaveOut } from "./leave-out.ts";
import type { ModelRequest, Reply } from "./model.ts";
import { provePairing } from "./pairing.ts";
import { paidFor, replyCost } from "./prices.ts";
import { type Failure, triesMax, unavailable } from "./retry.ts";
import type { Run } from "./run.ts";
import { waitAfter } from "./wait.ts";
import { outputFor, outputWithin, sizeOf, windowOf } from "./window.ts";

/**
 * Asks the model once for the open turn, or for a new one, and records what came. A failed try is dropped whole;
 * null also after the wait that follows it, when the turn is to be asked for again.
 */
export async function request(run: Run): Promise<End | null> {
  const { journal, clock, signal, onLive } = run;
  run.turnStartedAt ??= clock.elapsed();
  const { turn } = journal.state;
  const number = turn.phase === "idle" ? turn.number + 1 : turn.number;
  if (journal.facts.tries >= triesMax) {
    const reason = `${journal.facts.tries} requests got no reply`;
    return unavailable(reason, { nowMs: clock.now(), retryAfterMs: null });
  }
  const asked = requestOf(run);
  const attempt = turn.phase === "idle" ? 1 : turn.attempts + 1;
  await journal.append({
    type: "reply.requested",
    turn: number,
    attempt,
    maxTokens: asked.maxTokens,
    because: journal.facts.because,
  });
  run.listen();
  onLive({ kind: "progress", turn: number, doing: { kind: "asking", attempt } });
  const reply = await run.model.reply(asked, { signal, onLive });
  const failure = reply.kind === "failed" ? reply : failureIn(run, reply);
  if (failure !== null) return failed(run, failure, asked);
  if (reply.kind === "reply") await receive(run, reply);
  return null;
}

function requestOf({ journal, request: frame }: Run): ModelRequest {
  const messages = messagesOf(journal.context);
  provePairing(messages, { paused: journal.facts.pauses > 0 });
  const { model, system, tools } = frame;
  const limit = journal.state.truncated > 0 ? frame.maxTokensRaised : frame.maxTokens;
  const wanted = outputFor(journal.facts.fill, limit);
  const window = windowOf(journal.facts.fill, frame);
  const maxTokens = outputWithin(wanted, { size: sizeOf(journal, frame), window });
  return { model, system, tools, messages, maxTokens };
}

/** A reply that could neither be run nor sent back counts as a failed try. */
function failureIn({ journal }: Run, reply: Extract<Reply, { kind: "reply" }>): Failure | null {
  const why = malformed(reply.content, usedIds(journal.context));
  if (why === null) return null;
  const { usage } = reply;
  return { kind: "failed", verdict: "again", reason: why, status: null, retryAfterMs: null, usage };
}

async function failed(run: Run, failure: Failure, { maxTokens }: ModelRequest): Promise<End | null> {
  const { journal } = run;
  const { number, attempts } = journal.state.turn;
  const { reason, outputMax = null } = failure;
  const shorter = outputMax !== null && outputMax < maxTokens ? { outputMax } : {};
  await journal.append({
    type: "reply.failed",
    turn: number,
    attempt: attempts,
    reason,
    ...shorter,
    ...paidFor(failure, run),
  });
  if (failure.verdict === "too-large") return afterRefusal(run);
  if ("outputMax" in shorter || (await leaveOut(run, failure))) return null;
  return waitAfter(run, failure, journal.facts.tries);
}

/** Asked again only once the conversation is shorter. */
async function afterRefusal(run: Run): Promise<End | null> {
  const room = await makeRoom(run, { refused: true });
  return room === "shortened" || room === "enough" ? null : room;
}

async function receive(run: Run, reply: Extract<Reply, { kind: "reply" }>): Promise<void> {
  const { journal } = run;
  const content = markBroken(reply.content, reply.brokenCalls);
  await journal.append({
    type: "reply.received",
    turn: journal.state.turn.number,
    content: await journal.store(JSON.stringify(content)),
    stopReason: reply.stopReason,
    usage: reply.usage,
    costUsd: replyCost(run.request.model, reply.usage, run.prices),
    requestId: reply.requestId,
  });
}
