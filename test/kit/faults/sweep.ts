import type { Case } from "./case.ts";
import { errorEvents, overflows, refusals } from "./cases/answers.ts";
import { cuts, silences, splits } from "./cases/cuts.ts";
import { deaths } from "./cases/deaths.ts";
import { badCalls, chains, extremes, stopReasons, usages } from "./cases/replies.ts";
import { earlyEnds, orders, unknowns } from "./cases/shapes.ts";
import { storms, walks } from "./cases/storms.ts";
import { summaryFaults } from "./cases/summaries.ts";
import { type Judged, play } from "./play.ts";
import { startFaultServer } from "./server.ts";

const families = [
  ...[refusals, overflows, errorEvents, orders, earlyEnds, unknowns, silences, cuts, splits],
  ...[stopReasons, badCalls, chains, usages, extremes, storms, walks, deaths, summaryFaults],
];

/** Every fault of a provider at every point where it can strike. */
export function* allCases(): Generator<Case> {
  for (const family of families) yield* family();
}

/** About so many of them, of each row of the table its share, evenly over the row. */
export function sampleOf(cases: readonly Case[], most: number): readonly Case[] {
  const rows = Map.groupBy(cases, ({ row }) => row);
  const share = Math.max(1, Math.floor(most / rows.size));
  return [...rows.values()].flatMap((row) => {
    const step = Math.max(1, row.length / share);
    return row.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
  });
}

export type Tally = {
  readonly cases: number;
  readonly hangs: number;
  readonly wrongOutcomes: number;
  readonly toolsFromIncomplete: number;
  readonly invalidRequests: number;
};

/** Plays them one after another; `told` is given each as it comes out. */
export async function sweep(cases: Iterable<Case>, told: (judged: Judged) => void): Promise<Tally> {
  await using server = await startFaultServer();
  let tally: Tally = { cases: 0, hangs: 0, wrongOutcomes: 0, toolsFromIncomplete: 0, invalidRequests: 0 };
  for (const one of cases) {
    const judged = await play(one, server);
    told(judged);
    tally = {
      cases: tally.cases + 1,
      hangs: tally.hangs + (judged.hung ? 1 : 0),
      wrongOutcomes: tally.wrongOutcomes + (judged.wrong.length > 0 ? 1 : 0),
      toolsFromIncomplete: tally.toolsFromIncomplete + judged.toolsFromIncomplete,
      invalidRequests: tally.invalidRequests + judged.invalidRequests,
    };
  }
  return tally;
}

/** Whether all came out as they had to. */
export function isClean({ cases, ...faults }: Tally): boolean {
  return cases > 0 && Object.values(faults).every((count) => count === 0);
}
