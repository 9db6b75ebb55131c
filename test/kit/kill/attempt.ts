// Plays one case of the sweep: takes aim until the process dies where it is meant to, a few times at most.
import { nameOf, type Phase, predictedRefusals, type SweepCase, type Target } from "./cases.ts";
import { type Blow, type Death, type Played, playKill } from "./play.ts";
import type { Point } from "./points.ts";
import { onDisk, pointsOfLostMachine, type Reference } from "./reference.ts";
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

/** Where several die, each may die anywhere, and only one that comes to no death is tried again. */
const triesMaxOf = ({ targets }: SweepCase): number => (targets.length === 1 ? 16 : 2);

/** `open` tells whether another single case, by its name, still waits: striking it by mistake proves that one. */
export async function attempt(
  stage: KillStage,
  one: SweepCase,
  { reference, open }: { readonly reference: Reference; readonly open: (name: string) => boolean },
): Promise<Result> {
  const began = performance.now();
  let aims = one.targets.map(({ point }) => aimAt(point));
  const tried: number[][] = one.targets.map(() => []);
  for (let tries = 1; ; tries += 1) {
    const { played, strikes, instead } = await playOnce(stage, one, { reference, open, aims });
    const hits = strikes.map((each) => each.hit());
    if (played.reached === "all" || tries === triesMaxOf(one)) {
      return resultOf(played, one, {
        reference,
        hits,
        instead,
        tries,
        ms: Math.round(performance.now() - began),
      });
    }
    aims = one.targets.map(({ phase, point }, i) => {
      const aim = aims[i] ?? aimAt(point);
      const hit = hits[i] ?? null;
      const counts = [...(tried[i] ?? []), aim.nth];
      tried[i] = counts;
      if (hit?.name === point.name) return aim;
      // Where two things are under way at once, what the reference says may well be right the next time.
      if (tries % 3 === 0) return aimAt(point);
      return correct(aim, point, { hit, order: reference[phase], tried: counts });
    });
  }
}

type Once = {
  readonly played: Played;
  readonly strikes: readonly Strike[];
  /** The single case that is proved by it; null where it is the one that was wanted, or none. */
  readonly instead: string | null;
};

async function playOnce(
  stage: KillStage,
  one: SweepCase,
  {
    reference,
    open,
    aims,
  }: {
    readonly reference: Reference;
    readonly open: (name: string) => boolean;
    readonly aims: readonly Aim[];
  },
): Promise<Once> {
  const { world } = stage;
  const { targets } = one;
  const deep = targets.length > 1;
  let proved: Target | null = null;
  const accepted = (name: string): boolean => {
    proved =
      provedBy(name, targets[0], reference).find((each) => nameOf(each) === one.name || open(nameOf(each))) ??
      null;
    return proved !== null;
  };
  const strikes = targets.map(({ phase, point }, i) => {
    const order = reference[phase];
    // Of several deaths each may be anywhere: no list of points says what a run does after another one died.
    return strike(world, aims[i] ?? aimAt(point), { order, accepted: deep ? null : accepted });
  });
  const { opening } = reference;
  const atOpening = strike(world, aimAt(opening), { order: reference.main, accepted: null }).blow;
  const deaths = targets.map((target, i) =>
    deathOf(() => proved ?? target, target.phase, { blow: strikes[i]?.blow ?? atOpening, atOpening }),
  );
  const inputs = targets[0].phase === "mainOnDisk" ? onDisk : {};
  const played = await playKill(stage, deaths, inputs);
  return { played, strikes, instead: proved === null ? null : nameOf(proved) };
}

/**
 * What a death at this point can be the proof of, the wanted kind first. Whether the machine goes with the process is
 * decided when it has died, and with the machine gone a point stands for its whole stretch.
 */
function provedBy(name: string, wanted: Target, reference: Reference): readonly Target[] {
  const { phase } = wanted;
  const order = reference[phase];
  const at = order.findIndex((point) => point.name === name);
  const point = order[at];
  if (point === undefined) return [];
  if (phase !== "main") return [{ ...wanted, point }];
  const first = pointsOfLostMachine(order, false).findLast((each) => order.indexOf(each) <= at);
  const survives: Target = { phase, point, machine: "survives" };
  const lost = [point, ...(first === undefined ? [] : [first])].map(
    (each): Target => ({ phase, point: each, machine: "lost" }),
  );
  return wanted.machine === "lost" ? [...lost, survives] : [survives, ...lost];
}

function deathOf(
  target: () => Target,
  phase: Phase,
  { blow, atOpening }: { readonly blow: Blow; readonly atOpening: Blow },
): Death {
  switch (phase) {
    case "main":
    case "mainOnDisk":
    case "recovery":
      return { machine: () => target().machine, main: blow, post: null };
    case "postEnded":
      return { machine: () => "survives", main: null, post: blow };
    case "postDied":
      return { machine: () => "survives", main: atOpening, post: blow };
  }
}

function resultOf(
  played: Played,
  one: SweepCase,
  {
    reference,
    hits,
    instead,
    tries,
    ms,
  }: {
    readonly reference: Reference;
    readonly instead: string | null;
    readonly hits: readonly (Point | null)[];
    readonly tries: number;
    readonly ms: number;
  },
): Result {
  const { lostRecords, repeatedEffects, over } = played;
  const name = played.reached === "all" ? (instead ?? one.name) : one.name;
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
