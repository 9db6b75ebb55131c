// The reference session: run to its end under a tracer, to list the points at which it can be killed.
import { rm } from "node:fs/promises";
import { sessionOf } from "../stored.ts";
import type { World } from "../world.ts";
import { type Point, withoutLooks, withoutRepeatedLog } from "./points.ts";
import type { KillStage } from "./stage.ts";
import { type Strike, strike, watch } from "./strike.ts";
import { aimAt } from "./tracer.ts";

export type Reference = {
  /** Of a `main` that goes from the command to the pull request. */
  readonly main: readonly Point[];
  /** Where that `main` syncs when it keeps what power loss must not take; every other call of it is listed above. */
  readonly mainOnDisk: readonly Point[];
  /** Of `post` after it. */
  readonly postEnded: readonly Point[];
  /** Of `post` after a `main` that died at `opening`: it has a session to ship. */
  readonly postDied: readonly Point[];
  /** Of the `main` that goes on after that death, on another machine. */
  readonly recovery: readonly Point[];
  /** Where `main` dies when it is a later death that matters: a command runs, and its end is not recorded. */
  readonly opening: Point;
};

/** Level D. */
export const onDisk: Readonly<Record<string, string>> = { durability: "disk" };

const openingName = /^write agent\/<session>\/events\.jsonl \(call\.settled\) #6$/;

export async function takeReference(stage: KillStage): Promise<Reference> {
  const { world } = stage;
  const whole = { main: watch(world), post: watch(world) };
  await run(stage, world.asked({ title: "case-reference: sum subtracts" }), whole);
  const main = whole.main.points();
  const disk = { main: watch(world), post: watch(world) };
  await run(stage, world.asked({ title: "case-reference: sum subtracts" }), disk, onDisk);
  const mainOnDisk = disk.main.points().filter(({ name }) => name.startsWith("sync "));
  const opening = main.find(({ name }) => openingName.test(name));
  if (opening === undefined) throw new Error("the story has no sixth call that is settled");
  for (let tries = 0; tries < 5; tries += 1) {
    const first = strike(world, aimAt(opening), {
      order: main,
      accepted: (name) => name === opening.name,
    });
    const post = watch(world);
    const asked = world.asked({ title: "case-reference: sum subtracts" });
    await run(stage, asked, { main: first, post });
    if (first.hit()?.name !== opening.name) continue;
    const again = { main: watch(world), post: watch(world) };
    await run(stage, { ...world.dispatch({ session: sessionOf(world, asked) }), of: asked }, again);
    const [postEnded, postDied, recovery] = [whole.post, post, again.main].map(({ points }) => points());
    return {
      main,
      mainOnDisk,
      postEnded: postEnded ?? [],
      postDied: postDied ?? [],
      recovery: recovery ?? [],
      opening,
    };
  }
  throw new Error(`five runs did not die at ${opening.name}`);
}

type Started = Parameters<World["job"]>[0] & {
  readonly comment?: number;
  readonly of?: { readonly comment: number };
};

async function run(
  { world, env, nodeFlags }: KillStage,
  event: Started,
  steps: { readonly main: Pick<Strike, "blow">; readonly post: Pick<Strike, "blow"> },
  inputs: Readonly<Record<string, string>> = {},
): Promise<void> {
  const machine = world.machine();
  const comment = event.of?.comment ?? event.comment;
  if (comment === undefined) throw new Error("the reference belongs to a comment");
  const at = { machine, session: sessionOf(world, { comment }) };
  const blows = { main: steps.main.blow(at), post: steps.post.blow(at) };
  const job = await world.job(event, {
    machine,
    nodeFlags,
    inputs,
    env: { ...env, ...blows.main.env, ...blows.post.env },
    under: { main: blows.main.under, post: blows.post.under },
  });
  const result = await job.done;
  blows.main.hit?.();
  world.github.completeRun(job.runId, result.conclusion);
  await rm(machine, { recursive: true, force: true });
}

/** What is played of a list by default, said where the sweep says it. */
export function pointsPlayed(points: readonly Point[], every: boolean): readonly Point[] {
  const played = every ? points : withoutRepeatedLog(points);
  return withoutLooks(played).filter((point) => canAim(point, points));
}

/**
 * Each record replaces the manifest, which syncs the new one and then the directory: every fourth of these is played,
 * and every other sync.
 */
export function syncsPlayed(points: readonly Point[], every: boolean): readonly Point[] {
  const isManifest = ({ name }: Point): boolean =>
    /^sync agent\/<session>(\/session\.json\.tmp)? #/.test(name);
  return points.filter((point, i) => every || !isManifest(point) || i % 4 === 0);
}

/**
 * Calls of the pool are counted beside those of the script's thread, and the thread that comes first to a count dies:
 * where the script's thread is ahead behind the same record, the pool's call cannot be aimed at.
 */
export function canAim(point: Point, points: readonly Point[]): boolean {
  if (point.thread === "own" || point.file !== null) return true;
  const before = points.slice(0, points.indexOf(point));
  return !before.some(
    ({ thread, syscall, behind, since }) =>
      thread === "own" &&
      behind === point.behind &&
      syscall === point.syscall &&
      since.nth >= point.since.nth,
  );
}

/**
 * With the machine gone nobody can tell apart two points between which nothing left it: the first of each stretch is
 * played.
 */
export function pointsOfLostMachine(points: readonly Point[], every: boolean): readonly Point[] {
  const first = every ? points : points.filter((_, i) => i === 0 || points[i - 1]?.leaves === true);
  return withoutLooks(first).filter((point) => canAim(point, points));
}
