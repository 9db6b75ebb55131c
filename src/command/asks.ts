import { printable } from "../base/printable.ts";
import { parseSessionId, type SessionId } from "../session/id.ts";

export type DispatchAsks =
  | {
      readonly kind: "resume";
      readonly session: SessionId;
      readonly run: string | null;
      /** What is said to it, as after the phrase of a comment; empty where it is only to go on. */
      readonly answer: string;
    }
  | TaskAsks;

type TaskAsks = { readonly kind: "task"; readonly task: string; readonly target: number | null };

/** The inputs that say what to do where no comment does; empty text means not given. */
export type AskInputs = {
  readonly session: string;
  readonly answer: string;
  readonly task: string;
  readonly target: string;
};

export type AsksRefused = {
  readonly kind: "refused";
  readonly code: "malformed" | "nothing-asked";
  readonly why: string;
};

/** The shape of the `session` input and of the argument of `resume`: an id, or `id@run`. Null when it is neither. */
export function parseSessionReference(
  text: string,
): { readonly session: SessionId; readonly run: string | null } | null {
  const [id = "", run = null, ...more] = text.split("@");
  const session = parseSessionId(id);
  if (session === null || more.length > 0) return null;
  if (run !== null && !/^[0-9]{1,20}$/.test(run)) return null;
  return { session, run };
}

/** A `session` wins over a `task`: a workflow may name a standing task and still be dispatched to resume. */
export function dispatchAsks(inputs: AskInputs): DispatchAsks | AsksRefused {
  const session = inputs.session.trim();
  const answer = inputs.answer.trim();
  if (session !== "") {
    const reference = parseSessionReference(session);
    if (reference !== null) return { kind: "resume", ...reference, answer };
    return refuse(
      "malformed",
      `the input \`session\` is ${quoted(session)}; it must be a session id such as s0123456789ab, or s0123456789ab@<run id>`,
    );
  }
  if (answer !== "")
    return refuse("malformed", "the input `answer` is for the session that waits for it: give `session` too");
  return taskAsks("workflow_dispatch", inputs);
}

export function taskAsks(
  eventName: string,
  inputs: Pick<AskInputs, "task" | "target">,
): TaskAsks | AsksRefused {
  const task = inputs.task.trim();
  if (task === "") {
    const or = eventName === "schedule" ? "" : " or `session`";
    return refuse("nothing-asked", `the event ${eventName} says nothing to do: give the input \`task\`${or}`);
  }
  const target = inputs.target.trim();
  if (target === "") return { kind: "task", task, target: null };
  const number = /^#?([1-9][0-9]{0,9})$/.exec(target)?.[1];
  if (number !== undefined) return { kind: "task", task, target: Number(number) };
  return refuse(
    "malformed",
    `the input \`target\` is ${quoted(target)}; it must be the number of an issue or pull request`,
  );
}

function quoted(text: string): string {
  return `"${printable(text)}"`;
}

function refuse(code: AsksRefused["code"], why: string): AsksRefused {
  return { kind: "refused", code, why };
}
