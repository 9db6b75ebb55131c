import type { Tree } from "../base/hash.ts";
import type { CheckedOn, Payload, SessionEvent } from "../session/event.ts";
import type { Check, CheckRun, Checks } from "./checks.ts";
import { countsIn } from "./counts.ts";
import { definitionsDigest } from "./definitions.ts";
import type { Told } from "./ran.ts";

export type Running = {
  readonly port: Checks;
  readonly append: (event: SessionEvent) => Promise<unknown>;
  /** Inline, or stored as a blob. */
  readonly payload: (text: string) => Promise<Payload>;
  readonly signal: AbortSignal;
};

/** `beside` only on base. */
type Place = {
  readonly round: number;
  readonly on: CheckedOn;
  readonly tree: Tree;
  readonly beside?: true;
  /** Null where the base's own setup ran before it. */
  readonly setup?: string | null;
};

/**
 * Runs a check in a checkout of its own and records what it found. Null when cancelled: the check stays open in the log
 * and is run again by the next run. Throws when no checkout can be made.
 */
export async function runCheck(check: Check, place: Place, running: Running): Promise<Told | null> {
  const { port, append, payload, signal } = running;
  const { round, on, tree } = place;
  if (signal.aborted) return null;
  const beside = place.beside === undefined ? {} : { beside: place.beside };
  await append({ type: "check.started", round, check: check.name, on, tree, ...beside });
  const run = await runIn(check, tree, { port, signal });
  if (run === null || run.cancelled) return null;
  const { exitCode, timedOut, ms } = run;
  const output = await payload(run.output);
  const definition = definitionsDigest([check], place.setup);
  const settled = { round, check: check.name, on, tree, definition, exitCode, timedOut, ms, output };
  await append({ type: "check.settled", ...settled, ...beside });
  return { exitCode, timedOut, ms, output: run.output, counts: countsIn(run.output) };
}

async function runIn(
  check: Check,
  tree: Tree,
  { port, signal }: Pick<Running, "port" | "signal">,
): Promise<CheckRun | null> {
  try {
    await using checkout = await port.checkout(tree, { signal });
    return await checkout.run(check, { signal });
  } catch (cause) {
    // Making the checkout was interrupted: the check stays open in the log, as one that was killed does.
    if (signal.aborted) return null;
    throw new Error(`cannot run the check ${check.name} on tree ${tree}`, { cause });
  }
}
