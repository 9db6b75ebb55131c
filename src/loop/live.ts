import { objectIn } from "../base/json.ts";
import { cutText } from "../base/lines.ts";

/**
 * A passing notification; never stored, may be dropped. It is there to be looked at: nothing is run because of one, and
 * nothing is made ready either. What could be (arguments checked, an attachment loaded) takes a moment beside the seconds
 * of a reply, and would be a second path by which a reply that is not whole reaches a tool.
 */
export type Live =
  | { readonly kind: "text.delta"; readonly text: string }
  | { readonly kind: "thinking.delta"; readonly text: string }
  /** The first of a call, and no other, has an empty `json`: which call comes is known before any of its arguments. */
  | { readonly kind: "call.delta"; readonly id: string; readonly tool: string; readonly json: string }
  | { readonly kind: "output.delta"; readonly id: string; readonly text: string }
  | { readonly kind: "retry.wait"; readonly ms: number; readonly reason: string }
  | { readonly kind: "progress"; readonly turn: number; readonly doing: Doing };

/** What the loop has come to. */
export type Doing =
  | { readonly kind: "asking"; readonly attempt: number }
  /** The model is asked to sum up the older part of the conversation. */
  | { readonly kind: "summarising" }
  /** The call runs from here on, and the reply that asked for it is in the log. */
  | { readonly kind: "calling"; readonly id: string; readonly tool: string; readonly subject: string }
  /** It is over and not settled yet. `output` is what the model will be told. */
  | { readonly kind: "called"; readonly id: string; readonly output: string };

export type OnLive = (live: Live) => void;

const subjectCharactersMax = 200;

/** What a call is about, on one line: its path, its command or its pattern, else its first text. May be empty. */
export function subjectOf(input: unknown): string {
  const given = objectIn(input);
  const named = [given["path"], given["command"], given["pattern"], ...Object.values(given)];
  const text = named.find((value) => typeof value === "string") ?? "";
  return cutText(
    String(text)
      .trim()
      .replaceAll(/\s*\n\s*/g, " ⏎ "),
    subjectCharactersMax,
  );
}
