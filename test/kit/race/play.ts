// One seed of the race: runs of one session, started, delivered twice and resumed at once, killed and cut off by the
// seed; then a last run that nothing happens to. What must hold afterwards is said in sentences, none when it held.
import { memorySessionFiles } from "../../../src/adapters/memory/files.ts";
import { commitIdOf, treeIdOf } from "../../../src/adapters/memory/git-objects.ts";
import { memoryGitHub, memoryHost } from "../../../src/adapters/memory/host.ts";
import { memoryLeases } from "../../../src/adapters/memory/leases.ts";
import { memoryPermissions } from "../../../src/adapters/memory/permissions.ts";
import { memoryShelf } from "../../../src/adapters/memory/shelf.ts";
import { memoryToolbox } from "../../../src/adapters/memory/toolbox.ts";
import { scriptedModel } from "../../../src/adapters/scripted/model.ts";
import { parseScript } from "../../../src/adapters/scripted/script.ts";
import { handle } from "../../../src/app/handle.ts";
import type { Means, Orders } from "../../../src/app/means.ts";
import type { Outcome } from "../../../src/app/outcome.ts";
import { digestOf, type Sha } from "../../../src/base/hash.ts";
import type { Command } from "../../../src/command/command.ts";
import type { Trigger } from "../../../src/command/trigger.ts";
import type { Host } from "../../../src/delivery/host.ts";
import { markerOf } from "../../../src/delivery/marker.ts";
import type { RunRef } from "../../../src/session/event.ts";
import { sessionIdOf } from "../../../src/session/id.ts";
import type { Leases } from "../../../src/session/leases.ts";
import { sealKeyOf } from "../../../src/session/shipment.ts";
import { handClock } from "../given.ts";
import { gated } from "./gated.ts";
import { judge, settledIn } from "./judge.ts";
import { dirs, entriesOf, memoryMachine, memoryRooms, memoryWorkspace, toolsIn } from "./memory-workspace.ts";
import { fixComment, type Mode, repositoryId, type Stage, session, thread } from "./scene.ts";
import { type Actor, type Fate, Scheduler, seeded } from "./scheduler.ts";

const baseFiles: ReadonlyMap<string, string> = new Map([
  ["a.txt", "a\n"],
  ["b.txt", "b\n"],
]);

/** Six turns, parallel reads, a round of the gate that fails, and a pull request. */
const script = JSON.stringify([
  { calls: [readOf("a.txt"), readOf("b.txt")] },
  { calls: [writeOf("a.txt", "fixed\n"), writeOf("notes.txt", "one\n")] },
  { text: "Fix a" },
  { calls: [readOf("notes.txt"), writeOf("b.txt", "fixed\n")] },
  { calls: [writeOf("notes.txt", "two\n")] },
  { text: "Fix a and b" },
]);

function readOf(path: string): unknown {
  return { name: "read", input: { path } };
}

function writeOf(path: string, text: string): unknown {
  return { name: "write", input: { path, text } };
}

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

function meansOf(stage: Stage, ref: RunRef, actor: Actor): Means {
  const { scheduler, clock, key, mode, shelves } = stage;
  const machine = memoryMachine();
  const shared = { scheduler, actor, shared: true } as const;
  const own = { scheduler, actor, shared: false } as const;
  const workspace = gated(memoryWorkspace(machine, stage.base), own);
  const check = (files: ReadonlyMap<string, string>) =>
    files.get("b.txt") === "fixed\n" ? { exitCode: 0, output: "ok" } : { exitCode: 1, output: "b is wrong" };
  const onCall = (id: string): void => {
    if (stage.settled.has(id)) stage.repeated.push(`run ${ref.id} ran ${id} again`);
  };
  const rooms = memoryRooms(machine, {
    onCall,
    check: ({ name }, files) => (name === "second" ? check(files) : { exitCode: 0, output: "ok" }),
  });
  let nonce = 0;
  const leases = memoryLeases(stage.leases);
  const watched = watchedPorts(stage, actor, leases);
  const shelf = memoryShelf({ run: ref.id, shelves });
  return {
    orders,
    repository: { id: repositoryId, owner: "o", name: "r", defaultBranch: "main" },
    run: { ...ref, url: null, workflow: ".github/workflows/agent.yml" },
    serverUrl: "https://github.example",
    ...{ clock, key },
    random: () => 0.5,
    bytes: (n) => {
      nonce += 1;
      return Buffer.from(digestOf(`${ref.id}/${nonce}`), "hex").subarray(0, n);
    },
    mask: (text) => text,
    permissions: gated(memoryPermissions({ octo: "write" }), own),
    host: gated(watched.host, shared),
    leases: gated(
      mode === "unleased"
        ? { ...leases, claim: async () => ({ kind: "unavailable", why: "403" }) }
        : watched.leases,
      shared,
    ),
    shelf: gated(
      {
        ...shelf,
        put: async (name, bytes, options) => {
          const put = await shelf.put(name, bytes, options);
          if (put.kind === "stored") for (const id of settledIn(bytes, key)) stage.settled.add(id);
          return put;
        },
      },
      shared,
    ),
    model: gated(scriptedModel(parseScript(script, "race"), { name: "race" }), own),
    tools,
    prices: {},
    rooms: {
      ...gated(rooms, own),
      checks: (...args) => gated(rooms.checks(...args), own),
      open: async (...args) => {
        const opened = await rooms.open(...args);
        if (opened.kind === "refused") return opened;
        const { room } = opened;
        const toolbox = { ...room.toolbox, run: gated({ run: room.toolbox.run }, own).run };
        return { kind: "open", room: { ...room, toolbox } };
      },
    },
    parseYaml: () => ({ kind: "refused", why: "there is no file" }),
    ground: async () => ({
      kind: "taken",
      ground: {
        files: gated(memorySessionFiles(), own),
        dirs,
        pin: gated({ pin: async () => ({ kind: "pinned", workspace }) as const }, own).pin,
        [Symbol.asyncDispose]: async () => {},
      },
    }),
    opened: () => {},
    limit: () => {},
    cancelled: new AbortController().signal,
    say: () => {},
    warn: () => {},
    onLive: () => {},
  };
}

/** Sees what a run that was cut off makes when it has lost the session, unless it lost it since it looked. */
function watchedPorts(
  stage: Stage,
  actor: Actor,
  leases: Leases,
): { readonly host: Host; readonly leases: Leases } {
  const host = memoryHost(stage.github);
  let seen = false;
  const isNewest = (): boolean => stage.leases.leases.at(-1)?.run.id === actor.name;
  const making = (what: string): void => {
    if (actor.state === "back" && !isNewest() && !seen) stage.unfenced.push(`run ${actor.name} made ${what}`);
  };
  const marker = markerOf(stage.key, session, "comment");
  return {
    host: {
      ...host,
      branch: {
        ...host.branch,
        create: (name, sha) => {
          making("the branch");
          return host.branch.create(name, sha);
        },
      },
      pullRequest: {
        ...host.pullRequest,
        open: (pull) => {
          making("the pull request");
          return host.pullRequest.open(pull);
        },
      },
      comment: {
        ...host.comment,
        create: (number, body) => {
          if (body.includes(marker)) making("the comment");
          return host.comment.create(number, body);
        },
      },
    },
    leases: {
      ...leases,
      holders: (...args) => {
        seen = actor.state === "back" && isNewest();
        return leases.holders(...args);
      },
      release: (...args) => {
        if (stage.leases.leases.length > 0) making("the end of another's lease");
        return leases.release(...args);
      },
    },
  };
}

const tools = memoryToolbox(toolsIn(new Map(), () => {})).specs;

const orders: Orders = {
  provider: "scripted",
  model: "scripted",
  triggerPhrase: "@baton",
  allowedBots: [],
  budget: { minutes: 100_000 },
  configPath: ".github/agent.yml",
  setup: [],
  checks: ["first", "second"].map((name) => {
    return { name, run: `check ${name}`, minutes: 5, proof: false, dir: "", network: false };
  }),
  publish: "ready",
  startsChecks: false,
  durability: "process",
  shipSeconds: 20,
  modelMissing: null,
};
