import { isOfSetup } from "../session/approvals.ts";
import type { SessionId } from "../session/id.ts";
import { exactJson, takenOutNote } from "./exact-json.ts";
import { commandSpan } from "./how-to-go-on.ts";
import { codeBlock, codeSpan, neutralCell, neutralText } from "./neutral.ts";
import { askedSetup, setupShown } from "./waiting-setup.ts";

/** A call that waits until a person has allowed it, or setup on what the change installs. `arguments` is JSON text. */
export type WaitingCall = {
  readonly id: string;
  readonly tool: string;
  readonly arguments: string;
  readonly why: string;
};

/** What a session waits for people with. The strings are the model's: untrusted text. */
export type Waiting =
  | { readonly kind: "question"; readonly question: string }
  | { readonly kind: "approval"; readonly calls: readonly WaitingCall[] };

/** The same, and where people are asked. */
export type Waits = {
  readonly waiting: Waiting;
  /** Null where no comment can be an answer. */
  readonly thread: number | null;
  /** Of the comment that asks; null where there is none. */
  readonly url: string | null;
};

/** Calls that are shown at once: a reply may hold any number of them, and a comment has an end. */
const callsShownMax = 20;

type WaitingOptions = {
  readonly session: SessionId;
  readonly triggerPhrase: string;
  /** Where a comment is an answer; null where none is. */
  readonly thread: number | null;
  /** Characters of untrusted text that are shown of each question or call; what is cut is said. */
  readonly max: number;
};

/** What the session waits for, why, and the exact replies that continue it. */
export function waitingText(waiting: Waiting, options: WaitingOptions): string {
  const { triggerPhrase, max } = options;
  switch (waiting.kind) {
    case "question": {
      const question = neutralText(waiting.question, { max, issue: null, triggerPhrase });
      return joined(["Baton has a question, and waits for the answer:", quoted(question), answers(options)]);
    }
    case "approval": {
      const { calls } = waiting;
      return joined([
        approvalHead(calls),
        ...calls.slice(0, callsShownMax).map((call) => approvalOf(call, options)),
        unshown(calls.length - callsShownMax, options),
        verdicts(options),
      ]);
    }
  }
}

function approvalHead(calls: readonly WaitingCall[]): string {
  const [only, ...others] = calls;
  if (only === undefined || others.length > 0)
    return `Baton wants to make ${calls.length} calls that a person has to allow. None of them has run.`;
  const what = isOfSetup(only) ? "run setup on files that the change brings, which" : "make a call that";
  return `Baton wants to ${what} a person has to allow. It has not run.`;
}

/** One line of it, for where the rest is a click away. */
export function waitingLine(waiting: Waiting): string {
  if (waiting.kind === "question") return waiting.question;
  const [first] = waiting.calls;
  if (first !== undefined && isOfSetup(first))
    return `Setup on what the change installs (${first.id}) waits for approval.`;
  const named = waiting.calls.map(({ id, tool }) => `${tool} (${id})`).join(", ");
  return waiting.calls.length === 1
    ? `The call ${named} waits for approval.`
    : `The calls ${named} wait for approval.`;
}

function quoted(text: string): string {
  return text.replace(/^(?=.)/gm, "> ").replace(/^$/gm, ">");
}

// Words stand before each command, so that no line can be one itself (R2).
function answers({ session, triggerPhrase, thread }: WaitingOptions): string {
  const dispatch = `dispatch the workflow with the session ${codeSpan(session)} and your answer as ${codeSpan("answer")}`;
  if (thread === null) return `To answer, ${dispatch}.`;
  return [
    `To answer, comment ${commandSpan(triggerPhrase, "<your answer>")} on #${thread}, or ${dispatch}.`,
    `Begin it with your own words: what begins with ${codeSpan("fix")}, ${codeSpan("stop")} or another command is that command.`,
  ].join(" ");
}

function approvalOf(call: WaitingCall, options: WaitingOptions): string {
  const { triggerPhrase, thread } = options;
  const { id } = call;
  const setup = askedSetup(call);
  const way = (verdict: string): string =>
    thread === null
      ? `answer ${codeSpan(verdict)}`
      : `comment ${commandSpan(triggerPhrase, verdict)} on #${thread}`;
  return joined([
    ...(setup === null ? callShown(call, options) : setupShown(call, setup, options)),
    [
      `- To allow it, ${way(`approve ${id}`)}.`,
      `- To refuse it, ${way(`deny ${id}`)}; words after the id are told to the model.`,
    ].join("\n"),
  ]);
}

function callShown(call: WaitingCall, { triggerPhrase, max }: WaitingOptions): readonly string[] {
  const { id, tool, why } = call;
  const { text, takenOut } = exactJson(call.arguments);
  const kept = text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, "");
  const cut =
    kept.length === text.length
      ? ""
      : `(Cut here: ${kept.length} of ${text.length} characters are shown. Who allows the call allows all of it.)`;
  return [
    `The call ${codeSpan(id)} of ${codeSpan(tool)} waits because ${neutralCell(why, 200)}. Its arguments, exactly, with ${codeSpan("\\u")} for what has no shape and ${codeSpan("\u2937")} where a line goes on:`,
    takenOut === 0 ? "" : `**${takenOutNote(takenOut)}**`,
    codeBlock(kept.split("\n"), "json", triggerPhrase).join("\n"),
    cut,
  ];
}

/** None of them runs before each one was allowed, so nobody allows unseen what is left out here. */
function unshown(count: number, { session, triggerPhrase, thread }: WaitingOptions): string {
  if (count <= 0) return "";
  const again = thread === null ? "" : ` comment ${commandSpan(triggerPhrase, `resume ${session}`)}, or`;
  return `${count} more ${count === 1 ? "call waits" : "calls wait"} with them. To see those once some of these are allowed,${again} dispatch the workflow with the session ${codeSpan(session)} alone.`;
}

function verdicts({ session, triggerPhrase, thread }: WaitingOptions): string {
  const dispatch = (answer: string): string =>
    `dispatch the workflow with the session ${codeSpan(session)} and ${answer} as ${codeSpan("answer")}.`;
  if (thread === null) return `To answer, ${dispatch("the answer")}`;
  const phrase = commandSpan(triggerPhrase);
  return `Any other words after ${phrase} refuse what waits, and are told to the model. Or ${dispatch(`what stands after ${phrase}`)}`;
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}
