import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { newFolder } from "../test/kit/folder.ts";
import { canSandbox, givenWorld, type World } from "../test/kit/world.ts";
import { files, runBaton, runEmpty, runFloor, runIgnored } from "./harnesses.ts";
import { type Measured, median } from "./measured.ts";

// What Baton costs over the least that a harness can do, both measured here, in turns, on the same scripted model:
// `npm run bench [-- --reps <n>] [--only ignored,first,20,200] [--action <folder>]`. One JSON line on stdout.

type Pair = { readonly baton: number; readonly floor: number };
type Rounds = { readonly baton: Measured[]; readonly floor: Measured[] };

/** What each ratio should not exceed. */
const aims = { ignored: 2.5, firstRequest: 2.5, gap20: 2, gap200: 2, memory200: 2 };
type Figure = keyof typeof aims;

const { values: options } = parseArgs({
  options: {
    reps: { type: "string", default: "3" },
    only: { type: "string", default: "ignored,first,20,200" },
    action: { type: "string", default: path.resolve(import.meta.dirname, "..") },
  },
});
const reps = Number(options.reps);
const wanted = new Set(options.only.split(","));
const pairs = new Map<Figure, Pair>();
const foreign: number[] = [];

if (!canSandbox) say("This machine gives no namespaces: the sandbox is off, and so is what it costs.");
const dir = newFolder("bench");
await using world = await givenWorld({ files });
if (wanted.has("ignored")) pairs.set("ignored", await ignored(world));
if (wanted.has("first")) pairs.set("firstRequest", pairOf(await compare(0, 2 * reps + 1), "firstRequest"));
if (wanted.has("20")) pairs.set("gap20", pairOf(await compare(20, reps), "gap"));
if (wanted.has("200")) {
  const rounds = await compare(200, reps);
  pairs.set("gap200", pairOf(rounds, "gap"));
  pairs.set("memory200", pairOf(rounds, "peakKb"));
}
await rm(dir, { recursive: true, force: true });
console.log(JSON.stringify(report()));

/** An event that is not for us, against a Node that does nothing. */
async function ignored(on: World): Promise<Pair> {
  const asked = on.asked({ comment: "Thank you, this looks good." });
  const [baton, floor]: [number[], number[]] = [[], []];
  for (let rep = 0; rep < 4 * reps + 1; rep += 1) {
    floor.push(await runEmpty());
    baton.push(await runIgnored(on, asked, options.action));
  }
  const pair = { baton: median(baton), floor: median(floor) };
  say(`ignored: ${show(pair.baton)} ms, empty node ${show(pair.floor)} ms`);
  return pair;
}

/** Both harnesses with `calls` calls, in turns, so that what else the machine does meets both. */
async function compare(calls: number, times: number): Promise<Rounds> {
  const rounds: Rounds = { baton: [], floor: [] };
  for (let rep = 0; rep < times; rep += 1) {
    rounds.floor.push(told("floor", await runFloor(calls, path.join(dir, `floor-${calls}-${rep}`))));
    rounds.baton.push(told("baton", await runBaton(calls, world, options.action)));
  }
  return rounds;
}

function told(name: string, run: Measured): Measured {
  foreign.push(run.foreign);
  const gap = run.calls === 0 ? "" : `gap ${show(run.gap)} ms, `;
  say(
    `${name}, ${run.calls} calls: first request ${show(run.firstRequest)} ms, ${gap}` +
      `peak ${show(run.peakKb / 1024)} MiB, wall ${show(run.wall)} ms, foreign ${show(100 * run.foreign)} %`,
  );
  return run;
}

function pairOf(rounds: Rounds, figure: "firstRequest" | "gap" | "peakKb"): Pair {
  const of = (runs: readonly Measured[]) => median(runs.map((run) => run[figure]));
  return { baton: of(rounds.baton), floor: of(rounds.floor) };
}

/** Ratios by figure, their aims, and the medians they were made of (ms; KiB for memory). */
function report() {
  const of = <T>(value: (pair: Pair, figure: Figure) => T) =>
    Object.fromEntries([...pairs].map(([figure, pair]) => [figure, value(pair, figure)]));
  return {
    ratio: of(({ baton, floor }) => round(baton / floor)),
    aim: of((_, figure) => aims[figure]),
    baton: of(({ baton }) => round(baton)),
    floor: of(({ floor }) => round(floor)),
    repetitions: reps,
    foreignCpu: round(median(foreign)),
    sandbox: canSandbox,
    node: process.version,
    processors: os.availableParallelism(),
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function show(value: number): string {
  return value.toFixed(value < 100 ? 1 : 0);
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
