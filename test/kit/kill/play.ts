// One session that is killed as a case says, picked up by a person, and looked at when it is over.
import { rm } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { processesOf } from "../processes.ts";
import type { RunResult } from "../runner/run.ts";
import { sessionOf, shipmentsOf } from "../stored.ts";
import type { Asked, JobOptions, World } from "../world.ts";
import { type Case, type Judgement, judge, type Kept } from "./judge.ts";
import { recordsOn, recordsStored } from "./kept.ts";
import type { KillStage } from "./stage.ts";

/** Whether the machine goes with the process, or `post` still runs on it. */
export type Machine = "lost" | "survives";

/** What a step is given so that it dies, for the machine and the session that it is to die in. */
export type Blow = (at: { readonly machine: string; readonly session: string }) => {
  readonly env: Readonly<Record<string, string>>;
  /** A command that starts the step; empty where it starts by itself. */
  readonly under: readonly string[];
  /** Asked once it is dead: whether it died where it was meant to. */
  readonly hit?: () => boolean;
};

/** How one run dies. A `post` that dies takes the machine with it: the job is over. */
export type Death = {
  /** Asked when `main` has ended. */
  readonly machine: () => Machine;
  readonly main: Blow | null;
  readonly post: Blow | null;
};

export type Played = Judgement & {
  /**
   * `not` where a death did not come, and `elsewhere` where it came at another point: then nobody picked the session
   * up, and nothing was looked at.
   */
  readonly reached: Reached;
  /** The code of a last run that was refused although the session was not over; null for every other end. */
  readonly refused: string | null;
  /** The session was over when it was picked up, and that is what the last run said. */
  readonly over: boolean;
  readonly last: RunResult;
};

export type Reached = "all" | "not" | "elsewhere";

let cases = 0;

/** Lets one run after another die, then lets a person go on, and looks at everything that has to hold in the end. */
export async function playKill(
  stage: KillStage,
  deaths: readonly Death[],
  inputs: Readonly<Record<string, string>> = {},
): Promise<Played> {
  const { world } = stage;
  cases += 1;
  const label = `case-${cases}`;
  const from = { exchanges: world.github.exchanges.length, requests: world.model.requests.length };
  const asked = world.asked({ title: `${label}: sum subtracts` });
  const one: Case = { asked, session: sessionOf(world, asked), label, from };
  const kept: Kept[] = [];
  const wrong: string[] = [];
  let last: Died | null = null;
  for (const death of deaths) {
    last = await die(stage, one, death, inputs);
    wrong.push(...last.wrong);
    kept.push(last.kept);
    if (last.reached !== "all") break;
  }
  if (last === null) throw new Error("a case has at least one death");
  const { reached } = last;
  if (reached === "elsewhere") return { ...nothing, reached, last: last.result };
  // Where nobody died, the run went on to its end, and there is nothing to pick up.
  const whole = reached === "not" && !last.mainDied;
  const result = whole
    ? last.result
    : await world.finish(pickUp(world, one), { env: stage.env, nodeFlags: stage.nodeFlags, inputs });
  const judged = await judge(stage, one, kept);
  const end = endOf(result);
  const all = [...wrong, ...judged.wrong];
  const isOver = end.over && all.length === 0;
  if (end.wrong !== null && !isOver) all.push(`the last run ended ${end.wrong}: ${result.log}`);
  return { ...judged, wrong: all, reached, refused: isOver ? null : end.refused, over: isOver, last: result };
}

const nothing = { wrong: [], lostRecords: 0, repeatedEffects: 0, refused: null, over: false };

/** `over`: a session that ended before anybody could be told of it is over, and is not done again. */
function endOf({ outputs }: RunResult): {
  readonly wrong: string | null;
  readonly refused: string | null;
  readonly over: boolean;
} {
  const { outcome = "", reason = "" } = outputs;
  const ended = `${outcome}/${reason}`;
  if (ended === "pull-request/opened") return { wrong: null, refused: null, over: false };
  const over = ["refused/ended", "refused/not-found"].includes(ended);
  return { wrong: ended, refused: outcome === "refused" ? reason : null, over };
}

/** Somebody dispatches the session, or the command is given again where nothing of it was stored. */
function pickUp(world: World, { asked, session }: { readonly asked: Asked; readonly session: string }) {
  return shipmentsOf(world, session).length === 0 ? asked : world.dispatch({ session });
}

type Died = {
  readonly result: RunResult;
  readonly reached: Reached;
  readonly mainDied: boolean;
  readonly kept: Kept;
  readonly wrong: readonly string[];
};

async function die(
  stage: KillStage,
  one: Case,
  { machine, main, post }: Death,
  inputs: Readonly<Record<string, string>>,
): Promise<Died> {
  const { world, journal } = stage;
  const place = world.machine();
  const at = { machine: place, session: one.session };
  const blows = { main: main?.(at), post: post?.(at) };
  const seen: { written: Kept["records"]; where: Machine; astray: boolean } = {
    ...{ written: [], where: "survives", astray: false },
  };
  const options: JobOptions = {
    machine: place,
    nodeFlags: stage.nodeFlags,
    inputs,
    env: { ...stage.env, ...blows.main?.env, ...blows.post?.env },
    under: { main: blows.main?.under ?? [], post: blows.post?.under ?? [] },
    afterMain: async (signal) => {
      seen.astray = signal === "SIGKILL" && blows.main?.hit?.() === false;
      seen.where = machine();
      seen.written = recordsOn(place, one.session);
    },
    post: () => seen.where === "survives" && !seen.astray,
  };
  const job = await world.job(pickUp(world, one), options);
  const result = await job.done;
  const mainDied = result.signal === "SIGKILL";
  const postDied = result.postCode === null;
  const died = (main === null || mainDied) && (post === null || postDied);
  seen.astray ||= postDied && blows.post?.hit?.() === false;
  const reached = seen.astray ? "elsewhere" : died ? "all" : "not";
  if (seen.where === "lost" || post !== null || seen.astray)
    await rm(place, { recursive: true, force: true });
  const wrong = (await survivors(place)).map((line) => `still runs: ${line}`);
  world.github.completeRun(job.runId, mainDied ? "failure" : result.conclusion);
  const stored = await recordsStored(world, one.session);
  // Where `main` came to its own end, nothing is left to ship but the note of the last shipment itself.
  const shipped = mainDied && seen.where === "survives" && post === null;
  if (shipped && result.postCode !== 0) wrong.push(`post ended with ${result.postCode}`);
  // Whatever post has to warn of, it could not do.
  if (mainDied) wrong.push(...result.annotations.map(({ message }) => `said: ${message}`));
  const records = shipped ? [...seen.written, ...stored] : stored;
  return { result, reached, mainDied, kept: { records, linesSeen: journal.lines.length }, wrong };
}

/** The kernel ends a sandbox whose parent died, and needs a moment for it; whatever is there after that stays. */
async function survivors(machine: string): Promise<readonly string[]> {
  const until = performance.now() + 3_000;
  for (;;) {
    const left = processesOf(machine);
    if (left.length === 0 || performance.now() > until) return left;
    // Looking at every process of the machine takes as long as the kernel needs.
    await pause(20);
  }
}
