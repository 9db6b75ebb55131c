import type { Block, Payload } from "../session/event.ts";
import { callsIn, malformed, markBroken } from "./blocks.ts";
import { makeRoom } from "./compact.ts";
import { messagesOf, parseContent, usedIds } from "./context.ts";
import type { End } from "./end.ts";
import { leaveOut } from "./leave-out.ts";
import type { ModelRequest, Reply } from "./model.ts";
import { provePairing } from "./pairing.ts";
import { paidFor, replyCost } from "./prices.ts";
import { type Failure, triesMax, unavailable } from "./retry.ts";
import type { Run } from "./run.ts";
import { waitAfter } from "./wait.ts";
import { outputFor, outputWithin, sizeOf, windowOf } from "./window.ts";

type Received = Extract<Reply, { kind: "reply" }>;

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
  if (reply.kind === "failed") return failed(run, reply, asked);
  const stored = await storeReply(run, reply);
  const failure = failureIn(run, reply, stored.told);
  if (failure !== null) return failed(run, failure, asked);
  await receive(run, reply, stored);
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
function failureIn({ journal }: Run, { usage }: Received, told: readonly Block[]): Failure | null {
  const why = malformed(told, usedIds(journal.context));
  if (why === null) return null;
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

type Stored = {
  readonly content: Payload;
  /** The blocks as they are sent back and decided on: with `***` where a secret stood. */
  readonly told: readonly Block[];
  /** Ids of the calls that are not as the model asked for them. */
  readonly masked: readonly string[];
};

/** Stored before it is judged, since what is stored counts. Where a reply comes to nothing that costs a blob at most. */
async function storeReply({ journal }: Run, reply: Received): Promise<Stored> {
  const blocks = markBroken(reply.content, reply.brokenCalls);
  const content = await journal.store(JSON.stringify(blocks), { json: true });
  const told = parseContent(await journal.load(content));
  const asked = new Map(callsIn(blocks).map(({ id, input }) => [id, JSON.stringify(input)]));
  const changed = callsIn(told).filter(({ id, input }) => asked.get(id) !== JSON.stringify(input));
  return { content, told, masked: changed.map(({ id }) => id) };
}

async function receive(run: Run, reply: Received, { content, masked }: Stored): Promise<void> {
  const { journal } = run;
  await journal.append({
    type: "reply.received",
    turn: journal.state.turn.number,
    content,
    stopReason: reply.stopReason,
    usage: reply.usage,
    costUsd: replyCost(run.request.model, reply.usage, run.prices),
    requestId: reply.requestId,
    ...(masked.length > 0 ? { masked } : {}),
  });
  if (masked.length > 0) run.masked();
}
