import { commitIdOf, treeIdOf } from "../../../src/adapters/memory/git-objects.ts";
import { memoryGitHub } from "../../../src/adapters/memory/host.ts";
import { handle } from "../../../src/app/handle.ts";
import type { Outcome } from "../../../src/app/outcome.ts";
import type { Sha } from "../../../src/base/hash.ts";
import type { Command } from "../../../src/command/command.ts";
import type { Trigger } from "../../../src/command/trigger.ts";
import type { RunRef } from "../../../src/session/event.ts";
import { sessionIdOf } from "../../../src/session/id.ts";
import { sealKeyOf } from "../../../src/session/shipment.ts";
import { handClock } from "../given.ts";
import { judge } from "./judge.ts";
import { meansOf } from "./means.ts";
import { entriesOf } from "./memory-workspace.ts";
import { fixComment, type Mode, repositoryId, type Stage, session, thread } from "./scene.ts";
import { type Actor, type Fate, Scheduler, seeded } from "./scheduler.ts";

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
  readonly comments: number;
  readonly repeatedCalls: number;
  /** Each call that ran although a shipment held it as settled. */
  readonly repeats: readonly string[];
  /** What a run made that had lost the session, and had not even looked. */
  readonly unfenced: number;
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
  const plans = given?.plans ?? Array.from({ length: count }, (_, i) => planOf(stage, i));
  const runs = plans.map((plan) => startRun(stage, plan));
  await scheduler.play();
  scheduler.lossy = false;
  // A command that is delivered again finds a session that a lease names; a person's resume finds any.
  for (const asks of ["fix", "resume"] as const) {
    runs.push(startRun(stage, { id: String(900 + runs.length), fates: [], from: scheduler.step, asks }));
    await scheduler.play();
  }
  const ends = runs.map(({ end }) => end());
  const died = runs.filter(({ actor }) => actor.state === "dead").length;
  const cut = runs.filter(({ actor }) => actor.state === "back").length;
  return {
    mode,
    runs: runs.length,
    steps: scheduler.step,
    died,
    cut,
    ends,
    ...(await judge(stage, ends, died)),
  };
}

function stageOf(seed: number, given: Given | null): Stage {
  const random = seeded(seed);
  const draw = random();
  const drawn = draw < 0.75 ? "leased" : draw < 0.92 ? "cut" : "unleased";
  const clock = handClock();
  const mode = given === null ? drawn : "cut";
  const lossy = random() < 0.3 && given === null;
  const scheduler = new Scheduler(random, { lossy, onStep: () => clock.advance(500) });
  const tree = treeIdOf(entriesOf(baseFiles));
  const sha = commitIdOf({ tree, parent: "0".repeat(40) as Sha, message: "base", number: 0 });
  const issue = {
    number: thread,
    kind: "issue",
    title: "Broken",
    body: "Both are wrong.",
    author: "octo",
  } as const;
  const github = memoryGitHub({
    threads: new Map([
      [thread, { ...issue, state: "open", locked: given?.locked === true, head: null, base: null }],
    ]),
    commits: new Map([[sha, { tree, parents: [], entries: entriesOf(baseFiles) }]]),
    branches: new Map([["main", sha]]),
  });
  return {
    ...{ seed, random, mode, scheduler, clock, github },
    key: sealKeyOf("a key that is long enough", repositoryId),
    leases: { leases: [], ended: [] },
    shelves: { stored: [] },
    base: { sha, files: baseFiles },
    settled: new Set(),
    repeated: [],
    unfenced: [],
  };
}

export type Given = { readonly plans: readonly Plan[]; readonly locked?: boolean };

export type Plan = {
  readonly id: string;
  readonly fates: readonly Fate[];
  readonly from: number;
  readonly asks: "fix" | "resume";
};

function planOf({ random, mode }: Stage, i: number): Plan {
  const upTo = (n: number): number => Math.floor(random() * n);
  const asks = i > 0 && random() < 0.5 ? "resume" : "fix";
  const from = i === 0 ? 0 : upTo(random() < 0.5 ? 60 : 700);
  const at = 1 + upTo(random() < 0.5 ? 25 : 60);
  const goneAfter = upTo(60);
  const draw = random();
  const fates: readonly Fate[] =
    mode === "cut" && draw < 0.6
      ? [{ kind: "cut", at, goneAfter, backAfter: 1 + upTo(500) }]
      : draw < 0.6
        ? [{ kind: "dies", at, goneAfter }]
        : draw < 0.8
          ? [{ kind: "pauses", at: 1 + upTo(12), backAfter: 100 + upTo(900) }]
          : [];
  return { id: String(101 + i), fates, from, asks };
}

function startRun(stage: Stage, { id, fates, from, asks }: Plan) {
  const ref: RunRef = { id, attempt: 1, job: "agent" };
  const { scheduler, leases, random } = stage;
  const actor: Actor = {
    ...{ name: id, fates: [...fates], from, state: "works", shared: 0 },
    onGone: () => {
      leases.ended.push(ref);
    },
  };
  let end: string | null = null;
  let error: unknown = null;
  const comment = asks === "fix" ? fixComment : 600 + Number(id);
  const command: Command =
    asks === "fix" ? { kind: "fix", text: "", sha: null } : { kind: "resume", session, run: null };
  const { signal } = new AbortController();
  handle({ trigger: triggerOf(comment), command }, meansOf(stage, ref, actor), { signal })
    .then(
      ({ kind, reason }: Outcome) => {
        end = `${kind}/${reason}`;
      },
      (cause: unknown) => {
        error = cause;
        end = `failed: ${cause instanceof Error ? cause.message : String(cause)}`;
      },
    )
    .finally(() => {
      scheduler.trace.push(`${scheduler.step} ${id} ends ${end}`);
      if (actor.state === "works")
        scheduler.after(1 + Math.floor(random() * 30), () => scheduler.gone(actor));
    });
  return { actor, end: () => end ?? (actor.state === "dead" ? "dead" : "stands still"), error: () => error };
}

function triggerOf(comment: number): Trigger {
  const octo = { login: "octo", id: 1, type: "User" };
  const at = "2026-01-01T00:00:00Z";
  const issue = {
    number: thread,
    kind: "issue",
    title: "Broken",
    body: "Both are wrong.",
    author: "octo",
  } as const;
  return {
    kind: "comment",
    repositoryId,
    session: sessionIdOf(`repo:${repositoryId}/comment:${comment}`),
    sender: octo,
    comment: { id: comment, body: "@baton fix", author: octo, createdAt: at, updatedAt: at },
    thread: { ...issue, state: "open", locked: false, head: null, base: null },
  };
}
