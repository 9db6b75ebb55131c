import type { Config } from "../gate/config.ts";
import { settledOn } from "../gate/known.ts";
import { runCheck } from "../gate/run-check.ts";
import type { Story } from "../loop/story.ts";
import type { SessionEvent } from "../session/event.ts";
import type { OpenJournal } from "../session/open-journal.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { sessionChecks } from "./after-setup.ts";
import { eventsOfGates } from "./known-results.ts";
import type { Ground, Means, Room } from "./means.ts";

/**
 * The checks on base, beside the model's work. It never fails a run: what it does not come to, the gate does. Closing
 * it waits until nothing of it is left on the machine.
 */
export type Baseline = AsyncDisposable & {
  /** Once the place of the work is ready; returns at once. */
  readonly begin: (room: Pick<Room, "sandbox">) => void;
  /** Waits for the check that is under way, or for the signal. None begins after it. */
  readonly settle: (signal: AbortSignal) => Promise<void>;
  /** Nothing of it is recorded once this has resolved, which waits for no process and for no file. */
  readonly halt: () => Promise<void>;
};

type Parts = {
  readonly means: Means;
  readonly ground: Ground;
  readonly workspace: Workspace;
  readonly config: Config;
  readonly journal: OpenJournal;
  readonly story: Story;
};

/** After so many deaths of runs the machine does one thing at a time: both together may be what it cannot bear. */
const deathsMax = 2;
/** The runner gives a cancelled run seconds, and `post` removes what is left. */
const closingMsMax = 3_000;

export function openBaseline(parts: Parts, options: { readonly signal: AbortSignal }): Baseline {
  const { means, story } = parts;
  const halted = new AbortController();
  const signal = AbortSignal.any([options.signal, halted.signal]);
  let mayBegin = true;
  let running: Promise<void> = Promise.resolve();
  let appended: Promise<unknown> = Promise.resolve();
  const append = (event: SessionEvent): Promise<unknown> => {
    if (halted.signal.aborted) return Promise.resolve();
    appended = story.append(event);
    return appended;
  };
  const halt = async (): Promise<void> => {
    halted.abort();
    await appended.catch(() => undefined);
  };
  return {
    begin: ({ sandbox }) => {
      if (!isAllowed(parts, sandbox)) return;
      const mayRun = (): boolean => mayBegin && !signal.aborted;
      running = runChecks(parts, { append, mayRun, signal }).catch((error: unknown) => {
        if (!signal.aborted) means.say(`The checks are run on base later, by the gate: ${whyOf(error)}`);
      });
    },
    settle: async (until) => {
      mayBegin = false;
      await Promise.race([running, aborted(until)]);
    },
    halt,
    [Symbol.asyncDispose]: async () => {
      await halt();
      const late = new AbortController();
      const isLate = means.cancelled.aborted ? means.clock.sleep(closingMsMax, late) : running;
      await Promise.race([running, isLate]);
      late.abort();
    },
  };
}

function isAllowed({ means, config, journal }: Parts, sandbox: string): boolean {
  const { total } = journal.state.crashes;
  // Without a sandbox it shares ports and processes with what the model runs.
  return means.spareCore && config.baseline === "beside" && sandbox !== "off" && total < deathsMax;
}

/** One after the other, each as the gate would run it: in a clean checkout, on what setup made. */
async function runChecks(
  parts: Parts,
  {
    append,
    mayRun,
    signal,
  }: {
    readonly append: (event: SessionEvent) => Promise<unknown>;
    readonly mayRun: () => boolean;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { workspace, config, journal } = parts;
  const { checks } = config;
  const tree = workspace.baseTree;
  const settled = settledOn(await eventsOfGates(journal), { on: "base", tree, checks });
  const port = sessionChecks(parts, journal.state);
  const round = journal.state.gate.rounds + 1;
  for (const check of checks) {
    if (settled.has(check.name)) continue;
    if (!mayRun()) return;
    const place = { round, on: "base", tree, beside: true } as const;
    const told = await runCheck(check, place, { port, append, payload: journal.store, signal });
    if (told === null) return;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}

function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${whyOf(error.cause)}`;
}
