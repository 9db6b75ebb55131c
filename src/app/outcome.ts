import type { StoredPatch } from "../delivery/patches.ts";
import type { Stopped } from "../delivery/status-comment.ts";
import type { Waits } from "../delivery/waiting.ts";
import { withoutSecrets } from "../gate/secrets/secret-rules.ts";
import type { SessionId } from "../session/id.ts";

export type OutcomeKind =
  | "pull-request"
  /** The work passed and is a patch: where it belongs, nothing can be pushed. */
  | "patch"
  | "no-change"
  /** It waits for an answer or an approval. */
  | "needs-input"
  | "suspended"
  | "gate-failed"
  | "refused"
  | "failed"
  | "ignored"
  /** A command that only asks, such as `status` or `help`, was answered. */
  | "answered";

/** How one run ended: what comment, outputs, summary and exit code are made of, so that they agree (R27). */
export type Outcome = {
  readonly kind: OutcomeKind;
  /** A code, such as `turns` or `no-checks`; stable, for workflows to test. */
  readonly reason: string;
  /** One or more whole sentences: what, where, what to do. May hold GitHub's or a check's words: untrusted text. */
  readonly detail: string;
  readonly resumable: boolean;
  readonly exit: 0 | 1;
  readonly session: SessionId | null;
  readonly pullRequest: { readonly number: number; readonly url: string } | null;
  readonly branch: string | null;
  readonly baseSha: string | null;
  readonly headSha: string | null;
  /** Where a patch lies: the work with `patch`, else what of it was held back. Null where there is none. */
  readonly patch: StoredPatch | null;
  /** Where one click opens the pull request that the settings forbade us to open. */
  readonly compareUrl: string | null;
  readonly turns: number;
  /** Null where a price is unknown. */
  readonly costUsd: number | null;
  /** With `needs-input`: what it waits for. Null otherwise. */
  readonly waits: Waits | null;
  /** Markdown for the job summary; empty when there is nothing to report. */
  readonly report: string;
};

const nothing = {
  resumable: false,
  session: null,
  pullRequest: null,
  branch: null,
  baseSha: null,
  headSha: null,
  patch: null,
  compareUrl: null,
  turns: 0,
  costUsd: 0,
  waits: null,
  report: "",
} as const;

export function outcome(
  kind: OutcomeKind,
  reason: string,
  detail: string,
  more: Partial<Omit<Outcome, "kind" | "reason" | "detail">> = {},
): Outcome {
  const told = sentenceOf(withoutSecrets(detail));
  // Only what anybody can bring about is refused without a red run.
  const exit = kind === "refused" ? (more.exit ?? exitOf(kind)) : exitOf(kind);
  return { ...nothing, ...more, kind, reason, detail: told, exit };
}

/** The same for the session's comment and the job summary. */
export function stoppedBy({ kind, reason, detail, resumable, compareUrl, waits }: Outcome): Stopped {
  // What is asked stands there whole where no comment asks it.
  const isAskedThere = resumable && waits !== null && waits.url === null;
  return { outcome: kind, reason, detail: isAskedThere ? "" : detail, resumable, compareUrl, waits };
}

/** What ends a run may come from any room, as a sentence or as the beginning of one; people get whole sentences. */
export function sentenceOf(text: string): string {
  const whole = text.trim();
  const [first = ""] = whole.split(/\s/, 1);
  // Names, paths and ids keep their spelling.
  const begun = /^[a-z][a-z']*$/.test(first) ? `${first.charAt(0).toUpperCase()}${whole.slice(1)}` : whole;
  return begun === "" || /[.!?:]$|```$/.test(begun) ? begun : `${begun}.`;
}

/** What a run that stopped early says of its work, where that is so. */
export const allIsKept = "Everything up to the last finished call is kept.";

/** What the log says of a run that ended with `gate-failed`, whatever the gate refused. */
export const gateFailedReason = "gate-failed";

/** The input that raises a budget. */
export function budgetInput(budget: "turns" | "minutes" | "tokens" | "cost"): string {
  return budget === "cost" ? "max-cost-usd" : `max-${budget}`;
}

function exitOf(kind: OutcomeKind): 0 | 1 {
  switch (kind) {
    case "gate-failed":
    case "refused":
    case "failed":
      return 1;
    case "pull-request":
    case "patch":
    case "no-change":
    case "needs-input":
    case "suspended":
    case "ignored":
    case "answered":
      return 0;
  }
}
