import type { SessionEvent } from "../session/event.ts";
import type { Journal } from "../session/journal.ts";
import { type Context, emptyContext, extend, toldBy } from "./context.ts";
import { type Facts, learn, noFacts } from "./facts.ts";

/**
 * A journal that folds what is appended the way it would be folded on resume. Everything that a run appends goes
 * through one story, from its opening to the end of the run, so that the loop can be entered more than once.
 */
export type Story = Journal & {
  readonly context: Context;
  readonly facts: Facts;
};

/** Open it before anything is appended: it begins with the journal's history. */
export async function openStory(journal: Journal): Promise<Story> {
  let context = emptyContext;
  let facts = noFacts;
  const fold = (event: SessionEvent, text: string) => {
    context = extend(context, event, text);
    facts = learn(facts, event, text);
  };
  // What is stored may differ from what was given (secrets are masked), so the text is always read back.
  const textOf = async (event: SessionEvent) => {
    const told = toldBy(event);
    return told === null ? "" : journal.load(told);
  };
  for (const { event } of journal.history) fold(event, await textOf(event));
  return {
    get state() {
      return journal.state;
    },
    get head() {
      return journal.head;
    },
    get context() {
      return context;
    },
    get facts() {
      return facts;
    },
    history: journal.history,
    append: async (event) => {
      const text = await textOf(event);
      const record = await journal.append(event);
      fold(event, text);
      return record;
    },
    endTurn: async (turn) => {
      const record = await journal.endTurn(turn);
      fold(record.event, "");
      return record;
    },
    store: (text) => journal.store(text),
    load: (payload) => journal.load(payload),
  };
}
