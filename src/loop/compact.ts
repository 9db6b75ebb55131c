import type { PlanItem } from "../session/event.ts";
import type { Placed } from "../session/reader.ts";
import { exhausted, spentOf } from "./budget.ts";
import { messagesOf } from "./context.ts";
import type { End } from "./end.ts";
import type { Run } from "./run.ts";
import { summarise } from "./summarise.ts";
import { type Kept, summaryText } from "./summary-text.ts";
import { afterTurns, tailOf, turnsIn } from "./tail.ts";
import { bytesPerToken, roomFor, sizeOf, windowOf } from "./window.ts";

/** Of the window, for what stands in place of what is left out. */
const shareSummary = 0.22;

/**
 * Sees to it that the next request fits the model's window: where it does not, the older part of the conversation is
 * replaced by a summary. `refused`: the provider has just found the conversation too long.
 */
export async function makeRoom(
  run: Run,
  { refused = false }: { readonly refused?: boolean } = {},
): Promise<"enough" | "shortened" | End> {
  const { journal, request } = run;
  const { fill, pauses } = journal.facts;
  const size = sizeOf(journal, request);
  const window = windowOf(fill, request);
  const { maxTokens } = request;
  const begun = messagesOf(journal.context).length > 1;
  const room = roomFor(fill, { size, window, maxTokens, begun, paused: pauses > 0, refused });
  switch (room.kind) {
    case "enough":
      return "enough";
    case "none":
      return { kind: "provider", reason: room.why, retryAtMs: null };
    case "short":
      return (await compact(run, { why: room.why, size, window })) ?? "shortened";
  }
}

/**
 * Records a summary of the older part of the conversation. Until that is in the log the conversation is what it was, so
 * a run that dies here does it again. Returns the end where no summary can be had.
 */
async function compact(
  run: Run,
  {
    why,
    size,
    window: expected,
  }: { readonly why: "near-full" | "overflow"; readonly size: number; readonly window: number },
): Promise<End | null> {
  const { journal, clock, budget, onLive } = run;
  run.turnStartedAt ??= clock.elapsed();
  const spent = spentOf(journal.state, clock.elapsed() - run.turnStartedAt);
  // A summary is no turn, and one may be needed in the middle of the last.
  const over = exhausted({ ...budget, turns: Number.POSITIVE_INFINITY }, spent);
  if (over !== null) return { kind: "exhausted", budget: over };
  const { number, phase } = journal.state.turn;
  onLive({ kind: "progress", turn: phase === "idle" ? number + 1 : number, doing: { kind: "summarising" } });

  // What the provider does not take may be shorter than was expected.
  const { fill } = journal.facts;
  const window = why === "overflow" ? windowOf({ ...fill, fullAt: size }, run.request) : expected;
  const log = await journal.recordsFrom(0);
  const told = log.filter(({ offset }) => offset >= journal.state.context.from);
  const messages = messagesOf(journal.context);
  const turns = await turnsIn(told, journal.load);
  const tail = tailOf(turns, { messages, size, window });
  const from = tail?.from ?? afterTurns(told);
  const written = await summarise(run, messages.slice(0, tail?.messages), { window });
  if (written.kind === "ended") return written.end;

  const { words, usage, costUsd } = written;
  const keptTurns: Kept["turns"] = tail !== null ? "kept" : turns.length > 0 ? "too-long" : "none";
  const before = log.filter(({ offset }) => offset < from);
  const kept = { ...(await keptOf(run, before)), words, turns: keptTurns };
  const text = summaryText(kept, { bytesMax: Math.floor(window * shareSummary * bytesPerToken) });
  const summary = await journal.store(text);
  await journal.append({ type: "context.compacted", summary, from, usage, costUsd, why });
  return null;
}

/** The facts of what is left out, which the model need not write down. */
async function keptOf(
  { journal, changed }: Run,
  before: readonly Placed[],
): Promise<Omit<Kept, "words" | "turns">> {
  const inputs: Kept["inputs"][number][] = [];
  let findings: string | null = null;
  for (const { record } of before) {
    const { event } = record;
    if (event.type === "input.accepted")
      inputs.push({ text: await journal.load(event.text), images: (event.images ?? []).length });
    if (event.type === "gate.failed") findings = await journal.load(event.findings);
    if (event.type === "gate.passed") findings = null;
  }
  const plan: readonly PlanItem[] = journal.state.plan;
  return { inputs, plan, changed: await changed(), findings };
}
