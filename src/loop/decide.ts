import type { Block, EffectClass } from "../session/event.ts";
import { type CallBlock, callsIn, isBroken, textOf, useOf, windowFull } from "./blocks.ts";
import type { End } from "./end.ts";
import type { Toolbox } from "./toolbox.ts";

/** One call of a batch. `refusal` is what the model is told instead of a result; null when the call may run. */
export type PlannedCall = {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly class: EffectClass;
  readonly refusal: string | null;
};

/**
 * What a reply leads to: its calls, of which all or none may run, and what follows once each has a result.
 * `note` is told to the model before it is asked again.
 */
export type Decision = {
  readonly calls: readonly PlannedCall[];
  readonly after:
    | { readonly kind: "go-on"; readonly next: "calls" | "paused" }
    | { readonly kind: "truncated" }
    | { readonly kind: "nudge" }
    | { readonly kind: "end"; readonly end: End };
};

export type Received = {
  readonly content: readonly Block[];
  readonly stopReason: string;
  /** Ids of the calls in which `***` stands for a secret of the run. A model may also write that itself. */
  readonly masked: readonly string[];
  /** Whether the model had been nudged before it gave this reply. */
  readonly nudgedBefore: boolean;
};

export const texts = {
  cut: "Not executed: the reply was cut at the output limit. Send it again in smaller parts.",
  overflowed:
    "Not executed: the reply was cut because the conversation had filled your window. Its older part is summarised now; make the calls again that are still needed.",
  otherInvalid: "Not executed: another call of this batch was invalid. Send the calls again.",
  otherRefused: "Not executed: another call of this batch may not run. Send the calls again without it.",
  abandoned:
    "Not executed: the run in which its approval was asked for died. Make the call again if it is still needed; it is asked for anew.",
  masked:
    "Not executed: the arguments held a credential of this run, which stands as *** in your call. Nothing was done. Make the call without it: name the variable or the setting that holds it. Where nothing but its value would do, leave that out, and say at the end that a person has to put it there.",
  unmasked:
    "Part of this output is a credential of this run, and *** stands for it here, not where it comes from. Never write *** in its place: change what is around it, and do not write a file anew that holds it.",
  notJson: "Not executed: the arguments were not valid JSON.",
  discarded: "Not executed: the reply was discarded.",
  cancelled: "Cancelled before it ran.",
  nudge:
    "Your last reply was empty. If the work is done, say so in a final message; if not, go on with the next call.",
  overflowedText:
    "Your last reply was cut because the conversation had filled your window. Its older part is summarised now; go on from there.",
  truncated: "Your last reply was cut at the output limit. Go on from there in smaller parts.",
  repeated:
    "You have made the same call three times in a row with the same result. It will not come out differently: look at the problem another way, or finish and say what is missing.",
  idle: "The last four turns changed nothing and showed nothing new. Take a different approach, or finish and say what is missing.",
} as const;

/**
 * The rules of what a reply may cause. Only complete calls make the loop go on; the stop reason never does, it
 * can only forbid: what was cut, refused or is not understood is never run.
 */
export function decide(reply: Received, toolbox: Pick<Toolbox, "specs" | "check">): Decision {
  const { content, stopReason } = reply;
  const asked = callsIn(content);
  const use = useOf(content, stopReason);
  switch (use.kind) {
    case "unknown":
      return ending({ kind: "unknown", why: use.why }, allRefused(asked, toolbox, texts.discarded));
    case "refused":
      return ending({ kind: "declined" }, allRefused(asked, toolbox, texts.discarded));
    case "empty":
      return whenEmpty(reply);
    case "usable":
      break;
  }
  if (wasCut(stopReason)) {
    const refusal = stopReason === windowFull ? texts.overflowed : texts.cut;
    return { calls: allRefused(asked, toolbox, refusal), after: { kind: "truncated" } };
  }
  if (asked.length > 0) return { calls: planned(reply, toolbox), after: { kind: "go-on", next: "calls" } };
  if (stopReason === "pause_turn") return { calls: [], after: { kind: "go-on", next: "paused" } };
  return ending({ kind: "finished", text: textOf(content) }, []);
}

/** Thinking alone can use up the output limit; that is a cut reply, not an empty one. */
function whenEmpty({ stopReason, nudgedBefore }: Received): Decision {
  if (wasCut(stopReason)) return { calls: [], after: { kind: "truncated" } };
  if (!nudgedBefore) return { calls: [], after: { kind: "nudge" } };
  return ending({ kind: "finished", text: "" }, []);
}

function wasCut(stopReason: string): boolean {
  return stopReason === "max_tokens" || stopReason === windowFull;
}

function ending(end: End, calls: readonly PlannedCall[]): Decision {
  return { calls, after: { kind: "end", end } };
}

/** A batch with one call that may not run does not run at all: the model meant the calls to go together. */
function planned({ content, masked }: Received, toolbox: Pick<Toolbox, "specs" | "check">) {
  const asked = callsIn(content);
  const flaws = asked.map((call) => (masked.includes(call.id) ? texts.masked : flawOf(call, toolbox)));
  const whole = flaws.every((flaw) => flaw === null);
  const other = flaws.includes(texts.masked) ? texts.otherRefused : texts.otherInvalid;
  return asked.map((call, i) => plan(call, toolbox, whole ? null : (flaws[i] ?? other)));
}

function flawOf({ name, input }: CallBlock, toolbox: Pick<Toolbox, "check">): string | null {
  if (isBroken(input)) return texts.notJson;
  const checked = toolbox.check(name, input);
  return checked.kind === "valid" ? null : `Not executed: ${checked.why}`;
}

function allRefused(asked: readonly CallBlock[], toolbox: Pick<Toolbox, "specs">, refusal: string) {
  return asked.map((call) => plan(call, toolbox, refusal));
}

function plan(
  { id, name, input }: CallBlock,
  { specs }: Pick<Toolbox, "specs">,
  refusal: string | null,
): PlannedCall {
  // A tool that does not exist never runs; `read` only says that it changed nothing.
  const effect = specs.find((spec) => spec.name === name)?.class ?? "read";
  return { id, tool: name, input, class: effect, refusal };
}
