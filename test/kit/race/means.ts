// What a run of the race works with: the memory adapters behind the seed's scheduler.
import { memorySessionFiles } from "../../../src/adapters/memory/files.ts";
import { memoryHost } from "../../../src/adapters/memory/host.ts";
import { memoryLeases } from "../../../src/adapters/memory/leases.ts";
import { memoryPermissions } from "../../../src/adapters/memory/permissions.ts";
import { memoryShelf } from "../../../src/adapters/memory/shelf.ts";
import { memoryToolbox } from "../../../src/adapters/memory/toolbox.ts";
import { scriptedModel } from "../../../src/adapters/scripted/model.ts";
import { parseScript } from "../../../src/adapters/scripted/script.ts";
import type { Means, Orders } from "../../../src/app/means.ts";
import { digestOf } from "../../../src/base/hash.ts";
import type { Host } from "../../../src/delivery/host.ts";
import { markerOf } from "../../../src/delivery/marker.ts";
import type { RunRef } from "../../../src/session/event.ts";
import type { Leases } from "../../../src/session/leases.ts";
import { gated } from "./gated.ts";
import { settledIn } from "./judge.ts";
import { dirs, memoryMachine, memoryRooms, memoryWorkspace, toolsIn } from "./memory-workspace.ts";
import { repositoryId, type Stage, session } from "./scene.ts";
import type { Actor } from "./scheduler.ts";

export function meansOf(stage: Stage, ref: RunRef, actor: Actor): Means {
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
