// Kills the action at every operation of a reference session that somebody else can see, and looks at what becomes of
// the session: `npm run sweep:kill`. It needs strace and root.
//
// Words choose the cases whose names hold all of them, such as `post events.jsonl`; `--sample=40` takes that many,
// spread evenly. An interrupted sweep goes on where it was; `--fresh` begins anew, `--dir=<folder>` keeps its results
// there, `--again` plays those again that broke or were not reached. `--hands=3` sessions are played at a time.
//
// Points are every write, send, sync, truncation, rename, link, unlink, mkdir, connect and spawn of `main` and `post`.
// Syncs are those of durability `disk`; the rest is the default.
// A point is named by what it is and by the record of the log behind which it stands. It is aimed at from there: the run
// is stopped at that record, and the few calls behind it are counted, for a count from the start is seldom the same twice.
// A few calls of the thread pool cannot be aimed at (`notAimed`): the script's thread makes as many of that kind before.
// Left out are calls that failed, wakes of a process by itself, and looks at new comments, which come in their own time.
// Unless `--every` is given, three rules leave out what nobody can tell apart: of writes to the job log that follow one
// another the first is played, with the machine lost the first point after each thing that left it, and of the two syncs
// of the manifest at each record every fourth.
//
// `points` counts the distinct points at which a run died; `notReached` the cases whose point never came in sixteen runs.
// A session that was over when it was picked up is among the recovered, and counted as `over` too.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Result } from "../kit/kill/attempt.ts";
import { casesOf, predictedRefusals, type SweepCase } from "../kit/kill/cases.ts";
import type { HandTask } from "../kit/kill/hand.ts";
import { canAim, takeReference } from "../kit/kill/reference.ts";
import { openKillStage } from "../kit/kill/stage.ts";
import { openSweepFile } from "../kit/kill/sweep-file.ts";
import { steadyFlags } from "../kit/kill/tracer.ts";

const flags = new Map(
  process.argv.slice(2).flatMap((word) => {
    const [, name = "", value = ""] = /^--([a-z]+)(?:=(.*))?$/.exec(word) ?? [];
    return name === "" ? [] : [[name, value] as const];
  }),
);
const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
/** A world grows with every session; after so many cases a hand takes a new one. */
const casesAWorld = 40;
const handFile = join(import.meta.dirname, "../kit/kill/hand.ts");

const file = openSweepFile({ fresh: flags.has("fresh"), dir: flags.get("dir") ?? null });
const reference = file.reference ?? (await makeReference());
const all = casesOf(reference, flags.has("every"));
const chosen = sample(all.filter(({ name }) => words.every((word) => name.includes(word))));
const results = new Map(file.results.map((result) => [result.name, result]));
const isDone = ({ name }: SweepCase): boolean => {
  const verdict = results.get(name)?.verdict;
  return verdict !== undefined && !(flags.has("again") && ["broke", "notReached"].includes(verdict));
};
const lists = [reference.main, reference.mainOnDisk, reference.postEnded, reference.postDied];
const notAimed = lists.flatMap((points) => points.filter((point) => !canAim(point, points)));
const waiting = new Map(chosen.filter((one) => !isDone(one)).map((one) => [one.name, one]));
const predicted = all.filter((one) => predictedRefusals(one, reference).length > 0).length;
process.stdout.write(
  `${chosen.length} cases, ${waiting.size} to play, ${predicted} of ${all.length} may be refused; results in ${file.dir}\n`,
);
const hands = Array.from({ length: Number(flags.get("hands") ?? 3) }, () => playSome());
await Promise.all(hands);
report();

async function makeReference() {
  await using stage = await openKillStage({ actionDir: file.actionDir, nodeFlags: steadyFlags });
  const taken = await takeReference(stage);
  file.keepReference(taken);
  return taken;
}

/** Evenly over the list, which is in the order of the story. */
function sample(cases: readonly SweepCase[]): readonly SweepCase[] {
  const most = Number(flags.get("sample") ?? cases.length);
  const step = Math.max(1, cases.length / most);
  return cases.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
}

async function playSome(): Promise<void> {
  while (waiting.size > 0) {
    const hand = fork(handFile, [file.dir, flags.has("every") ? "every" : ""]);
    const gone = once(hand, "exit").then(() => null);
    if ((await Promise.race([once(hand, "message"), gone])) === null)
      throw new Error("a process that plays cases ended before it was ready");
    for (let played = 0; played < casesAWorld && waiting.size > 0 && hand.connected; played += 1)
      await playNext(hand, gone);
    if (hand.connected) hand.disconnect();
    await gone;
  }
}

async function playNext(hand: ChildProcess, gone: Promise<null>): Promise<void> {
  const [one] = waiting.values();
  if (one === undefined) return;
  waiting.delete(one.name);
  const task: HandTask = { name: one.name, waiting: [...waiting.keys()] };
  hand.send(task);
  const answer = (await Promise.race([once(hand, "message"), gone])) as [Result] | null;
  const result = answer?.[0] ?? brokenHand(one);
  // Another point was struck that waited, too: that one is proved now, and this one is still to be.
  if (result.name !== one.name && result.verdict !== "notReached") {
    if (results.has(result.name) && !waiting.has(result.name)) return void waiting.set(one.name, one);
    waiting.delete(result.name);
    waiting.set(one.name, one);
  }
  results.set(result.name, result);
  file.add(result);
  tell(result);
}

function brokenHand({ name }: SweepCase): Result {
  const nothing = { code: null, over: false, hits: [], lostRecords: 0, repeatedEffects: 0, tries: 1, ms: 0 };
  return { name, verdict: "broke", wrong: ["the process that played it ended"], ...nothing };
}

function tell({ name, verdict, code, hits, wrong, tries, ms }: Result): void {
  const said = `${verdict}${code === null ? "" : ` ${code}`}`.padEnd(12);
  const where = hits.length > 1 ? ` (${hits.join("; ")})` : "";
  process.stdout.write(
    `${said} ${(ms / 1000).toFixed(1).padStart(5)} s ${tries > 1 ? `${tries} tries ` : ""}${name}${where}\n`,
  );
  for (const line of wrong) process.stdout.write(`    ${line.replaceAll("\n", "\n    ")}\n`);
}

function report(): void {
  const found = chosen.flatMap(({ name }) => results.get(name) ?? []);
  const of = (verdict: Result["verdict"]): number => found.filter((one) => one.verdict === verdict).length;
  const sum = (what: (one: Result) => number): number => found.reduce((total, one) => total + what(one), 0);
  const points = new Set(
    found
      .filter(({ verdict, hits }) => verdict !== "notReached" && hits.length === 1)
      .map(({ name }) => name.replace(/, machine \w+/, "")),
  );
  const refusedByCode: Record<string, number> = {};
  for (const { verdict, code } of found)
    if (verdict === "refused" && code !== null) refusedByCode[code] = (refusedByCode[code] ?? 0) + 1;
  const counts = {
    ...{
      points: points.size,
      cases: found.length,
      recovered: of("recovered"),
      refused: of("refused"),
      refusedByCode,
    },
    ...{ repeatedEffects: sum((one) => one.repeatedEffects), lostRecords: sum((one) => one.lostRecords) },
    ...{ listed: lists.flat().length, notAimed: notAimed.length },
    ...{ notReached: of("notReached"), broke: of("broke"), over: found.filter(({ over }) => over).length },
  };
  process.stdout.write(`${JSON.stringify({ sweep: "kill", ...counts })}\n`);
  process.exitCode = counts.broke === 0 && counts.recovered > 0 && found.length === chosen.length ? 0 : 1;
}
