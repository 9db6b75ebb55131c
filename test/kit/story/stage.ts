// The stories of the app on memory adapters: what survives a process, and processes that work on it.
import { type MemoryFiles, memorySessionFiles } from "../../../src/adapters/memory/files.ts";
import { commitIdOf, treeIdOf } from "../../../src/adapters/memory/git-objects.ts";
import { type MemoryGitHub, memoryGitHub, memoryHost } from "../../../src/adapters/memory/host.ts";
import { type MemoryLeases, memoryLeases } from "../../../src/adapters/memory/leases.ts";
import { type MemoryPatches, memoryPatches } from "../../../src/adapters/memory/patches.ts";
import { memoryPermissions } from "../../../src/adapters/memory/permissions.ts";
import { type MemoryShelves, memoryShelf } from "../../../src/adapters/memory/shelf.ts";
import { memoryToolbox } from "../../../src/adapters/memory/toolbox.ts";
import { parseYaml } from "../../../src/adapters/yaml/parse.ts";
import type { Means, Orders } from "../../../src/app/means.ts";
import { shipRest } from "../../../src/app/ship-rest.ts";
import { digestOf, type Sha } from "../../../src/base/hash.ts";
import type { Model, ModelRequest } from "../../../src/loop/model.ts";
import type { SessionEvent } from "../../../src/session/event.ts";
import { type SessionId, sessionIdOf } from "../../../src/session/id.ts";
import { type SealKey, sealKeyOf } from "../../../src/session/shipment.ts";
import type { Workspace } from "../../../src/workspace/workspace.ts";
import { handClock } from "../given.ts";
import { dirs, entriesOf, memoryMachine, memoryWorkspace } from "../race/memory-workspace.ts";
import { type Death, Life, mortal } from "./mortal.ts";
import { roomsOn, toolsIn } from "./rooms.ts";
import { tellsStory } from "./tale.ts";

export const repositoryId = 1296269;
export const thread = 7;
export const comment = 501;

/** What is outside of every process, and what the processes did. */
export type Stage = {
  readonly session: SessionId;
  readonly key: SealKey;
  readonly github: MemoryGitHub;
  readonly leases: MemoryLeases;
  readonly shelves: MemoryShelves;
  readonly patches: MemoryPatches;
  readonly base: { readonly sha: Sha; readonly files: ReadonlyMap<string, string> };
  readonly processes: Process[];
  /** The id of its first run; those after it count up. */
  readonly firstRun: number;
  /** Whether commands run without a sandbox, so that each is an external call. */
  readonly sandbox: "on" | "off";
};

export function givenStage(
  options: {
    readonly sandbox?: "on" | "off";
    /** What `.github/agent.yml` says; without it there is no such file. */
    readonly config?: string;
    /** Besides those of the story. */
    readonly files?: Readonly<Record<string, string>>;
  } = {},
): Stage {
  const files = new Map([
    ["a.txt", "a\n"],
    ["b.txt", "b\n"],
    ...Object.entries(options.files ?? {}),
    ...(options.config === undefined ? [] : [[".github/agent.yml", options.config] as const]),
  ]);
  const tree = treeIdOf(entriesOf(files));
  const sha = commitIdOf({ tree, parent: "0".repeat(40) as Sha, message: "base", number: 0 });
  const issue = { number: thread, title: "Broken", body: "Both are wrong.", author: "octo" };
  const open = { kind: "issue", state: "open", locked: false, head: null, base: null } as const;
  return {
    session: sessionIdOf(`repo:${repositoryId}/comment:${comment}`),
    key: sealKeyOf("a key that is long enough", repositoryId),
    github: memoryGitHub({
      threads: new Map([[thread, { ...issue, ...open }]]),
      commits: new Map([[sha, { tree, parents: [], entries: entriesOf(files) }]]),
      branches: new Map([["main", sha]]),
    }),
    leases: { leases: [], ended: [] },
    shelves: { stored: [] },
    patches: { stored: [] },
    base: { sha, files },
    processes: [],
    firstRun: 101,
    sandbox: options.sandbox ?? "on",
  };
}

export type Process = {
  readonly id: string;
  readonly means: Means;
  readonly life: Life;
  readonly files: MemoryFiles;
  readonly workspace: Workspace;
  /** The session has been opened, so that `post` knows of it. */
  readonly isOpen: () => boolean;
  /** Calls, setups and checks that began, in order, such as `read call_1_1`, `setup`, `check second`. */
  readonly ran: readonly string[];
  readonly requests: readonly ModelRequest[];
  /** Effects that reached GitHub, such as `branch`, `pull request`, `comment`, `edit`. */
  readonly made: readonly string[];
  readonly said: readonly string[];
};

export type ProcessOptions = {
  readonly death?: Death;
  readonly orders?: Partial<Orders>;
  readonly model?: Model;
  /** Over the means, before they are made mortal. */
  readonly over?: (means: Means) => Partial<Means>;
};

/** A new process on a new machine. */
export function startProcess(stage: Stage, options: ProcessOptions = {}): Process {
  const id = String(stage.firstRun + stage.processes.length);
  const life = new Life(options.death ?? null);
  const files = memorySessionFiles();
  const machine = memoryMachine();
  const workspace = memoryWorkspace(machine, stage.base);
  const ran: string[] = [];
  const requests: ModelRequest[] = [];
  const made: string[] = [];
  const said: string[] = [];
  let isOpen = false;
  const told = options.model ?? tellsStory();
  const plain: Means = {
    orders: { ...orders, ...options.orders },
    repository: { id: repositoryId, owner: "o", name: "r", defaultBranch: "main" },
    run: { id, attempt: 1, job: "agent", url: null, workflow: ".github/workflows/agent.yml" },
    earshot: { since: 0, comment: null },
    serverUrl: "https://github.example",
    clock: handClock(),
    random: () => 0.5,
    bytes: (n) => Buffer.from(digestOf(`${id}/${stage.shelves.stored.length}`), "hex").subarray(0, n),
    mask: (text) => text,
    key: stage.key,
    permissions: memoryPermissions({ octo: "write" }),
    host: watchedHost(stage, made),
    patches: memoryPatches({ run: id, patches: stage.patches }),
    leases: memoryLeases(stage.leases),
    shelf: memoryShelf({ run: id, shelves: stage.shelves }),
    model: {
      reply: (request, given) => {
        requests.push(structuredClone(request));
        return told.reply(request, given);
      },
    },
    tools: memoryToolbox(toolsIn(new Map(), { ran, external: false })).specs,
    prices: {},
    rooms: roomsOn(machine, ran, stage.sandbox === "off"),
    parseYaml,
    spareCore: false,
    ground: async () => ({
      kind: "taken",
      ground: {
        files: mortal(files, life, "files"),
        dirs,
        pin: async () => ({ kind: "pinned", workspace }),
        [Symbol.asyncDispose]: async () => undefined,
      },
    }),
    opened: () => {
      isOpen = true;
    },
    limit: () => undefined,
    pictures: null,
    cancelled: new AbortController().signal,
    say: (text) => said.push(text),
    warn: (text) => said.push(text),
    onLive: () => undefined,
  };
  const means = mortalMeans({ ...plain, ...options.over?.(plain) }, life);
  const process = { id, means, life, files, workspace, isOpen: () => isOpen, ran, requests, made, said };
  stage.processes.push(process);
  return process;
}

function mortalMeans(means: Means, life: Life): Means {
  const { host, patches, leases, shelf, model, rooms } = means;
  return {
    ...means,
    host: mortal(host, life, "host"),
    patches: mortal(patches, life, "patches"),
    leases: mortal(leases, life, "leases"),
    shelf: mortal(shelf, life, "shelf"),
    model: mortal(model, life, "model"),
    rooms: {
      ...mortal(rooms, life, "rooms"),
      checks: (...given) => mortal(rooms.checks(...given), life, "checks"),
      open: async (...given) => {
        const opened = await rooms.open(...given);
        if (opened.kind === "refused") return opened;
        const { toolbox } = opened.room;
        const run = mortal({ run: toolbox.run }, life, "toolbox").run;
        return { kind: "open", room: { ...opened.room, toolbox: { ...toolbox, run } } };
      },
    },
  };
}

/**
 * The end of a process's job. With its machine lost only what it shipped is left; otherwise `post` ships the log, as
 * the action does where the session was opened, and a terminal always.
 */
export async function endJob(
  stage: Stage,
  process: Process,
  machine: "lost" | "survives" | "terminal",
): Promise<void> {
  const { id, files, workspace, means } = process;
  const run = { id, attempt: 1, job: "agent" };
  stage.leases.ended.push(run);
  if (machine === "lost" || (machine === "survives" && !process.isOpen())) return;
  const { signal } = new AbortController();
  await shipRest(files, {
    shipping: () => ({
      shelf: memoryShelf({ run: id, shelves: stage.shelves }),
      key: stage.key,
      run,
      workflow: means.run.workflow,
      nonce: () => Buffer.alloc(12, stage.shelves.stored.length),
      clock: means.clock,
      pack: workspace.objects.pack,
    }),
    signal,
  });
}

export function eventsOf({ files }: Pick<Process, "files">): readonly SessionEvent[] {
  const lines = Buffer.from(files.state.log).toString().split("\n");
  return lines.slice(0, -1).map((line) => (JSON.parse(line) as { event: SessionEvent }).event);
}

function watchedHost({ github }: Stage, made: string[]): Means["host"] {
  const host = memoryHost(github);
  const noted = <Args extends unknown[], Result>(what: string, method: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      made.push(what);
      return method(...args);
    };
  };
  return {
    ...host,
    // The hand clock would let each edit of a comment come at once.
    allowance: { left: 0 },
    branch: {
      ...host.branch,
      create: noted("branch", host.branch.create),
      advance: noted("branch", host.branch.advance),
    },
    pullRequest: { ...host.pullRequest, open: noted("pull request", host.pullRequest.open) },
    comment: {
      ...host.comment,
      create: noted("comment", host.comment.create),
      update: noted("edit", host.comment.update),
    },
  };
}

const orders: Orders = {
  provider: "scripted",
  model: "scripted",
  modelGiven: false,
  triggerPhrase: "@baton",
  allowedBots: [],
  budget: { minutes: 100_000 },
  configPath: ".github/agent.yml",
  setup: ["prepare"],
  checks: ["first", "second"].map((name) => {
    return { name, run: `check ${name}`, minutes: 5, proof: false, dir: "", network: false };
  }),
  publish: "ready",
  startsChecks: false,
  durability: "process",
  shipSeconds: 0,
  onUnsaved: "go-on",
  resolve: null,
  takeOver: null,
  modelMissing: null,
};
