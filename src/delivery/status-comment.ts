import type { EvidenceRow } from "../gate/evidence.ts";
import type { PlanItem } from "../session/event.ts";
import type { SessionId } from "../session/id.ts";
import { evidenceTable } from "./evidence.ts";
import { fitBody } from "./fit.ts";
import { howToGoOn, howToGoOnInWords, sandboxOffSentence } from "./how-to-go-on.ts";
import { neutralCell, neutralText } from "./neutral.ts";
import { type Waits, waitingText } from "./waiting.ts";

/** How a run ended, in words. `outcome` and `reason` are ours; `detail` may hold anybody's text. */
export type Stopped = {
  readonly outcome: string;
  readonly reason: string;
  readonly detail: string;
  readonly resumable: boolean;
  /** Where one click opens the pull request that the settings forbade us to open. */
  readonly compareUrl: string | null;
  /** What it waits for people with. */
  readonly waits?: Waits | null;
};

export type StatusFacts = {
  readonly session: SessionId;
  readonly triggerPhrase: string;
  /** The hidden lines, from `markerOf` and `runsMarkerOf`. */
  readonly markers: readonly string[];
  /** Our own words for what is going on, such as "working" or "running the checks". */
  readonly doing: string;
  readonly plan: readonly PlanItem[];
  readonly turns: number;
  readonly activeMs: number;
  /** Null where a price is unknown. */
  readonly costUsd: number | null;
  readonly runUrl: string | null;
  readonly pullRequest: { readonly number: number; readonly url: string } | null;
  readonly evidence: readonly EvidenceRow[];
  /** Sentences of ours that have to be said: what was removed from the texts, what is not safe. */
  readonly notes: readonly string[];
  readonly sandboxOff: boolean;
  /** Null while the run goes on. */
  readonly stopped: Stopped | null;
};

const planItemsMax = 40;

/** The one comment of a session, as a whole: it is replaced, never appended to. */
export function statusComment(facts: StatusFacts): string {
  return fitBody((max) => {
    const { stopped } = facts;
    const headline = stopped === null ? `Baton is ${facts.doing}.` : `Baton stopped: **${stopped.outcome}**.`;
    const parts = [
      `${facts.markers.join("\n")}\n${headline}`,
      stopped === null ? "" : whyStopped(stopped, facts.triggerPhrase, max),
      facts.sandboxOff ? sandboxOffSentence : "",
      planList(facts.plan),
      facts.evidence.length > 0 ? evidenceTable(facts.evidence) : "",
      ...facts.notes,
      stopped === null ? "" : wayOn(stopped, facts, max),
      spent(facts),
    ];
    return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
  });
}

function whyStopped(stopped: Stopped, triggerPhrase: string, max: number): string {
  const detail = neutralText(stopped.detail, { max, issue: null, triggerPhrase });
  const link = stopped.compareUrl === null ? "" : `[Open the pull request yourself](${stopped.compareUrl})`;
  return [`Reason: ${stopped.reason}.`, detail, link].filter((part) => part !== "").join("\n\n");
}

/** How a session that stopped goes on, where it can; a comment that asks says it all, so it is linked. */
export function wayOn(
  { outcome, resumable, waits }: Stopped,
  { triggerPhrase, session }: Pick<StatusFacts, "triggerPhrase" | "session">,
  max: number,
): string {
  if (!resumable) return "";
  if (outcome === "gate-failed") return howToGoOnInWords(triggerPhrase, session);
  if (waits == null) return howToGoOn(triggerPhrase, session);
  const { waiting, thread, url } = waits;
  if (url === null) return waitingText(waiting, { session, triggerPhrase, thread, max });
  return `[This comment](${url}) says what it waits for, and the replies that continue it.`;
}

/** Checked when done; the item under way says so. */
export function planList(plan: readonly PlanItem[]): string {
  const lines = plan.slice(0, planItemsMax).map(({ text, status }) => {
    const box = status === "done" ? "[x]" : "[ ]";
    return `- ${box} ${neutralCell(text, 200)}${status === "doing" ? " (now)" : ""}`;
  });
  const more = plan.length - planItemsMax;
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
}

export type Spent = Pick<
  StatusFacts,
  "turns" | "activeMs" | "costUsd" | "runUrl" | "pullRequest" | "session"
>;

export function spent(facts: Spent): string {
  const { turns, activeMs, costUsd, runUrl, pullRequest, session } = facts;
  const minutes = Math.floor(activeMs / 60_000);
  const parts = [
    `${turns} ${turns === 1 ? "turn" : "turns"}`,
    `${minutes} ${minutes === 1 ? "minute" : "minutes"}`,
    costUsd === null ? "cost unknown" : `$${costUsd.toFixed(2)}`,
    ...(runUrl === null ? [] : [`[run](${runUrl})`]),
    ...(pullRequest === null ? [] : [`[pull request #${pullRequest.number}](${pullRequest.url})`]),
    `session \`${session}\``,
  ];
  return parts.join(" · ");
}
