// Takes aim at a point and strikes: strace counts calls, and the count of a point is not quite the same in every run.
import { join } from "node:path";
import type { World } from "../world.ts";
import type { Blow } from "./play.ts";
import type { Point, Surroundings } from "./points.ts";
import { type Aim, diedAt, killing, listed, listing, oneThread } from "./tracer.ts";

let traces = 0;

function traceFile(world: World): string {
  traces += 1;
  return join(world.dir, `trace-${traces}`);
}

function surroundingsIn(
  world: World,
  at: { readonly machine: string; readonly session: string },
): Surroundings {
  const portOf = (url: string): string => new URL(url).port;
  const peers = { [portOf(world.github.url)]: "GitHub", [portOf(world.model.url)]: "the model" };
  return { ...at, peers };
}

/** A step that is watched and not killed; `points` are there when it is over. */
export function watch(world: World): { readonly blow: Blow; readonly points: () => readonly Point[] } {
  let points: () => readonly Point[] = () => {
    throw new Error("the step that is watched has not begun");
  };
  const blow: Blow = (at) => {
    const file = traceFile(world);
    points = () => listed(file, surroundingsIn(world, at));
    return { env: oneThread, under: listing(file) };
  };
  return { blow, points: () => points() };
}

/** What a blow came to: null before it, and where the process did not die of it. */
export type Strike = { readonly blow: Blow; readonly hit: () => Point | null };

/** Dies of this aim, in a step whose points come in this order; any of `accepted` is a hit, null is any point. */
export function strike(
  world: World,
  aim: Aim,
  {
    order,
    accepted,
  }: { readonly order: readonly Point[]; readonly accepted: ((name: string) => boolean) | null },
): Strike {
  let died: Point | null = null;
  const blow: Blow = (at) => {
    const file = traceFile(world);
    return {
      env: oneThread,
      under: killing(aim, file, surroundingsIn(world, at)),
      hit: () => {
        died = diedAt(file, { aim, order, around: surroundingsIn(world, at) });
        return accepted === null || (died !== null && accepted(died.name));
      },
    };
  };
  return { blow, hit: () => died };
}

/**
 * The aim that should have hit `wanted`, from where this one struck: the two stand as far apart as in the reference.
 * Where it struck nothing the run made fewer calls. Two that are under way at once may come in the other order now, so
 * no count is tried twice.
 */
export function correct(
  aim: Aim,
  wanted: Point,
  {
    hit,
    order,
    tried,
  }: { readonly hit: Point | null; readonly order: readonly Point[]; readonly tried: readonly number[] },
): Aim {
  if (aim.path !== null) return aim;
  const countAt = (point: Point): number | null =>
    point.thread !== aim.thread ? null : aim.syscall === "openat" ? point.opens : nthOf(point, aim.syscall);
  const at = order.findIndex(({ name }) => name === hit?.name);
  const struck =
    at < 0
      ? undefined
      : order
          .slice(at)
          .map(countAt)
          .find((count) => count !== null);
  const should = countAt(wanted);
  const unknown = aim.behind === null ? -4 : 0;
  const by = hit === null ? unknown : should === null || struck == null ? 1 : should - struck;
  const near = Array.from({ length: 2 * tried.length + 3 }, (_, i) => (i % 2 === 0 ? -i : i + 1) / 2);
  const counts = near.map((step) => aim.nth + by + step).filter((nth) => nth > 0 && !tried.includes(nth));
  return { ...aim, nth: counts[0] ?? aim.nth };
}

function nthOf({ syscall, nth }: Point, name: string): number | null {
  return syscall === name ? nth : null;
}
