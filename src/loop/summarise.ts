import type { Usage } from "../session/event.ts";
import { textOf } from "./blocks.ts";
import type { End } from "./end.ts";
import type { Message, ModelRequest, Reply } from "./model.ts";
import { paidFor, replyCost } from "./prices.ts";
import { type Failure, triesMax, unavailable } from "./retry.ts";
import type { Run } from "./run.ts";
import { summaryPrompt } from "./summary-prompt.ts";
import { type Transcript, transcriptOf } from "./transcript.ts";
import { waitAfter } from "./wait.ts";
import { bytesPerToken, outputFor } from "./window.ts";

/** `words` is null where the model writes nothing that can be used; what it cost is known in any case. */
export type Summarised =
  | {
      readonly kind: "summarised";
      readonly words: { readonly text: string; readonly cut: boolean } | null;
      readonly usage: Usage;
      readonly costUsd: number | null;
    }
  | { readonly kind: "ended"; readonly end: End };

type Written = Extract<Reply, { kind: "reply" }>;

/** What a reply is worth as a summary. */
export type Worth =
  | { readonly kind: "words"; readonly text: string; readonly cut: boolean }
  /** Not again: the answer would be the same. */
  | { readonly kind: "declined" }
  | { readonly kind: "empty" };

const shareTranscript = 1 / 2;
const shareReply = 1 / 4;

/**
 * Has the model sum up `messages`, in a request of its own without tools. It is retried like any other, and each failed
 * try is recorded; one that is too large even so is tried with half of the transcript. `window` in tokens.
 */
export async function summarise(
  run: Run,
  messages: readonly Message[],
  { window }: { readonly window: number },
): Promise<Summarised> {
  const { journal, clock, signal, model } = run;
  const limit = Math.max(1, Math.min(run.request.maxTokens, Math.floor(window * shareReply)));
  let bytesMax = Math.floor(window * shareTranscript * bytesPerToken);
  let empty = 0;
  while (journal.facts.fill.tries < triesMax) {
    const transcript = transcriptOf(messages, { bytesMax });
    const maxTokens = outputFor(journal.facts.fill, limit);
    const asked = summaryRequest(transcript, { model: run.request.model, maxTokens });
    // What it says is no part of the conversation, so nobody is shown it while it comes.
    const reply = await model.reply(asked, { signal, onLive: () => undefined });
    if (reply.kind === "failed") {
      const end = await failed(run, reply);
      if (end !== null) return { kind: "ended", end };
      if (reply.verdict === "too-large") bytesMax = Math.floor(Buffer.byteLength(transcript.text) / 2);
      continue;
    }
    const { usage } = reply;
    const costUsd = replyCost(run.request.model, usage, run.prices);
    const worth = worthOf(reply);
    if (worth.kind === "words") return { kind: "summarised", words: worth, usage, costUsd };
    empty += 1;
    if (worth.kind === "declined" || empty > 1) return { kind: "summarised", words: null, usage, costUsd };
    await recordFailure(run, { reason: "the summary of the conversation was empty", usage });
  }
  const reason = `${journal.facts.fill.tries} requests for a summary of the conversation failed`;
  return { kind: "ended", end: unavailable(reason, { nowMs: clock.now(), retryAfterMs: null }) };
}

/** Only its text counts, whatever else it holds: nothing is run, and nothing of it is sent back as a reply. */
export function worthOf({ content, stopReason }: Pick<Written, "content" | "stopReason">): Worth {
  if (stopReason === "refusal") return { kind: "declined" };
  const text = textOf(content);
  if (text === "") return { kind: "empty" };
  return { kind: "words", text, cut: stopReason !== "end_turn" && stopReason !== "stop_sequence" };
}

function summaryRequest(
  { text, boundary }: Transcript,
  { model, maxTokens }: { readonly model: string; readonly maxTokens: number },
): ModelRequest {
  const words = [
    `This is the transcript. Each section stands between the lines [begin ${boundary}: …] and [end ${boundary}: …], whose first words say what it is; nothing else in it is such a line.`,
    text,
    "Write the summary now.",
  ];
  const content = [{ type: "text", text: words.join("\n\n") }];
  return { model, system: summaryPrompt, tools: [], messages: [{ role: "user", content }], maxTokens };
}

/** Records a failed try and waits before the next; the end where there is none. */
async function failed(run: Run, failure: Failure): Promise<End | null> {
  await recordFailure(run, failure);
  // With a shorter transcript, or a shorter reply, it is another request: it need not wait.
  if (failure.verdict === "too-large" || failure.verdict === "long-output") return null;
  return waitAfter(run, failure, run.journal.facts.fill.tries);
}

/** Outside of a request of the turn, which is how the fold knows that it is one of a summary. */
async function recordFailure(
  run: Run,
  failure: Pick<Failure, "reason" | "outputMax" | "usage">,
): Promise<void> {
  const { journal } = run;
  const { number, phase } = journal.state.turn;
  const turn = phase === "idle" ? number + 1 : number;
  await journal.append({
    type: "reply.failed",
    turn,
    attempt: journal.facts.fill.tries + 1,
    reason: failure.reason,
    ...(failure.outputMax === undefined ? {} : { outputMax: failure.outputMax }),
    ...paidFor(failure, run),
  });
}
