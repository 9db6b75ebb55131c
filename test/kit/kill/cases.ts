// The cases of the sweep, from the points of the reference; the same reference gives the same cases.
import type { Machine } from "./play.ts";
import type { Point } from "./points.ts";
import { pointsOfLostMachine, pointsPlayed, type Reference, syncsPlayed } from "./reference.ts";

/** The lists of a reference that points are taken from. */
export type Phase = "main" | "mainOnDisk" | "postEnded" | "postDied" | "recovery";

export type Target = { readonly phase: Phase; readonly point: Point; readonly machine: Machine };

/** One death, or the deaths of runs that follow one another. */
export type SweepCase = { readonly name: string; readonly targets: readonly [Target, ...Target[]] };

const titles: Readonly<Record<Phase, string>> = {
  main: "main",
  mainOnDisk: "main on disk",
  postEnded: "post after an end",
  postDied: "post after a death",
  recovery: "main after a death",
};

export function nameOf({ phase, point, machine }: Target): string {
  return `${titles[phase]}, machine ${phase.startsWith("post") ? "lost" : machine}: ${point.name}`;
}

/**
 * Each point of `main` with a machine that survives and with one that is lost, each sync of it at level D (which no
 * lost machine can tell of), each point of `post`, and a seeded sample of two and three deaths in a row. `every` takes the points too that are left out as indistinguishable.
 */
export function casesOf(reference: Reference, every: boolean): readonly SweepCase[] {
  const { main, mainOnDisk, postEnded, postDied } = reference;
  const once: readonly Target[] = [
    ...targets("main", pointsPlayed(main, every), "survives"),
    ...targets("main", pointsOfLostMachine(main, every), "lost"),
    ...targets("mainOnDisk", syncsPlayed(mainOnDisk, every), "survives"),
    ...targets("postEnded", pointsPlayed(postEnded, every), "survives"),
    ...targets("postDied", pointsPlayed(postDied, every), "survives"),
  ];
  const single = once.map((target) => ({ name: nameOf(target), targets: [target] as const }));
  const seeds = Array.from({ length: 60 }, (_, i) => i + 1);
  return [...single, ...seeds.map((seed) => deepCase(reference, seed))];
}

function targets(phase: Phase, points: readonly Point[], machine: Machine): readonly Target[] {
  return points.map((point) => ({ phase, point, machine }));
}

/** Three deaths for two seeds of five, two for the others; all but the first are in what a run does to go on. */
function deepCase(reference: Reference, seed: number): SweepCase {
  const random = randomOf(seed);
  const first = draw("main", pointsPlayed(reference.main, false), random);
  const later = pointsPlayed(recoveryOf(reference), false);
  const depth = seed % 5 < 2 ? 3 : 2;
  const again = Array.from({ length: depth - 1 }, () => draw("recovery", later, random));
  return { name: `${depth} deaths, seed ${seed}`, targets: [first, ...again] };
}

/** From the start of a run that goes on to its first request to the model: by then it has gone on. */
function recoveryOf({ recovery }: Reference): readonly Point[] {
  const asked = recovery.findIndex(({ name }) => name.includes("(reply.requested)"));
  return recovery.slice(0, asked < 0 ? recovery.length : asked);
}

function draw(phase: Phase, points: readonly Point[], random: () => number): Target {
  const point = points[Math.floor(random() * points.length)];
  if (point === undefined) throw new Error(`the reference lists no point of ${phase}`);
  return { phase, point, machine: random() < 0.5 ? "lost" : "survives" };
}

/** mulberry32: the same seed gives the same numbers everywhere. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * The codes with which the last run of a case may be refused, said before anything is killed. One death is never a
 * reason. Three in a row at one and the same intent are the crash loop that Baton ends by itself: they can be that
 * only where the second and the third run had claimed the session, for a run that claimed nothing is not counted.
 */
export function predictedRefusals({ targets }: SweepCase, { recovery }: Reference): readonly string[] {
  const claimed = recovery.findIndex(({ name }) => /^send POST .*\/git\/refs to/.test(name));
  const later = targets.slice(1).map(({ point }) => recovery.findIndex(({ name }) => name === point.name));
  return later.length === 2 && later.every((at) => at >= claimed) ? ["crash-loop"] : [];
}
