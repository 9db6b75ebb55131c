import { promiseQueue } from "../base/queue.ts";
import type { EventRecord, Payload, SessionEvent } from "../session/event.ts";
import type { Journal, TurnEnd } from "../session/journal.ts";
import type { Placed } from "../session/reader.ts";
import { type Context, emptyContext, extend, type Image, shownBy, summarised, toldBy } from "./context.ts";
import { type Facts, factsFrom, type KeptFacts, keptOf, learn, noFacts } from "./facts.ts";
import { gather, isNews, noReadings, type Readings } from "./readings.ts";

/**
 * A journal that folds what is appended the way it would be folded on resume. Everything that a run appends goes
 * through one story, from its opening to the end of the run, so that the loop can be entered more than once.
 */
export type Story = Omit<Journal, "endTurn"> & {
  readonly context: Context;
  readonly facts: Facts;
  readonly readings: Readings;
  readonly endTurn: (turn: TurnEnd) => Promise<EventRecord>;
};

type Folded = { readonly context: Context; readonly readings: Readings; readonly facts: Facts };

/**
 * Open it before anything is appended: it folds what the journal held when it was opened. The model's context is
 * folded from where it begins, the facts from the last checkpoint; nothing before either is read.
 */
export async function openStory(journal: Journal): Promise<Story> {
  let folded = await foldedAt(journal);
  // Reads that run together settle at the same time: a fold that began from the value before another's would lose it.
  const queued = promiseQueue();
  return {
    get state() {
      return journal.state;
    },
    get head() {
      return journal.head;
    },
    get context() {
      return folded.context;
    },
    get facts() {
      return folded.facts;
    },
    get readings() {
      return folded.readings;
    },
    checkpoint: journal.checkpoint,
    recordsFrom: (offset) => journal.recordsFrom(offset),
    append: (event) =>
      queued(async () => {
        const record = await journal.append(event);
        folded = await fold(folded, record, journal);
        return record;
      }),
    endTurn: (turn) =>
      queued(async () => {
        const event = { type: "turn.ended", ...turn, checkpoint: null } as const;
        const ended = await fold(folded, { event, seq: journal.head.seq + 1 }, journal);
        const record = await journal.endTurn({ ...turn, loop: keptOf(ended.facts) });
        folded = ended;
        return record;
      }),
    store: (text, options) => journal.store(text, options),
    load: (payload) => journal.load(payload),
  };
}

async function foldedAt(journal: Journal): Promise<Folded> {
  const { checkpoint } = journal;
  const { from, summary } = checkpoint.state.context;
  const placed = await journal.recordsFrom(from);
  const before = placed.filter(({ record }) => record.seq <= checkpoint.seq);
  const told = await contextFrom(before, summary, journal);
  let folded: Folded = { ...told, facts: await factsAt(journal, before) };
  for (const { record } of placed.slice(before.length)) folded = await fold(folded, record, journal);
  return folded;
}

async function fold(
  { context, readings, facts }: Folded,
  { event, seq }: Pick<EventRecord, "event" | "seq">,
  journal: Journal,
): Promise<Folded> {
  const text = await textOf(event, journal);
  const learned = learn(facts, event, { text, news: isNews(readings, event) });
  if (event.type === "context.compacted") {
    // When a log is folded again, more may stand behind this record, whose turn comes later.
    const kept = (await journal.recordsFrom(event.from)).filter(({ record }) => record.seq < seq);
    return { ...(await contextFrom(kept, event.summary, journal)), facts: learned };
  }
  const extended = extend(context, event, text, await imagesOf(event, journal));
  return { context: extended, readings: gather(readings, event), facts: learned };
}

async function contextFrom(
  placed: readonly Placed[],
  summary: Payload | null,
  journal: Journal,
): Promise<Pick<Folded, "context" | "readings">> {
  let context = summary === null ? emptyContext : summarised(await journal.load(summary));
  let readings = noReadings;
  for (const { record } of placed) {
    const { event } = record;
    context = extend(context, event, await textOf(event, journal), await imagesOf(event, journal));
    readings = gather(readings, event);
  }
  return { context, readings };
}

/** The facts of the checkpoint, with the last reply before it, which the model's context reaches back to. */
async function factsAt(journal: Journal, before: readonly Placed[]): Promise<Facts> {
  const { loop, seq } = journal.checkpoint;
  if (seq === 0) return noFacts;
  const reply = before.findLast(({ record }) => record.event.type === "reply.received")?.record.event;
  // Only ever what `endTurn` gave to the checkpoint.
  const kept = loop as KeptFacts;
  if (reply?.type !== "reply.received") return factsFrom(kept, null);
  const { content, stopReason, masked = [] } = reply;
  return factsFrom(kept, { text: await journal.load(content), stopReason, masked });
}

/** What is stored may differ from what was given (secrets are masked), so the text is always read back. */
async function textOf(event: SessionEvent, journal: Journal): Promise<string> {
  const told = toldBy(event);
  return told === null ? "" : journal.load(told);
}

function imagesOf(event: SessionEvent, journal: Journal): Promise<readonly Image[]> {
  return Promise.all(
    shownBy(event).map(async ({ mediaType, data }) => ({ mediaType, data: await journal.load(data) })),
  );
}
