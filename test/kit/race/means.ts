// What a run of the race works with: the memory adapters behind the seed's scheduler.
import { type MemoryFiles, memorySessionFiles } from "../../../src/adapters/memory/files.ts";
import { memoryHost } from "../../../src/adapters/memory/host.ts";
import { memoryPatches } from "../../../src/adapters/memory/patches.ts";
import { memoryPermissions } from "../../../src/adapters/memory/permissions.ts";
import { memoryShelf } from "../../../src/adapters/memory/shelf.ts";
import { memoryToolbox } from "../../../src/adapters/memory/toolbox.ts";
import { scriptedModel } from "../../../src/adapters/scripted/model.ts";
import { parseScript } from "../../../src/adapters/scripted/script.ts";
import type { Means, Orders } from "../../../src/app/means.ts";
import { digestOf } from "../../../src/base/hash.ts";
import type { Host } from "../../../src/delivery/host.ts";
import type { RunRef } from "../../../src/session/event.ts";
import type { Leases } from "../../../src/session/leases.ts";
import type { Shelf } from "../../../src/session/shelf.ts";
import type { Workspace } from "../../../src/workspace/workspace.ts";
import { gated } from "./gated.ts";
import { settledIn } from "./judge.ts";
import {
  dirs,
  type MemoryMachine,
  memoryMachine,
  memoryRooms,
  memoryWorkspace,
  toolsIn,
} from "./memory-workspace.ts";
import { leasesOver, newestLease, refRequests } from "./refs.ts";
import { repositoryId, type Stage } from "./scene.ts";
import type { Actor } from "./scheduler.ts";
import { watched } from "./watched.ts";

/** What a job leaves to what runs after it on the same machine. */
export type RaceMachine = {
  readonly disk: MemoryMachine;
  readonly workspace: Workspace;
  /** The session's log there, once a run has taken its place. */
  files: MemoryFiles | null;
};

export function raceMachine(stage: Stage): RaceMachine {
  const disk = memoryMachine();
  return { disk, workspace: memoryWorkspace(disk, stage.base), files: null };
}

/** The ports that other runs see as well, as this actor has them. */
export function sharedPorts(
  stage: Stage,
  ref: RunRef,
  actor: Actor,
): { readonly host: Host; readonly leases: Leases; readonly shelf: Shelf } {
  const { scheduler, clock, key, mode, shelves } = stage;
  const shared = { scheduler, actor, shared: true } as const;
  const seen = watched(stage, ref, {
    // The hand clock would let each edit of a comment come at once.
    host: { ...memoryHost(stage.github), allowance: { left: 0 } },
    asks: refRequests(stage.refs, { refused: mode === "unleased" }),
    shelf: memoryShelf({ run: ref.id, shelves }),
  });
  const shelf: Shelf = {
    ...seen.shelf,
    put: async (name, bytes, options) => {
      const put = await seen.shelf.put(name, bytes, options);
      // What comes when another run has the session is a dead branch: what it settled there was not done.
      const holder = newestLease(stage.refs)?.run;
      const counts = holder === undefined || (holder.id === ref.id && holder.attempt === ref.attempt);
      if (put.kind === "stored" && counts) for (const id of settledIn(bytes, key)) stage.settled.add(id);
      return put;
    },
  };
  return {
    host: gated(seen.host, shared),
    leases: leasesOver(gated(seen.asks, shared), clock),
    shelf: gated(shelf, shared),
  };
}

export type Ref = RunRef & { readonly takesOver: string | null };

export function meansOf(
  stage: Stage,
  { takesOver, ...ref }: Ref,
  { actor, machine }: { readonly actor: Actor; readonly machine: RaceMachine },
): Means {
  const { scheduler, clock, key } = stage;
  const own = { scheduler, actor, shared: false } as const;
  const workspace = gated(machine.workspace, own);
  const check = (files: ReadonlyMap<string, string>) =>
    files.get("b.txt") === "fixed\n" ? { exitCode: 0, output: "ok" } : { exitCode: 1, output: "b is wrong" };
  const onCall = (id: string): void => {
    if (stage.settled.has(id)) stage.repeated.push(`run ${actor.name} ran ${id} again`);
  };
  const rooms = memoryRooms(machine.disk, {
    onCall,
    check: ({ name }, files) => (name === "second" ? check(files) : { exitCode: 0, output: "ok" }),
  });
  let nonce = 0;
  return {
    ...sharedPorts(stage, ref, actor),
    orders: { ...orders, takeOver: takesOver },
    repository: { id: repositoryId, owner: "o", name: "r", defaultBranch: "main" },
    run: { ...ref, url: null, workflow: ".github/workflows/agent.yml" },
    earshot: { since: 0, comment: null },
    serverUrl: "https://github.example",
    ...{ clock, key },
    random: () => 0.5,
    bytes: (n) => {
      nonce += 1;
      return Buffer.from(digestOf(`${actor.name}/${nonce}`), "hex").subarray(0, n);
    },
    mask: (text) => text,
    permissions: gated(memoryPermissions({ octo: "write" }), own),
    patches: memoryPatches({ run: ref.id, patches: { stored: [] } }),
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
    spareCore: false,
    parseYaml: () => ({ kind: "refused", why: "there is no file" }),
    ground: async () => {
      machine.files = memorySessionFiles();
      const files = gated(machine.files, own);
      const { pin } = gated({ pin: async () => ({ kind: "pinned", workspace }) as const }, own);
      return { kind: "taken", ground: { files, dirs, pin, [Symbol.asyncDispose]: async () => {} } };
    },
    opened: () => {},
    limit: () => {},
    pictures: null,
    cancelled: new AbortController().signal,
    say: () => {},
    warn: () => {},
    onLive: () => {},
  };
}

const tools = memoryToolbox(toolsIn(new Map(), () => {})).specs;

const orders: Orders = {
  provider: "scripted",
  model: "scripted",
  modelGiven: false,
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
  takeOver: null,
  onUnsaved: "go-on",
  resolve: null,
  modelMissing: null,
};

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
