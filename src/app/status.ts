import type { EffectTools } from "../delivery/effect.ts";
import { markerOf, runsMarkerOf } from "../delivery/marker.ts";
import { openComment } from "../delivery/open-comment.ts";
import { type StatusFacts, type Stopped, statusComment } from "../delivery/status-comment.ts";
import { jobSummary } from "../delivery/summary.ts";
import type { EvidenceRow } from "../gate/evidence.ts";
import type { Identity } from "../session/event.ts";
import type { State } from "../session/state.ts";
import type { Means } from "./means.ts";
import { sentenceOf } from "./outcome.ts";

type Ending = {
  readonly stopped: Stopped;
  readonly pullRequest: { readonly number: number; readonly url: string } | null;
  /** Leaves the comment as it is. */
  readonly silent: boolean;
};

/** The session's one comment: made in the background, edited on change and not too often, finished at the end. */
export type StatusBoard = {
  /** Makes or finds the comment. Resolves when it stands or cannot; the run does not wait for it. */
  readonly open: (tools: EffectTools) => Promise<void>;
  /** What is going on now; edits the comment when enough time has passed since the last edit. */
  readonly say: (doing: string) => void;
  readonly evidence: (rows: readonly EvidenceRow[]) => void;
  readonly note: (sentence: string) => void;
  readonly sandbox: (kind: string) => void;
  /** The last edit, made however short ago the one before was. Resolves with the job summary. */
  readonly finish: (ending: Ending) => Promise<string>;
};

const editMsMin = 30_000;

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
  let doing = "starting";
  let evidence: readonly EvidenceRow[] = [];
  let sandboxOff = false;
  let comment: { readonly id: number } | null = null;
  let posted = "";
  let postedAt = 0;
  let editing: Promise<void> = Promise.resolve();

  const facts = (ending: Ending | null): StatusFacts => {
    const { turn, activeMs, costUsd, plan } = state();
    return {
      session,
      markers,
      doing,
      plan,
      turns: turn.number,
      activeMs,
      costUsd,
      triggerPhrase,
      runUrl: means.run.url,
      pullRequest: ending?.pullRequest ?? null,
      evidence,
      notes,
      sandboxOff,
      stopped: ending?.stopped ?? null,
    };
  };

  const edit = async (body: string): Promise<void> => {
    if (comment === null || body === posted) return;
    postedAt = means.clock.elapsed();
    if (await replaced(comment.id, body, means)) posted = body;
  };

  return {
    open: (tools) => {
      if (thread === null) return Promise.resolve();
      const opening = async (): Promise<void> => {
        const body = statusComment(facts(null));
        const opened = await openComment(
          { session, thread: thread.number, body, marker },
          { ...tools, host: means.host },
        );
        if (opened.kind === "done") {
          comment = opened.value;
          posted = body;
          postedAt = means.clock.elapsed();
        } else notes.push(sentenceOf(`There is no status comment: ${opened.why}`));
      };
      editing = awaitedLater(opening());
      return editing;
    },
    say: (now) => {
      doing = now;
      if (comment === null || means.clock.elapsed() - postedAt < editMsMin) return;
      editing = awaitedLater(editing.then(() => edit(statusComment(facts(null)))));
    },
    evidence: (rows) => {
      evidence = rows;
    },
    note: (sentence) => void notes.push(sentence),
    sandbox: (kind) => {
      sandboxOff = kind === "off";
    },
    finish: async (ending) => {
      await editing;
      if (!ending.silent) await edit(statusComment(facts(ending)));
      return jobSummary(facts(ending));
    },
  };
}

/** A run that ends by an error never comes to finish its comment, where this would come out. */
function awaitedLater(work: Promise<void>): Promise<void> {
  work.catch(() => undefined);
  return work;
}

async function replaced(id: number, body: string, means: Means): Promise<boolean> {
  const updated = await means.host.comment.update(id, body);
  if (updated.kind === "refused") means.say(`The status comment could not be edited: ${updated.why}`);
  return updated.kind === "made";
}
