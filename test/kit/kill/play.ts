// One session that is killed at one moment, and what became of it.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type DemoJournal, openJournal } from "../../demo/journal.ts";
import { processesOf } from "../processes.ts";
import type { RunResult } from "../runner/run.ts";
import { sessionOf, shipmentsOf, storedSession } from "../stored.ts";
import { type Asked, givenWorld, type JobOptions, type World } from "../world.ts";
import { buildKillMutant, killAt, type Moment } from "./mutant.ts";
import { journalVariable, storyCheck, storyEnd, storyFiles, storyScript } from "./story.ts";

export type KillStage = AsyncDisposable & { readonly world: World; readonly journal: DemoJournal };

/** One world for any number of cases, each on an issue of its own. */
export async function givenKillStage(): Promise<KillStage> {
  await using stack = new AsyncDisposableStack();
  const mutant = stack.use(await buildKillMutant());
  const world = stack.use(
    await givenWorld({
      files: storyFiles,
      script: storyScript(),
      actionDir: mutant.actionDir,
      inputs: { "ship-seconds": "0" },
    }),
  );
  const dir = join(world.dir, "journal");
  const journal = stack.use(
    openJournal({ dir, file: join(world.dir, "journal.jsonl"), onLine: () => undefined }),
  );
  const owned = stack.move();
  return { world, journal, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Whether the machine goes with the process, or `post` still runs on it. */
export type Machine = "lost" | "survives";

export type KillCase = {
  readonly name: string;
  readonly machine: Machine;
  readonly kill: Moment;
  /** A second death, in the run that goes on after the first. */
  readonly again?: Moment;
};

export type Played = {
  /** What does not hold; empty is what is wanted. */
  readonly wrong: readonly string[];
  /** False when a moment never came, so that a case proves nothing. */
  readonly reached: boolean;
  readonly last: RunResult;
};

/** Kills a session as the case says, lets a person pick it up, and looks at everything that has to hold in the end. */
export async function playKill(stage: KillStage, { name, machine, kill, again }: KillCase): Promise<Played> {
  const { world } = stage;
  const asked = world.asked({ title: `case-${name}: sum subtracts` });
  const session = sessionOf(world, asked);
  const wrong: string[] = [];
  const first = await die(stage, asked, { machine, moment: kill, session });
  wrong.push(...first.wrong);
  let last = first;
  if (first.reached && again !== undefined) {
    last = await die(stage, asked, { machine, moment: again, session });
    wrong.push(...last.wrong);
  }
  const deaths = again === undefined ? 1 : 2;
  const kept = await settledIn(world, session);
  const result = last.reached
    ? await world.finish(pickUp(world, asked, session), jobOptions(stage))
    : last.result;
  wrong.push(...(await judge(stage, { asked, session, name, kept, deaths, result })));
  return { wrong, reached: last.reached, last: result };
}

function jobOptions({ journal }: KillStage): JobOptions {
  return { env: { [journalVariable]: journal.dir } };
}

/** Somebody dispatches the session, or gives the command again where nothing of it was stored. */
function pickUp(world: World, asked: Asked, session: string) {
  return shipmentsOf(world, session).length === 0 ? asked : world.dispatch({ session });
}

type Death = { readonly result: RunResult; readonly reached: boolean; readonly wrong: readonly string[] };

async function die(
  stage: KillStage,
  asked: Asked,
  {
    machine,
    moment,
    session,
  }: { readonly machine: Machine; readonly moment: Moment; readonly session: string },
): Promise<Death> {
  const { world } = stage;
  const { env } = jobOptions(stage);
  const job = await world.job(pickUp(world, asked, session), {
    env: { ...env, ...killAt(moment) },
    post: machine === "survives",
  });
  const result = await job.done;
  const reached = result.signal === "SIGKILL";
  if (machine === "lost") await rm(job.machine, { recursive: true, force: true });
  const left = await survivors(job.machine);
  world.github.completeRun(job.runId, "failure");
  const wrong = left.map((line) => `still runs: ${line}`);
  if (machine === "survives" && result.postCode !== 0) wrong.push(`post ended with ${result.postCode}`);
  // Whatever post has to warn of, it could not do.
  if (reached) wrong.push(...result.annotations.map(({ message }) => `said: ${message}`));
  return { result, reached, wrong };
}

/** The kernel ends a sandbox whose parent died, and needs a moment for it; whatever is there after that stays. */
async function survivors(machine: string): Promise<readonly string[]> {
  const until = performance.now() + 3_000;
  for (;;) {
    const left = processesOf(machine);
    if (left.length === 0 || performance.now() > until) return left;
    await new Promise((next) => setImmediate(next));
  }
}

/** Ids of the calls that the shelf holds as settled: none of them may ever run again. */
async function settledIn(world: World, session: string): Promise<ReadonlySet<string>> {
  const stored = await storedSession(world, session);
  const events = stored?.events ?? [];
  return new Set(
    events.flatMap((event) => (event.type === "call.settled" && event.status === "ok" ? [event.id] : [])),
  );
}

type End = {
  readonly asked: Asked;
  readonly session: string;
  readonly name: string;
  readonly kept: ReadonlySet<string>;
  readonly deaths: number;
  readonly result: RunResult;
};

async function judge(stage: KillStage, end: End): Promise<readonly string[]> {
  return [...judgeRun(end), ...(await judgeOutside(stage, end)), ...(await judgeLog(stage, end))];
}

/** A session that was over before it could be told of is over: it is not done again. */
function judgeRun({ result }: End): readonly string[] {
  const { outcome = "", reason = "" } = result.outputs;
  const ended = `${outcome}/${reason}`;
  if (["pull-request/opened", "refused/ended", "refused/not-found"].includes(ended)) return [];
  return [`the last run ended ${ended}: ${result.log}`];
}

async function judgeOutside({ world }: KillStage, { asked, session }: End): Promise<readonly string[]> {
  const { github } = world;
  const wrong: string[] = [];
  const branches = github.branches().filter((name) => name.includes(session));
  if (branches.length !== 1) wrong.push(`${branches.length} branches`);
  const pulls = (await github.pulls()).filter(({ head }) => head.ref.includes(session));
  if (pulls.length !== 1) wrong.push(`${pulls.length} pull requests`);
  const ours = github.comments(asked.issue).filter(({ user }) => user?.login === "github-actions[bot]");
  const said = ours.map(({ body }) => body ?? "");
  if (said.length !== 1) wrong.push(`${said.length} comments of ours: ${said.join("\n---\n")}`);
  else if (!said[0]?.includes("Baton stopped: **pull-request**")) wrong.push(`the comment says ${said[0]}`);
  const leases = github.refs(`refs/agent/${session}/`);
  if (leases.length > 0) wrong.push(`leases are left: ${leases.map(({ name }) => name).join(" ")}`);
  const broken = github
    .problems()
    .map(({ method, path, problems }) => `${method} ${path}: ${problems.join("; ")}`);
  wrong.push(...broken.map((one) => `broke GitHub's contract: ${one}`));
  return branches[0] === undefined ? wrong : [...wrong, ...judgeTree(world, branches[0])];
}

function judgeTree({ github, dir }: World, branch: string): readonly string[] {
  const wrong = Object.entries(storyEnd)
    .filter(([path, text]) => github.git("show", `${branch}:${path}`) !== text)
    .map(([path]) => `${path} on the branch is ${github.git("show", `${branch}:${path}`)}`);
  const folder = mkdtempSync(join(dir, "tree-"));
  try {
    mkdirSync(folder, { recursive: true });
    github.git("--work-tree", folder, "checkout", branch, "--", ".");
    execFileSync("sh", ["-c", storyCheck], { cwd: folder, stdio: "ignore" });
  } catch (error) {
    wrong.push(`the check is red on the branch: ${String(error)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return wrong;
}

async function judgeLog(
  { world, journal }: KillStage,
  { session, name, kept, deaths }: End,
): Promise<readonly string[]> {
  const stored = await storedSession(world, session);
  if (stored === null) return ["nothing is stored"];
  const { events } = stored;
  const wrong: string[] = [];
  const settled = events.flatMap((event) => (event.type === "call.settled" ? [event.id] : []));
  if (new Set(settled).size !== settled.length) wrong.push("a call is settled twice");
  const lost = [...kept].filter((id) => !settled.includes(id));
  if (lost.length > 0) wrong.push(`settled calls are gone from the log: ${lost.join(" ")}`);
  const ran = journal.lines.filter(({ label, detail }) => label === "shell" && detail === `case-${name}`);
  const commands = events.flatMap((event) =>
    event.type === "calls.intended" ? event.calls.filter(({ tool }) => tool === "shell") : [],
  );
  const begun = commands.length;
  // Each command that the log intends ran once at most; a turn that never left its machine leaves no intent.
  const isKept = commands.some(({ id }) => kept.has(id));
  const most = isKept ? begun : begun + deaths;
  if (ran.length < 1 || ran.length > most)
    wrong.push(`the command ran ${ran.length} times, intended ${begun}`);
  return wrong;
}
