import { commitIdOf, treeIdOf } from "../../../src/adapters/memory/git-objects.ts";
import { memoryGitHub } from "../../../src/adapters/memory/host.ts";
import { handle } from "../../../src/app/handle.ts";
import type { Outcome } from "../../../src/app/outcome.ts";
import type { Sha } from "../../../src/base/hash.ts";
import type { Command } from "../../../src/command/command.ts";
import type { Trigger } from "../../../src/command/trigger.ts";
import type { HostThread } from "../../../src/delivery/host.ts";
import type { RunRef } from "../../../src/session/event.ts";
import { sessionIdOf } from "../../../src/session/id.ts";
import { sealKeyOf } from "../../../src/session/shipment.ts";
import { handClock } from "../given.ts";
import { judge } from "./judge.ts";
import { meansOf, raceMachine } from "./means.ts";
import { entriesOf } from "./memory-workspace.ts";
import { afterwards } from "./post.ts";
import { fixComment, type Mode, repositoryId, type Stage, session, thread, topic } from "./scene.ts";
import { type Actor, type Fate, type Random, Scheduler, seeded } from "./scheduler.ts";

const baseFiles: ReadonlyMap<string, string> = new Map([
  ["a.txt", "a\n"],
  ["b.txt", "b\n"],
]);

/** Six turns, parallel reads, a round of the gate that fails, and a pull request. */
export type Played = {
  readonly mode: Mode;
  readonly runs: number;
  readonly steps: number;
  readonly died: number;
  readonly cut: number;
  /** How each run ended, such as `pull-request/opened` or `dead`. */
  readonly ends: readonly string[];
  readonly pullRequests: number;
  readonly branches: number;
  /** Moves of the branch of the pull request that the command was given on. */
  readonly pushes: number;
  readonly comments: number;
  readonly repeatedCalls: number;
  /** Each call that ran although a shipment held it as settled. */
  readonly repeats: readonly string[];
  /** What a run made that had lost the session, and had not even looked. */
  readonly unfenced: number;
  /** What a run made that lost the session between its last look and the making. */
  readonly outrun: number;
  /** Runs that were frozen, posts that ran, and second attempts of a run. */
  readonly frozen: number;
  readonly posts: number;
  readonly again: number;
  readonly finished: boolean;
  /** A crash loop that the number of deaths predicts. */
  readonly refused: boolean;
  readonly trace: readonly string[];
  readonly wrong: readonly string[];
};

/** The runs and their fates come from the seed, or are given; then nothing gets lost besides. */
export async function playRace(seed: number, given: Given | null = null): Promise<Played> {
  const stage = stageOf(seed, given);
  const { random, scheduler, mode } = stage;
  const count = random() < 0.5 ? 2 : 3;
  const relay = random() < 0.2;
  const drawn = (i: number): Plan => (relay ? relayOf(stage, i) : planOf(stage, i, count));
  const plans = given?.plans ?? Array.from({ length: relay ? 3 : count }, (_, i) => drawn(i));
  const runs: Started[] = [];
  for (const plan of plans) startRun(stage, plan, runs);
  await scheduler.play();
  scheduler.lossy = false;
  // A command that is delivered again finds a session that a lease names; a person's resume finds any.
  for (const asks of ["fix", "resume"] as const) {
    // Where no lease could be written, a person names the run that stored the session.
    const named = mode === "unleased" ? (stage.shelves.stored.at(-1)?.run ?? null) : null;
    const id = String(900 + runs.length);
    startRun(stage, { id, fates: [], from: scheduler.step, asks, named }, runs);
    await scheduler.play();
  }
  const ends = runs.map(({ end }) => end());
  const died = runs.filter(({ actor }) => actor.state === "dead").length;
  const cut = runs.filter(({ actor }) => actor.state === "back").length;
  const noted = (what: RegExp): number => scheduler.trace.filter((line) => what.test(line)).length;
  return {
    mode,
    runs: runs.length,
    steps: scheduler.step,
    died,
    cut,
    frozen: noted(/ freezes$/),
    posts: noted(/ post begins$/),
    again: runs.filter(({ actor }) => actor.name.includes(".")).length,
    ends,
    ...(await judge(stage, ends, { died, cut })),
  };
}

function stageOf(seed: number, given: Given | null): Stage {
  const random = seeded(seed);
  const drawn = modeOf(random());
  const clock = handClock();
  const mode = given === null ? drawn : (given.mode ?? "cut");
  const lossy = random() < 0.3 && given === null;
  const scheduler = new Scheduler(random, { lossy, onStep: () => clock.advance(500) });
  const tree = treeIdOf(entriesOf(baseFiles));
  const sha = commitIdOf({ tree, parent: "0".repeat(40) as Sha, message: "base", number: 0 });
  const drawnPull = random() < 0.15;
  const onPull = given === null ? drawnPull : given.onPull === true;
  const branches = new Map([["main", sha]]);
  if (onPull) branches.set(topic, sha);
  const asked = threadOn(onPull, { locked: given?.locked === true, at: () => branches.get(topic) ?? sha });
  const github = memoryGitHub({
    threads: new Map([[thread, asked]]),
    commits: new Map([[sha, { tree, parents: [], entries: entriesOf(baseFiles) }]]),
    branches,
  });
  return {
    ...{ seed, random, mode, onPull, lossy, scheduler, clock, github },
    key: sealKeyOf("a key that is long enough", repositoryId),
    refs: { refs: new Map(), commits: new Map(), ended: [] },
    shelves: { stored: [] },
    base: { sha, files: baseFiles },
    settled: new Set(),
    repeated: [],
    pushed: [],
    unfenced: [],
    outrun: [],
  };
}

/** The thread as it is whenever it is looked at. */
function threadOn(
  onPull: boolean,
  { locked, at }: { readonly locked: boolean; readonly at: () => Sha },
): HostThread {
  const words = { title: "Broken", body: "Both are wrong.", author: "octo" };
  const text = { number: thread, ...words, state: "open", locked } as const;
  if (!onPull) return { ...text, kind: "issue", head: null, base: null };
  return {
    ...text,
    kind: "pull-request",
    base: { ref: "main" },
    get head() {
      return { ref: topic, sha: at(), repositoryId };
    },
  };
}

function modeOf(draw: number): Mode {
  if (draw < 0.5) return "leased";
  if (draw < 0.65) return "cut";
  if (draw < 0.8) return "frozen";
  return draw < 0.9 ? "taken" : "unleased";
}

export type Given = {
  readonly plans: readonly Plan[];
  readonly locked?: boolean;
  readonly onPull?: boolean;
  readonly mode?: Mode;
};

export type Plan = {
  readonly id: string;
  readonly fates: readonly Fate[];
  readonly from: number;
  readonly asks: "fix" | "resume";
  /** The fates of the same run's second attempt, as "Re-run failed jobs" makes it once the first is over. */
  readonly again?: readonly Fate[];
  /** The run that a person names as the one that stored the session. */
  readonly named?: string | null;
  /** The run that a person says is gone although its job counts as running. */
  readonly takesOver?: string;
};

function planOf({ random, mode }: Stage, i: number, count: number): Plan {
  const upTo = (n: number): number => Math.floor(random() * n);
  const asks = i > 0 && random() < 0.5 ? "resume" : "fix";
  const from = i === 0 ? 0 : upTo(random() < 0.5 ? 80 : 900);
  const fates = fatesOf(mode, random);
  const again = random() < 0.25 ? { again: fatesOf(mode, random) } : {};
  const id = String(101 + i);
  if (mode !== "taken" || i < count - 1) return { id, fates, from, asks, ...again };
  return { id, fates, from: 40 + upTo(900), asks: "resume", takesOver: String(101 + upTo(i)) };
}

/** One after the other: each dies soon after it took the session, and what it had left comes when the next has it. */
function relayOf({ random }: Stage, i: number): Plan {
  const upTo = (n: number): number => Math.floor(random() * n);
  // The first shipment of a run that goes on is where what it claimed, and nothing else, is known of it.
  const claimed = i > 0 && random() < 0.6;
  const at = claimed ? "put" : 20 + upTo(30);
  const dies = { kind: "dies", at, goneAfter: upTo(10), ...(random() < 0.5 && { lands: false }) } as const;
  const fates: readonly Fate[] = [random() < (i < 2 ? 0.9 : 0.3) ? { ...dies, post: 60 + upTo(300) } : dies];
  return { id: String(101 + i), fates, from: i * 160 + upTo(60), asks: i === 0 ? "fix" : "resume" };
}

function fatesOf(mode: Mode, random: Random): readonly Fate[] {
  const upTo = (n: number): number => Math.floor(random() * n);
  const at = 1 + upTo(random() < 0.5 ? 30 : 80);
  const goneAfter = upTo(60);
  const [draw, then] = [random(), random()];
  if (mode === "cut" && draw < 0.6) return [{ kind: "cut", at, goneAfter, backAfter: 1 + upTo(500) }];
  if (mode === "frozen" && draw < 0.7)
    return [{ kind: "freezes", at: frozenAt(random), goneAfter, backAfter: 1 + upTo(1200) }];
  if (draw < 0.6) {
    const dies = { kind: "dies", at, goneAfter } as const;
    return [then < 0.4 ? { ...dies, post: then < 0.2 ? "in time" : 1 + upTo(400) } : dies];
  }
  return draw < 0.8 ? [{ kind: "pauses", at: 1 + upTo(12), backAfter: 100 + upTo(900) }] : [];
}

/** Anywhere, or where it matters most: between the look at the leases and what is made after it. */
function frozenAt(random: Random): number | string {
  const makings = ["branch.commit", "branch.create", "pullRequest.open", "comment.create", "git.deleteRef"];
  const [draw, which] = [random(), random()];
  return draw < 0.6 ? 1 + Math.floor(which * 600) : (makings[Math.floor(which * makings.length)] ?? 1);
}

type Started = { readonly actor: Actor; readonly end: () => string };

/** Adds the run to `runs`, and later its second attempt. */
function startRun(stage: Stage, plan: Plan, runs: Started[], attempt = 1): void {
  const { id, fates, from, asks, again, named = null, takesOver = null } = plan;
  const ref: RunRef = { id, attempt, job: "agent" };
  const { scheduler, refs, random } = stage;
  const machine = raceMachine(stage);
  const actor: Actor = {
    ...{ name: attempt === 1 ? id : `${id}.${attempt}`, fates: [...fates], from, state: "works" },
    ...{ shared: 0, steps: 0 },
    onGone: () => {
      refs.ended.push(ref);
      // GitHub lets nobody start a run again whose job still counts as running.
      if (again !== undefined && attempt === 1)
        startRun(stage, { ...plan, fates: again, from: scheduler.step + 1 }, runs, 2);
    },
    onPost: () => afterwards(stage, ref, { machine, main: actor }),
  };
  let end: string | null = null;
  runs.push({ actor, end: () => end ?? (actor.state === "dead" ? "dead" : "stands still") });
  const comment = asks === "fix" ? fixComment : 600 + Number(id);
  const command: Command =
    asks === "fix" ? { kind: "fix", text: "", sha: null } : { kind: "resume", session, run: named };
  const { signal } = new AbortController();
  handle(
    { trigger: triggerOf(comment, stage), command },
    meansOf(stage, { ...ref, takesOver }, { actor, machine }),
    { signal },
  )
    .then(
      ({ kind, reason }: Outcome) => {
        end = `${kind}/${reason}`;
      },
      (cause: unknown) => {
        end = `failed: ${cause instanceof Error ? cause.message : String(cause)}`;
      },
    )
    .finally(() => {
      scheduler.trace.push(`${scheduler.step} ${actor.name} ends ${end}`);
      if (actor.state === "works")
        scheduler.after(1 + Math.floor(random() * 30), () => scheduler.gone(actor));
    });
}

function triggerOf(comment: number, { github }: Stage): Trigger {
  const octo = { login: "octo", id: 1, type: "User" };
  const at = "2026-01-01T00:00:00Z";
  const asked = github.threads.get(thread);
  if (asked === undefined) throw new Error(`there is no thread ${thread}`);
  return {
    kind: "comment",
    repositoryId,
    session: sessionIdOf(`repo:${repositoryId}/comment:${comment}`),
    sender: octo,
    comment: { id: comment, body: "@baton fix", author: octo, createdAt: at, updatedAt: at },
    thread: { ...asked, state: "open", locked: false },
  };
}
