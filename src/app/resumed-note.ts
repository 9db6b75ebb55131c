import { leftOf, type Spent } from "../loop/budget.ts";
import type { Budget, Settlement } from "../session/event.ts";
import type { Change } from "../workspace/workspace.ts";

/** A call as the model would know it again; `subject` is the main one of its arguments, anybody's text. */
export type CallFacts = { readonly tool: string; readonly subject: string | null };

/** Where the work stood when it stopped. `nth` counts the calls of the reply from 1. */
export type Place =
  | { readonly kind: "beginning" }
  | { readonly kind: "between-turns"; readonly turn: number }
  | { readonly kind: "awaiting-reply"; readonly turn: number }
  | { readonly kind: "before-calls"; readonly turn: number }
  | {
      readonly kind: "call";
      readonly turn: number;
      readonly call: CallFacts;
      readonly nth: number;
      readonly of: number;
      /** How it was settled; null where it is left to run again. */
      readonly settled: Settlement | null;
      /** Other calls of the reply that have no result yet. */
      readonly waiting: number;
    }
  | { readonly kind: "gate"; readonly round: number };

export type GateFacts = {
  readonly round: number;
  readonly passed: boolean;
  /** The checks that ran on the change. */
  readonly checks: readonly { readonly name: string; readonly passed: boolean }[];
  /** Whether the files are still those that it judged. */
  readonly current: boolean;
};

export type ResumeFacts = {
  /** The login of who asked for it. */
  readonly by: string;
  readonly place: Place;
  /** The reason of the suspension, null where the run died. */
  readonly suspended: string | null;
  /** Whether the last run, itself a resumed one, died before it had begun anything. */
  readonly idled: boolean;
  readonly changes: readonly Pick<Change, "path" | "status">[];
  readonly gate: GateFacts | null;
  readonly budget: Budget;
  readonly spent: Spent;
  /** The model that a person named in place of the one before, or null. */
  readonly model: string | null;
};

const namesMax = 30;
const nameCharsMax = 120;

/** What the model is told when a session goes on in a new run: facts, in an order that never changes. */
export function resumedNote(facts: ResumeFacts): string {
  const { by, idled, changes, gate, budget, spent, model } = facts;
  const lines = [
    stoppedLine(facts),
    idled ? "A run after that broke off before it had begun anything." : "",
    settledLine(facts),
    "The files are as they were after the last finished call; files that git ignores were rebuilt by setup.",
    changedLine(changes),
    gate === null ? "" : gateLine(gate),
    `Left of the budget: ${leftOf(budget, spent).join(", ")}.`,
    model === null
      ? ""
      : `You are ${shown(model)}; what was thought before was another model's, and is left out.`,
  ];
  const told = lines.filter((line) => line !== "").map((line) => `- ${line}`);
  return [`The work goes on in a new run on a new machine, asked for by ${shown(by)}.`, ...told].join("\n");
}

function stoppedLine({ place, suspended }: ResumeFacts): string {
  const where = whereOf(place);
  return suspended === null
    ? `It broke off ${where}.`
    : `It stopped ${where}: ${reasons[suspended] ?? `it was suspended (${shown(suspended)})`}.`;
}

function whereOf(place: Place): string {
  switch (place.kind) {
    case "beginning":
      return "before the first turn";
    case "between-turns":
      return `after turn ${place.turn}`;
    case "awaiting-reply":
      return `in turn ${place.turn}, before your reply had arrived`;
    case "before-calls":
      return `in turn ${place.turn}, before a call of your reply had begun`;
    case "call":
      return `in turn ${place.turn}, in call ${place.nth} of ${place.of}, ${callName(place.call)}`;
    case "gate":
      return `while the checks ran, in round ${place.round}`;
  }
}

const reasons: Readonly<Record<string, string>> = {
  question: "it waited for an answer to your question",
  approval: "it waited for a person to allow a call",
  "approval-of-setup": "it waited for a person to allow setup on what you changed of its files",
  "setup-denied": "a person did not allow setup on what you changed of its files",
  stopped: "a person stopped it",
  cancelled: "the run was cancelled",
  turns: "the turns of its budget were used up",
  minutes: "the time of its budget was used up",
  tokens: "the tokens of its budget were used up",
  cost: "the money of its budget was used up",
  provider: "no reply could be had",
  stuck: "it did not get on",
  "gate-failed": "the checks had not passed after the last round",
  "unknown-reply": "a reply was not understood",
  unsaved: "it could not be stored",
  "setup-failed": "setup failed",
  workspace: "the files could not be restored",
  sandbox: "no sandbox could be made",
  "not-permitted": "the pull request was refused",
};

function settledLine({ place }: ResumeFacts): string {
  if (place.kind === "awaiting-reply" || place.kind === "gate")
    return "What was under way then is done again.";
  if (place.kind !== "call") return "";
  const { settled, waiting } = place;
  const rest =
    waiting === 0
      ? ""
      : ` ${waiting === 1 ? "The other call" : `The ${waiting} other calls`} without a result will run.`;
  return `${settled === null ? "That call is made again." : settlements[settled]}${rest}`;
}

const settlements: Readonly<Record<Settlement, string>> = {
  "rolled-back": "That call was undone.",
  killed: "That call is not made again.",
  ok: "A person looked, and says that this call took effect.",
  "not-run": "A person looked, and says that this call did not take effect.",
  error: "That call failed.",
};

function callName({ tool, subject }: CallFacts): string {
  return subject === null ? shown(tool) : `${shown(tool)} ${quotedName(subject)}`;
}

function changedLine(changes: ResumeFacts["changes"]): string {
  if (changes.length === 0) return "No file is changed so far.";
  const names = changes.slice(0, namesMax).map(({ path, status }) => `${shown(path)} (${status})`);
  const more = changes.length - names.length;
  return `Files changed so far: ${names.join(", ")}${more === 0 ? "" : ` and ${more} more`}.`;
}

function gateLine({ round, passed, checks, current }: GateFacts): string {
  const on = current ? "the files as they are now" : "earlier files";
  const rows = checks.map(({ name, passed: good }) => `${shown(name)} ${good ? "passed" : "failed"}`);
  const verdict = rows.length > 0 ? rows.join(", ") : passed ? "passed" : "failed before any check ran";
  return `The last round of checks, round ${round}, was on ${on}: ${verdict}.`;
}

/** A name that others gave: as it is where it is plain, else in quotes, with all in it escaped that is not seen. */
function shown(name: string): string {
  return /^[\w@.+\-/[\]]+$/.test(name) && name.length <= nameCharsMax ? name : quotedName(name);
}

function quotedName(name: string): string {
  const points = Array.from(name);
  const cut = points.length > nameCharsMax;
  const text = JSON.stringify(points.slice(0, nameCharsMax).join("") + (cut ? "…" : ""));
  return text.replace(unseen, (point) => `\\u{${point.codePointAt(0)?.toString(16) ?? ""}}`);
}

const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;
