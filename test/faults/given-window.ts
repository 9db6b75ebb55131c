// Runs that die in a window between two records, and what the run that resumes has to do.
import { expect } from "vitest";
import { treeIdOf } from "../../src/adapters/memory/git-objects.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { entriesOf } from "../kit/race/memory-workspace.ts";
import type { Death } from "../kit/story/mortal.ts";
import { endOf, live, type Played } from "../kit/story/play.ts";
import { eventsOf, givenStage, type Stage } from "../kit/story/stage.ts";
import { taleEnd } from "../kit/story/tale.ts";

/** Right after a record of this type, or torn in the middle of it. */
export function record(event: SessionEvent["type"], nth = 1, when: Death["when"] = "after"): Death {
  return { at: "files.append", event, nth, when };
}

export const reads = ["read call_1_1", "read call_1_2"];
export const writes = ["write call_2_1", "write call_2_2", "write call_2_3"];
const redGate = ["check first", "check first", "check second", "check second"];
export const greenGate = ["check first", "check second"];
/** From the first text on: a red gate, the fix, a green gate. */
export const rest = [...redGate, "write call_4_1", ...greenGate];
/** The same where a call had to be made again before it. */
export const restAgain = [...redGate, "write call_5_1", ...greenGate];
export const published = ["branch", "pull request"];

export type Row = {
  /** A row of session.md, section 9: between two records, and what is decided. */
  readonly between: string;
  readonly death: Death;
  readonly machine?: "lost";
  /** What the second process runs, besides setup; how often it asks the model; what it makes on GitHub. */
  readonly ran: readonly string[];
  readonly asked: number;
  readonly made?: readonly string[];
  /** What recovery settles, such as `call_2_1 rolled-back`. */
  readonly settles?: readonly string[];
};

/** Dies there, and resumes. */
export async function expectResumed(row: Row): Promise<void> {
  const { death, machine = "survives", ran, asked, made = published, settles = [] } = row;
  const stage = givenStage();
  const first = await live(stage, { death, machine });
  expect(endOf(first)).toBe("died");
  const second = await live(stage, { asks: "resume" });
  expect(endOf(second)).toBe("pull-request/opened");
  expect(recovered(second)).toEqual(settles);
  expect(second.ran).toEqual(["setup", ...ran]);
  expect(second.requests).toHaveLength(asked);
  expect(second.made.filter((one) => one !== "edit")).toEqual(made);
  expectFinished(stage, second);
}

/** What a resume appended before the note that tells the model of it. */
function recovered(process: Played): readonly string[] {
  const events = eventsOf(process);
  const claim = events.findLastIndex(({ type }) => type === "run.claimed");
  const noted = events.findIndex(({ type }, i) => i > claim && type === "note.added");
  return events.slice(claim + 1, noted).map((event) => {
    if (event.type === "call.settled") return `${event.id} ${event.status}`;
    if (event.type === "effect.settled") return `${event.key.split("/")[1]} ${event.status}`;
    return event.type;
  });
}

/** One of everything outside, the whole change in it, and each call of the log settled once. */
export function expectFinished({ github, leases, session }: Stage, last: Played): void {
  expect(github.checkRuns).toHaveLength(1);
  const branches = [...github.branches].filter(([name]) => name !== "main");
  const end = treeIdOf(entriesOf(new Map(Object.entries(taleEnd))));
  expect(branches.map(([, sha]) => github.commits.get(sha)?.tree)).toEqual([end]);
  expect(github.pulls).toHaveLength(1);
  expect(github.comments.filter(({ body }) => body.includes(`${session}:comment:`))).toHaveLength(1);
  expect(leases.leases).toEqual([]);
  const settled = eventsOf(last).flatMap((event) => (event.type === "call.settled" ? [event.id] : []));
  expect(new Set(settled).size).toBe(settled.length);
  const intended = eventsOf(last).flatMap((event) =>
    event.type === "calls.intended" ? event.calls.map(({ id }) => id) : [],
  );
  expect([...settled].sort()).toEqual([...intended].sort());
}
