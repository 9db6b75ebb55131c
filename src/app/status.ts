import type { EffectTools } from "../delivery/effect.ts";
import { markerOf, runsMarkerOf } from "../delivery/marker.ts";
import { keptComment, openComment } from "../delivery/open-comment.ts";
import { type StatusFacts, type Stopped, statusComment } from "../delivery/status-comment.ts";
import { jobSummary } from "../delivery/summary.ts";
import type { EvidenceRow } from "../gate/evidence.ts";
import type { OnLive } from "../loop/live.ts";
import type { Identity } from "../session/event.ts";
import type { State } from "../session/state.ts";
import { doingOf } from "./doing.ts";
import { keepComment } from "./kept-comment.ts";
import type { Means } from "./means.ts";
import { sentenceOf } from "./outcome.ts";

type Ending = {
  readonly stopped: Stopped;
  readonly pullRequest: { readonly number: number; readonly url: string } | null;
  /** Leaves the comment as it is. */
  readonly silent: boolean;
};

type Missed = {
  readonly why: string;
  readonly tools: EffectTools & Pick<Means, "host">;
  readonly thread: number;
  readonly marker: string;
};

/** The session's one comment: made in the background, edited on change and not too often, finished at the end. */
export type StatusBoard = {
  /** Makes or finds the comment. Resolves when it stands or cannot; the run does not wait for it. */
  readonly open: (tools: EffectTools) => Promise<void>;
  /** What is going on now, for the next edit: at once where enough time has passed since the last one, else then. */
  readonly say: (doing: string) => void;
  /** The same, from what a run notifies of. */
  readonly watch: OnLive;
  readonly evidence: (rows: readonly EvidenceRow[]) => void;
  /** Said once, however often it is noted. */
  readonly note: (sentence: string) => void;
  /** Markdown for the job summary alone. */
  readonly offer: (markdown: string) => void;
  readonly sandbox: (kind: string) => void;
  /** The last edit, made however short ago the one before was. Resolves with the job summary. */
  readonly finish: (ending: Ending) => Promise<string>;
};

export function openBoard(
  identity: Identity,
  options: {
    readonly means: Means;
    readonly state: () => State;
    readonly runs: readonly string[];
    readonly notes: readonly string[];
  },
): StatusBoard {
  const { means, state } = options;
  const { session, thread } = identity;
  const { triggerPhrase } = means.orders;
  const marker = markerOf(means.key, session, "comment");
  const markers = [marker, runsMarkerOf(means.key, session, options.runs)];
  const notes = [...options.notes];
  const offered: string[] = [];
  const fixed = { session, markers, triggerPhrase, runUrl: means.run.url, notes };
  let doing = "starting";
  let evidence: readonly EvidenceRow[] = [];
  let sandboxOff = false;
  let opening: Promise<void> = Promise.resolve();
  /** Why there is no comment yet, and what it takes to ask for it once more at the end. */
  let missed: Missed | null = null;

  const facts = (ending: Ending | null): StatusFacts => {
    const { turn, activeMs, costUsd, plan } = state();
    return {
      ...fixed,
      doing,
      plan,
      turns: turn.number,
      activeMs,
      costUsd,
      pullRequest: ending?.pullRequest ?? null,
      evidence,
      sandboxOff,
      stopped: ending?.stopped ?? null,
    };
  };

  const comment = keepComment(() => statusComment(facts(null)), means);
  const say = (now: string): void => {
    doing = now;
    comment.stale();
  };

  return {
    open: (tools) => {
      if (thread === null) return Promise.resolve();
      const make = async (): Promise<void> => {
        const body = statusComment(facts(null));
        const opened = await openComment(
          { session, thread: thread.number, body, marker },
          { ...tools, host: means.host },
        );
        if (opened.kind === "done") comment.opened(opened.value.id, body);
        else
          missed = { why: opened.why, tools: { ...tools, host: means.host }, thread: thread.number, marker };
      };
      opening = make();
      // A run that ends by an error never comes to finish its comment, where this would come out.
      opening.catch(() => undefined);
      return opening;
    },
    say,
    watch: (live) => {
      const now = doingOf(live, state().turn.number);
      if (now !== null) say(now);
    },
    evidence: (rows) => {
      evidence = rows;
    },
    note: (sentence) => void (notes.includes(sentence) || notes.push(sentence)),
    offer: (markdown) => void offered.push(markdown),
    sandbox: (kind) => {
      sandboxOff = kind === "off";
    },
    finish: async (ending) => {
      await opening;
      const body = ending.silent ? null : statusComment(facts(ending));
      const unedited = await comment.finish(body);
      const unmade = missed && (body === null ? noComment(missed.why) : await openLate(missed, body));
      notes.push(...[unedited, unmade].filter((note) => note !== null));
      return jobSummary(facts(ending), offered);
    },
  };
}

/** GitHub may be there again, the thread unlocked. Null, or that there is still no comment. */
async function openLate({ tools, ...comment }: Missed, body: string): Promise<string | null> {
  const made = await keptComment({ ...comment, body }, tools);
  return made.kind === "done" ? null : noComment(made.why);
}

function noComment(why: string): string {
  return sentenceOf(`There is no status comment: ${why}`);
}
