// Plays one case of the sweep: takes aim until the process dies where it is meant to, a few times at most.
import { nameOf, predictedRefusals, type SweepCase, type Target } from "./cases.ts";
import { type Blow, type Death, type Played, playKill } from "./play.ts";
import type { Point } from "./points.ts";
import { onDisk, type Reference } from "./reference.ts";
import type { KillStage } from "./stage.ts";
import { correct, type Strike, strike } from "./strike.ts";
import { type Aim, aimAt } from "./tracer.ts";

export type Verdict = "recovered" | "refused" | "broke" | "notReached";

/** One line of the sweep's file. */
export type Result = {
  /** The case that was proved by it: the one that was wanted, or the one that was struck in its place. */
  readonly name: string;
  readonly verdict: Verdict;
  /** The code of a refusal; null for every other end. */
  readonly code: string | null;
  /** The session was over when it was picked up. */
  readonly over: boolean;
  /** Where the runs died. */
  readonly hits: readonly string[];
  readonly wrong: readonly string[];
  readonly lostRecords: number;
  readonly repeatedEffects: number;
  readonly tries: number;
  readonly ms: number;
};

const triesMax = 5;

/** `open` tells whether another single case, by its name, still waits: striking it by mistake proves that one. */
export async function attempt(
  stage: KillStage,
  one: SweepCase,
  { reference, open }: { readonly reference: Reference; readonly open: (name: string) => boolean },
): Promise<Result> {
  const began = performance.now();
  let aims = one.targets.map(({ point }) => aimAt(point));
  for (let tries = 1; ; tries += 1) {
    const { played, strikes } = await playOnce(stage, one, { reference, open, aims });
    const hits = strikes.map((each) => each.hit());
    if (played.reached === "all" || tries === triesMax) {
      return resultOf(played, one, { reference, hits, tries, ms: Math.round(performance.now() - began) });
    }
    aims = one.targets.map((target, i) =>
      corrected(aims[i] ?? aimAt(target.point), target, hits[i] ?? null, reference),
    );
  }
}

function corrected(aim: Aim, { phase, point }: Target, hit: Point | null, reference: Reference): Aim {
  return hit?.name === point.name ? aim : correct(aim, point, hit, reference[phase]);
}

async function playOnce(
  stage: KillStage,
  { targets }: SweepCase,
  {
    reference,
    open,
    aims,
  }: {
    readonly reference: Reference;
    readonly open: (name: string) => boolean;
    readonly aims: readonly Aim[];
  },
): Promise<{ readonly played: Played; readonly strikes: readonly Strike[] }> {
  const { world } = stage;
  const deep = targets.length > 1;
  const strikes = targets.map((target, i) => {
    const accepted = (name: string): boolean =>
      name === target.point.name || open(nameOf({ ...target, point: { ...target.point, name } }));
    // Of several deaths each may be anywhere: no list of points says what a run does after another one died.
    const order = reference[target.phase];
    return strike(world, aims[i] ?? aimAt(target.point), { order, accepted: deep ? null : accepted });
  });
  const { opening } = reference;
  const atOpening = strike(world, aimAt(opening), { order: reference.main, accepted: null }).blow;
  const deaths = targets.map((target, i) => deathOf(target, strikes[i]?.blow ?? atOpening, atOpening));
  const inputs = targets[0].phase === "mainOnDisk" ? onDisk : {};
  return { played: await playKill(stage, deaths, inputs), strikes };
}

function deathOf({ phase, machine }: Target, blow: Blow, opening: Blow): Death {
  switch (phase) {
    case "main":
    case "mainOnDisk":
    case "recovery":
      return { machine, main: blow, post: null };
    case "postEnded":
      return { machine: "survives", main: null, post: blow };
    case "postDied":
      return { machine: "survives", main: opening, post: blow };
  }
}

function resultOf(
  played: Played,
  one: SweepCase,
  {
    reference,
    hits,
    tries,
    ms,
  }: {
    readonly reference: Reference;
    readonly hits: readonly (Point | null)[];
    readonly tries: number;
    readonly ms: number;
  },
): Result {
  const { lostRecords, repeatedEffects, over } = played;
  const [target] = one.targets;
  const [hit = null] = hits;
  const single = one.targets.length === 1;
  const name =
    single && hit !== null && played.reached === "all" ? nameOf({ ...target, point: hit }) : one.name;
  const common = {
    name,
    over,
    lostRecords,
    repeatedEffects,
    tries,
    ms,
    hits: hits.map((each) => each?.name ?? "nowhere"),
  };
  const code = played.refused;
  const predicted = code !== null && predictedRefusals(one, reference).includes(code);
  // A session that is refused has not got to its end; that nothing is lost or repeated holds all the same.
  if (predicted && lostRecords + repeatedEffects === 0)
    return { ...common, verdict: "refused", code, wrong: [] };
  if (played.wrong.length > 0) return { ...common, verdict: "broke", code, wrong: played.wrong };
  return { ...common, verdict: played.reached === "all" ? "recovered" : "notReached", code: null, wrong: [] };
}
