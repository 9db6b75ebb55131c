import { parseSha, type Sha } from "../base/hash.ts";
import type { SessionId } from "../session/id.ts";
import { type DispatchAsks, parseSessionReference } from "./asks.ts";
import type { Trigger } from "./trigger.ts";

/** What a trigger asks. Texts are as written: untrusted until normalised. */
export type Command =
  /** `sha` pins the head of a pull request that lives in another repository. */
  | { readonly kind: "fix"; readonly text: string; readonly sha: Sha | null }
  /** Words for the session of this thread; where there is none to go on with, the task of a new one. */
  | { readonly kind: "go-on"; readonly text: string }
  /** The word of a person on a call; without an id, on the one that waits. `text` says why, for the model. */
  | { readonly kind: "approve"; readonly id: string | null }
  | { readonly kind: "deny"; readonly id: string | null; readonly text: string }
  /** Suspends the session of this thread that is being worked on. */
  | { readonly kind: "stop" }
  /** Begins as a command about waiting or running work does, and goes on as none; it must not be taken for a task. */
  | { readonly kind: "unclear"; readonly name: "approve" | "stop" }
  /** Without a session, the one of this thread is meant. */
  | { readonly kind: "resume"; readonly session: SessionId | null; readonly run: string | null }
  | { readonly kind: "status" }
  | { readonly kind: "help" }
  /** Known, and not in this version. */
  | { readonly kind: "later"; readonly name: LaterName; readonly text: string };

export type LaterName = "ask" | "review";

/**
 * The command in a comment, or null. It counts only when the first non-blank line begins with exactly the phrase,
 * byte for byte, and a space or the end of the line follows. Since nothing stands before that line, it can be inside
 * neither a fence nor an HTML comment that began earlier; quotes, list items and indented code begin with another
 * character (R2). The text given must be the raw comment: normalised text is never parsed for commands.
 */
export function parseCommand(body: string, triggerPhrase: string): Command | null {
  if (!isTriggerPhrase(triggerPhrase)) return null;
  const lines = body.split(/\r\n|\n|\r/);
  const first = lines.findIndex((line) => !/^[ \t]*$/.test(line));
  const line = lines[first];
  if (line === undefined) return null;
  const start = /^ {0,3}/.exec(line)?.[0].length ?? 0;
  if (!line.startsWith(triggerPhrase, start)) return null;
  const rest = line.slice(start + triggerPhrase.length);
  if (rest !== "" && !/^[ \t]/.test(rest)) return null;
  if (looksAlike(firstWord(rest))) return null;
  return commandIn(
    rest.trim(),
    lines
      .slice(first + 1)
      .join("\n")
      .trim(),
  );
}

/** What a phrase may look like: visible ASCII words that no Markdown construct begins with. */
export function isTriggerPhrase(text: string): boolean {
  return text.length <= 40 && /^[!-~]+( [!-~]+)*$/.test(text) && !/^[>`~<]/.test(text);
}

/** The command of any trigger. A dispatch and a schedule say it with their inputs. */
export function commandOf(trigger: Trigger, triggerPhrase: string): Command | null {
  switch (trigger.kind) {
    case "comment":
      return parseCommand(trigger.comment.body, triggerPhrase);
    case "dispatch":
      return dispatched(trigger.asks);
    case "schedule":
      return { kind: "fix", text: trigger.task, sha: null };
  }
}

function dispatched(asks: DispatchAsks): Command {
  if (asks.kind === "task") return { kind: "fix", text: asks.task, sha: null };
  const { session, run, answer } = asks;
  return answer === "" ? { kind: "resume", session, run } : answerIn(answer);
}

/** What is said to a session that is named: a word on a call that waits, or words for the model. */
function answerIn(text: string): Command {
  const [line = "", ...below] = text.split(/\r\n|\n|\r/);
  const verdict = decisionIn(line.trim(), below.join("\n").trim());
  return verdict === null || nameOf(verdict) === "stop" ? { kind: "go-on", text } : verdict;
}

function commandIn(line: string, below: string): Command {
  const decision = decisionIn(line, below);
  if (decision !== null) return decision;
  const word = firstWord(line);
  const after = line.slice(word.length).trim();
  const alone = after === "";
  switch (word.toLowerCase()) {
    case "":
      return below === "" ? { kind: "help" } : goOn("", below);
    case "fix":
      return fix(after, below);
    case "resume":
      return resume(after) ?? goOn(line, below);
    // "help me with the parser" is a sentence, not the command; so are the others with words after them.
    case "status":
      return alone ? { kind: "status" } : goOn(line, below);
    case "help":
      return alone ? { kind: "help" } : goOn(line, below);
    case "ask":
    case "review":
      return { kind: "later", name: word.toLowerCase() as LaterName, text: joined(after, below) };
    default:
      return goOn(line, below);
  }
}

/**
 * Approve, deny and stop decide about running or waiting work: whatever follows, they are never taken for words to the
 * model, and neither are they where somebody in a hurry ended them like a sentence. Null for every other word.
 */
function decisionIn(line: string, below: string): Command | null {
  const word = firstWord(line);
  const [, verb = "", end = ""] = /^(approve|deny|stop)([.!?,:;]*)$/.exec(word.toLowerCase()) ?? [];
  const after = line.slice(word.length).trim();
  const rest = joined(after, below);
  switch (verb) {
    case "approve":
      return end === "" ? approve(rest) : { kind: "unclear", name: "approve" };
    case "deny":
      return deny(after, below);
    case "stop":
      return /^[.!]*$/.test(end) && rest === "" ? { kind: "stop" } : { kind: "unclear", name: "stop" };
    default:
      return null;
  }
}

function nameOf(command: Command): string {
  return command.kind === "unclear" ? command.name : command.kind;
}

function goOn(line: string, below: string): Command {
  return { kind: "go-on", text: joined(line, below) };
}

/** Ids of calls hold a digit or an underscore; a word that does not is the beginning of a sentence. */
const callId = /^(?=.*[\d_])[\w-]{1,128}$/;

/** Only what is nothing else counts: a sentence behind the word may well say the opposite. */
function approve(rest: string): Command {
  if (rest === "") return { kind: "approve", id: null };
  return callId.test(rest) ? { kind: "approve", id: rest } : { kind: "unclear", name: "approve" };
}

function deny(line: string, below: string): Command {
  const word = firstWord(line);
  const id = callId.test(word) ? word : null;
  const text = id === null ? line : line.slice(word.length).trim();
  return { kind: "deny", id, text: joined(text, below) };
}

function fix(line: string, below: string): Command {
  const word = firstWord(line);
  const sha = parseSha(word.toLowerCase());
  const text = sha === null ? line : line.slice(word.length).trim();
  return { kind: "fix", text: joined(text, below), sha };
}

/** Null when what follows is no session: then "resume" began a sentence. */
function resume(argument: string): Command | null {
  if (argument === "") return { kind: "resume", session: null, run: null };
  const reference = parseSessionReference(argument);
  return reference === null ? null : { kind: "resume", ...reference };
}

function firstWord(text: string): string {
  return /^[ \t]*([^ \t]*)/.exec(text)?.[1] ?? "";
}

function joined(line: string, below: string): string {
  return [line, below].filter((part) => part !== "").join("\n");
}

/**
 * A first word that is made to be read as another: Latin letters mixed with those of another script, full-width
 * letters, or characters without a shape of their own. Such a comment is not read as a task either.
 */
function looksAlike(word: string): boolean {
  if (/[\uff01-\uff5e\p{Cc}]|^\p{Cf}+$/u.test(word)) return true;
  if (!/[A-Za-z]/.test(word)) return false;
  const composed = word.normalize("NFC");
  return /[\p{Cf}\p{Mn}\p{Zs}]|(?!\p{Script=Latin})\p{L}/u.test(composed);
}
