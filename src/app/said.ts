import type { Authorised } from "../command/authorise.ts";
import { followUpText } from "../command/task.ts";
import type { AskedEffect } from "../delivery/marker.ts";
import { type Approval, isOfSetup } from "../session/approvals.ts";
import type { SessionEvent } from "../session/event.ts";
import { deathsBefore, type State } from "../session/state.ts";
import type { Means } from "./means.ts";
import { drawBoundary } from "./quote.ts";

/**
 * What a person says to the session that is resumed by it. `input` names where it was said, so that it is taken in
 * once; `text` is what the model is told of it; without a `call` the only one that waits is meant.
 */
export type Said =
  | { readonly kind: "words"; readonly input: string; readonly text: string; readonly asked: Authorised }
  | { readonly kind: "approve"; readonly input: string; readonly call: string | null }
  | {
      readonly kind: "deny";
      readonly input: string;
      readonly call: string | null;
      readonly text: string | null;
      readonly asked: Authorised;
    };

/** Where a command was said, unique in a session: its comment, or the run that was dispatched with it. */
export function inputIdOf({ trigger }: Authorised, run: string): string {
  return trigger.kind === "comment" ? `comment:${trigger.comment.id}` : `run:${run}`;
}

/** Null where the command brings no words that the model could be told. */
export function saidBy(asked: Authorised, means: Means): Said | null {
  const { command } = asked;
  const { owner, name } = means.repository;
  const input = inputIdOf(asked, means.run.id);
  if (command.kind === "approve") return { kind: "approve", input, call: command.id };
  const told = followUpText(asked, {
    repository: `${owner}/${name}`,
    boundary: () => drawBoundary(means),
  });
  const text = told.kind === "task" ? told.text : null;
  if (command.kind === "deny") return { kind: "deny", input, call: command.id, text, asked };
  return text === null ? null : { kind: "words", input, text, asked };
}

/**
 * Whether a session has taken this in before, or began by a later comment: a command can be delivered late and again.
 * Of two comments the later one has the greater id.
 */
export function isTaken({ input }: Said, { inputs }: State): boolean {
  const [first = ""] = inputs;
  return inputs.includes(input) || isBefore(input, commentIn(first));
}

function isBefore(input: string, comment: number | null): boolean {
  const own = commentIn(input);
  return own !== null && comment !== null && own < comment;
}

function commentIn(input: string): number | null {
  const [, id] = /^comment:(\d{1,16})$/.exec(input) ?? [];
  return id === undefined ? null : Number(id);
}

export type Answers =
  | {
      readonly kind: "answers";
      /** What becomes of the calls that wait. */
      readonly events: readonly SessionEvent[];
      /** What the model is told after that, or null. */
      readonly input: { readonly id: string; readonly text: string; readonly asked: Authorised } | null;
    }
  | {
      readonly kind: "refused";
      readonly code: "nothing-to-approve" | "several-wait" | "id-missing";
      readonly why: string;
    };

/** Ids of what a person can allow or deny now; calls of a run that died are abandoned, and setup is not. */
export function waitingCalls(state: State, gen: number): readonly string[] {
  const died = deathsBefore(state, gen) > 0;
  return requestedCalls(state, (approval) => !died || isOfSetup(approval));
}

/** The same while a run has the session. */
export function requestedCalls(
  { approvals }: Pick<State, "approvals">,
  counts: (approval: Approval) => boolean = () => true,
): readonly string[] {
  return Object.entries(approvals).flatMap(([id, approval]) =>
    approval.status === "requested" && counts(approval) ? [id] : [],
  );
}

/** What was said, as the session that goes on with generation `gen` has it recorded. */
export function answersTo(
  state: State,
  said: Said | null,
  { gen, by }: { readonly gen: number; readonly by: string },
): Answers {
  if (said === null) return { kind: "answers", events: [], input: null };
  const waiting = waitingCalls(state, gen);
  if (said.kind === "words") {
    // Somebody who says something else than yes has not allowed what waits.
    const refused = waiting.filter((id) => !isUnseen(id, said, state));
    const events = refused.map((id): SessionEvent => ({ type: "approval.denied", id, by }));
    return { kind: "answers", events, input: { id: said.input, text: said.text, asked: said.asked } };
  }
  const id = said.call ?? waiting[0];
  if (id === undefined || !waiting.includes(id)) return nothing(said.call, waiting, state);
  if (said.call === null && waiting.length > 1) {
    const why = `${waiting.length} calls of this session wait, so the id has to be given: ${listed(waiting)}`;
    return { kind: "refused", code: "several-wait", why };
  }
  const { input } = said;
  const unnamed = said.call === null ? refuseUnnamed(input, id, state) : null;
  if (unnamed !== null) return unnamed;
  if (said.kind === "approve") {
    return { kind: "answers", events: [{ type: "approval.granted", id, by, input }], input: null };
  }
  // Its words follow as an input of their own, by which it is taken in.
  const denied = said.text === null ? { by, input } : { by };
  return {
    kind: "answers",
    events: [{ type: "approval.denied", id, ...denied }],
    input: said.text === null ? null : { id: input, text: said.text, asked: said.asked },
  };
}

/**
 * Who names no call means the one that they have been asked about: so a comment asked for it, and theirs came after
 * that. A dispatch may have waited behind a run that asked for another call since, and nothing says which came first.
 */
function refuseUnnamed(
  input: string,
  id: string,
  state: State,
): Extract<Answers, { kind: "refused" }> | null {
  const asked = askedBy(state);
  if (asked !== null && isBefore(input, asked)) return nothing(null, [], state);
  if (asked !== null && commentIn(input) !== null) return null;
  const why = `only a comment that answers the one that asks can leave out the id of the call: ${listed([id])}`;
  return { kind: "refused", code: "id-missing", why };
}

/**
 * Whether a comment was written before the one that asks for setup, or none asks for it: then its words are no answer.
 * A refusal would stand for the whole session, since it is about these very files.
 */
function isUnseen(id: string, { input }: Said, state: State): boolean {
  const approval = state.approvals[id];
  if (approval === undefined || !isOfSetup(approval) || commentIn(input) === null) return false;
  const asked = askedBy(state);
  return asked === null || isBefore(input, asked);
}

/** The comment that asks for the calls that wait now. */
function askedBy({ effects, identity, approvals }: State): number | null {
  const asked = identity === null ? undefined : effects[`${identity.session}/${approvalEffect(approvals)}`];
  return asked?.status === "done" ? Number(asked.detail) : null;
}

/**
 * One comment asks for all calls of a reply: it stands for those that are left when another one was allowed. Setup is
 * asked for alone, since nothing else can wait once the work is finished.
 */
export function approvalEffect(approvals: State["approvals"]): AskedEffect {
  const [setup] = requestedCalls({ approvals }, isOfSetup);
  return `approval/${setup ?? callsIn(approvals)[0] ?? ""}`;
}

function callsIn(approvals: State["approvals"]): readonly string[] {
  return Object.entries(approvals).flatMap(([id, approval]) => (isOfSetup(approval) ? [] : [id]));
}

function nothing(
  call: string | null,
  waiting: readonly string[],
  { status, approvals, reason }: State,
): Extract<Answers, { kind: "refused" }> {
  const refused = (why: string) => ({ kind: "refused", code: "nothing-to-approve", why }) as const;
  const what =
    call === null
      ? "no call of this session waits for approval"
      : `the call ${call} does not wait for approval`;
  if (waiting.length > 0) return refused(`${what}; these do: ${listed(waiting)}`);
  if (status === "suspended" && reason === "question")
    return refused(`${what}: the session waits for an answer to its question, in words`);
  if (callsIn(approvals).length > 0)
    return refused(
      `${what} any more: the run that it was for has died. Resume the session, and the model asks again if it still needs the call`,
    );
  return refused(what);
}

function listed(ids: readonly string[]): string {
  return ids.map((id) => `\`${id}\``).join(", ");
}
