import { picturedIn } from "../command/task.ts";
import type { LoopParts, NewInput } from "../loop/run.ts";
import type { Identity } from "../session/event.ts";
import type { State } from "../session/state.ts";
import { openLooks } from "./looks.ts";
import type { Means } from "./means.ts";
import { commentOf, firstOf, inputIdOf, inputOf, type Overheard, overheard } from "./overheard.ts";
import { type Held, picturesFor } from "./pictured.ts";
import { drawBoundary } from "./quote.ts";
import { judgeSpeakers } from "./speakers.ts";

type Stop = {
  /** The login of who said it. */
  readonly by: string;
  /** The input that it is, to be taken in by the suspend. */
  readonly input: string;
};

/** Listens to the session's thread while a run works on it. Closing it ends every look and every wait. */
export type Ears = Disposable &
  Pick<LoopParts, "listen" | "heard"> & {
    /** Aborted when somebody has said stop. */
    readonly stopped: AbortSignal;
    /** Null until then. */
    readonly stop: () => Stop | null;
  };

/** How long the end of a turn, and the end of the work, wait for a look. */
const waitMs = { turn: 5_000, end: 20_000 };

export function openEars(
  { thread }: Pick<Identity, "thread">,
  { means, state, held }: { readonly means: Means; readonly state: () => State; readonly held: () => Held },
): Ears {
  if (thread === null) return deaf();
  const { host, clock, say, earshot } = means;
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, means.cancelled]);
  const stopped = new AbortController();
  const judge = judgeSpeakers(means, signal);
  const notice = noticing(means);
  let stop: Stop | null = null;
  let known: readonly Overheard[] = [];
  let missed = false;

  const look = async (what: "some" | "all"): Promise<void> => {
    const { inputs, since } = state();
    const session = { inputs, since: since ?? earshot.since, earshot };
    const comments = await host.comment.recent(thread.number, { since: session.since, signal });
    const found = overheard(comments, session, means);
    const [said] = await judge(found.filter(({ kind }) => kind === "stop"));
    if (said !== undefined && stop === null) {
      stop = { by: said.author.login, input: inputIdOf(said.id) };
      stopped.abort(new Error(`${stop.by} said stop`));
    }
    // Many may talk beside the work, and only so many are looked up at once: whoever steers it comes first.
    const kinds = what === "all" ? (["addition", "remark"] as const) : (["addition"] as const);
    const words: Overheard[] = [];
    for (const one of kinds) words.push(...(await judge(found.filter(({ kind }) => kind === one))));
    known = words.sort((a, b) => a.id - b.id);
  };

  const failed = (error: unknown): void => {
    if (missed || signal.aborted) return;
    missed = true;
    say(`The comments on #${thread.number} could not be read, and are looked for again: ${String(error)}`);
  };

  const looks = openLooks(look, { host, clock, signal, failed });
  // What was said between the command and now counts before anything is made ready.
  looks.begin();
  return {
    stopped: stopped.signal,
    stop: () => stop,
    listen: looks.begin,
    heard: async (at) => {
      await (at === "end" ? looks.fresh(waitMs.end) : looks.settled(waitMs.turn));
      if (stop !== null) return [];
      const { inputs } = state();
      const words = known.filter(({ kind }) => kind === "addition" || at === "end");
      const boundary = (): string => drawBoundary(means);
      const told = words.flatMap((one) => inputOf(one, boundary) ?? []);
      const taken = firstOf(told.filter(({ id }) => !inputs.includes(id)));
      notice(taken);
      const said = known.filter(({ id }) => taken.some((one) => one.id === inputIdOf(id)));
      return means.pictures === null
        ? taken
        : picturedInputs(said, means, { held: held(), boundary, signal });
    },
    [Symbol.dispose]: () => over.abort(),
  };
}

/** One after the other, so that together they are not more than the session has room for. */
async function picturedInputs(
  said: readonly Overheard[],
  means: Means,
  {
    held,
    boundary,
    signal,
  }: { readonly held: Held; readonly boundary: () => string; readonly signal: AbortSignal },
): Promise<readonly NewInput[]> {
  const inputs: NewInput[] = [];
  let { count, characters } = held;
  for (const one of said) {
    const text = picturedIn(one.text, { kind: "comment", id: one.id });
    const taken = await picturesFor([text], means, { held: { count, characters }, signal });
    count += taken.pictures.length;
    for (const { data } of taken.pictures) characters += data.length;
    const input = inputOf(one, boundary, taken);
    if (input !== null) inputs.push(input);
  }
  return inputs;
}

/** No thread, nobody to listen to. */
function deaf(): Ears {
  return {
    stopped: new AbortController().signal,
    stop: () => null,
    listen: () => undefined,
    heard: async () => [],
    [Symbol.dispose]: () => undefined,
  };
}

/** Who wrote it sees that it was taken in, and no later run takes the command for one that was dropped. */
function noticing({ host }: Pick<Means, "host">): (inputs: readonly NewInput[]) => void {
  const noticed = new Set<string>();
  return (inputs) => {
    for (const { id } of inputs.filter((one) => !noticed.has(one.id))) {
      noticed.add(id);
      void host.comment.react(commentOf(id), "eyes").catch(() => undefined);
    }
  };
}
