import type { State } from "../session/state.ts";
import { type Decision, decide } from "./decide.ts";
import type { End } from "./end.ts";
import type { Facts } from "./facts.ts";
import { unavailable } from "./retry.ts";
import type { Toolbox } from "./toolbox.ts";

const cutInARowMax = 3;
const pausesInARowMax = 5;

const stuckWhy = {
  repeated: "the same call kept giving the same result",
  idle: "turns brought nothing new",
} as const;

type Session = { readonly state: Pick<State, "truncated">; readonly facts: Facts };

/**
 * The end that the last turn led to by itself, or null where another one follows. It is found in the log and nowhere
 * else, so a run that died before it had recorded how it stops leaves the same end to the next one. What a person said
 * since, and a suspension, end it.
 */
export function restingEnd(
  { state, facts }: Session,
  { toolbox, nowMs }: { readonly toolbox: Pick<Toolbox, "specs" | "check">; readonly nowMs: number },
): End | null {
  const { reply, done, pauses, stuck, inputSinceReply } = facts;
  if (done && reply !== null) {
    const { after } = decide(reply, toolbox);
    if (after.kind === "end") return after.end;
  }
  if (inputSinceReply) return null;
  if (isCutOff(state.truncated))
    return { kind: "stuck", why: `${state.truncated} replies in a row were cut at a limit of the model` };
  if (isHeldUp(pauses))
    return unavailable(`the provider paused ${pauses} times in a row`, { nowMs, retryAfterMs: null });
  return stuck === null ? null : { kind: "stuck", why: stuckWhy[stuck] };
}

/** Whether the open turn is followed by another whatever people say: `state` and `facts` are those before its end. */
export function isFollowed({ after }: Pick<Decision, "after">, { state, facts }: Session): boolean {
  switch (after.kind) {
    case "end":
      return false;
    case "truncated":
      return !isCutOff(state.truncated + 1);
    case "go-on":
      return after.next !== "paused" || !isHeldUp(facts.pauses + 1);
    case "nudge":
      return true;
  }
}

function isCutOff(truncated: number): boolean {
  return truncated >= cutInARowMax;
}

function isHeldUp(pauses: number): boolean {
  return pauses >= pausesInARowMax;
}
