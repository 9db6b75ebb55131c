import type { Tree } from "../base/hash.ts";
import type { CheckedOn, Payload, SessionEvent } from "../session/event.ts";
import type { Check } from "./checks.ts";
import { countsIn } from "./counts.ts";
import { definitionsDigest } from "./definitions.ts";
import { stateOf, type Told } from "./ran.ts";

/** Results on one tree, by the check's name. */
export type Known = ReadonlyMap<string, Told>;

type About = {
  readonly on: CheckedOn;
  readonly tree: Tree;
  readonly checks: readonly Check[];
  /** Null where the base's own setup ran before them. */
  readonly setup?: string | null;
};
type Settled = Extract<SessionEvent, { type: "check.settled" }>;

/** The last run of each of these very checks on a tree, as the log has it. */
export function settledOn(
  events: Iterable<SessionEvent>,
  { on, tree, checks, setup = null }: About,
): ReadonlyMap<string, Settled> {
  const last = new Map<string, Settled>();
  for (const event of events)
    if (event.type === "check.settled" && event.on === on && event.tree === tree)
      last.set(event.check, event);
  const ofThese = checks.flatMap((check) => {
    const event = last.get(check.name);
    return event?.definition === definitionsDigest([check], setup) ? [[check.name, event] as const] : [];
  });
  return new Map(ofThese);
}

/**
 * What the log already knows of these very checks on a tree. What ran beside the model's work counts only where it was
 * green: a check that is red or out of time on a busy machine may be so because of what the model ran there, and red on
 * base excuses red on the change.
 */
export async function knownOn(
  events: Iterable<SessionEvent>,
  about: About,
  load: (payload: Payload) => Promise<string>,
): Promise<Known> {
  const found = new Map<string, Told>();
  for (const [name, event] of settledOn(events, about)) {
    const { exitCode, timedOut, ms } = event;
    const output = await load(event.output);
    const told: Told = { exitCode, timedOut, ms, output, counts: countsIn(output) };
    if (!event.beside || stateOf(told) === "green") found.set(name, told);
  }
  return found;
}
