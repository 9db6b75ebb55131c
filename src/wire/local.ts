import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { anthropicModel } from "../adapters/anthropic/model.ts";
import { diskLeases } from "../adapters/disk/leases.ts";
import type { Lock } from "../adapters/disk/lock.ts";
import { diskPatches } from "../adapters/disk/patches.ts";
import { diskShelf } from "../adapters/disk/shelf.ts";
import type { GitPlace } from "../adapters/git/environment.ts";
import { localHost } from "../adapters/git/local-host.ts";
import { findRepository } from "../adapters/git/local-repository.ts";
import { localWorkspaces } from "../adapters/git/workspaces.ts";
import { memoryPermissions } from "../adapters/memory/permissions.ts";
import { scriptedModel } from "../adapters/scripted/model.ts";
import type { ScriptedReply } from "../adapters/scripted/script.ts";
import { parseYaml } from "../adapters/yaml/parse.ts";
import type { GroundTaken, Means, Orders, RunDirs } from "../app/means.ts";
import { maskOf } from "../base/masking.ts";
import { checksFromLines } from "../gate/config.ts";
import type { Model } from "../loop/model.ts";
import { anthropicPrices, type Prices } from "../loop/prices.ts";
import type { Budget } from "../session/event.ts";
import type { SessionId } from "../session/id.ts";
import { type SealKey, sealKeyOf } from "../session/shipment.ts";
import { tools } from "../tools/all.ts";
import { definitions } from "../tools/definitions.ts";
import { systemClock } from "./clock.ts";
import type { Commentary } from "./commentary.ts";
import { takeGround } from "./ground.ts";
import { whyHeadMoved } from "./local-moved.ts";
import type { LocalOrders } from "./local-orders.ts";
import type { LocalPlaces } from "./local-places.ts";
import { isRunAlive, type LocalRun } from "./local-run-name.ts";
import { localSandbox } from "./local-sandbox.ts";
import { makeDirs, sandboxRooms } from "./rooms.ts";
import { watched } from "./watched-files.ts";

export type LocalOptions = {
  readonly orders: LocalOrders;
  readonly places: LocalPlaces;
  readonly run: LocalRun;
  /** PATH of the terminal. */
  readonly path: string;
  /** Who asks, as the log and the model are told. */
  readonly user: { readonly login: string; readonly id: number };
  readonly budget: Partial<Budget>;
  readonly resolve: Orders["resolve"];
  /** Whether the model was named on this command line. */
  readonly modelGiven: boolean;
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
  /** The replies of `orders.script`, where that is the model. */
  readonly script: readonly ScriptedReply[] | null;
  /** The variables of the terminal, without the key. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the built toolhost. */
  readonly toolhost: string;
  /** The run that put the session on the shelf, from where its files are written anew; null for a new session. */
  readonly fromShelf: string | null;
  /** Tells the run while it works. */
  readonly told: Commentary;
  readonly say: (text: string) => void;
  readonly opened: (session: SessionId) => void;
  readonly limit: (ms: number) => void;
  readonly cancelled: AbortSignal;
};

const publicPrices: Prices = {
  ...anthropicPrices,
  scripted: { price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
};

/** Everything that the stories need, on a repository of this machine. */
export async function localMeans(options: LocalOptions): Promise<Means> {
  const { orders, places, run, say } = options;
  const repository = repositoryFacts(orders);
  const found = findRepository(orders.repository);
  if (found === null) throw new Error(`${orders.repository} is in no git repository any more`);
  const place: GitPlace = { gitDir: found.gitDir, home: places.dir, path: options.path };
  const dirs = await makeDirs(join(places.runs, run.id));
  let lock: Lock | null = null;
  const rooms = sandboxRooms({
    sandbox: orders.sandbox,
    offSwitch: "--no-sandbox",
    ground: localSandbox({ ...options, repository: found.path, sessions: places.dir }),
    env: options.env,
    scratch: dirs.scratch,
    setupMinutes: options.budget.minutes ?? 50,
    record: async ({ pid, startedAt }) => lock?.name({ pid, startTime: startedAt }) ?? null,
    say,
  });
  return {
    orders: ordersOf(options),
    repository,
    run: { id: run.id, attempt: 1, job: "local", url: null, workflow: "local" },
    earshot: { since: systemClock.now(), comment: null },
    serverUrl: "https://localhost",
    clock: systemClock,
    random: Math.random,
    bytes: (n) => randomBytes(n),
    mask: maskOf(options.apiKey === null ? [] : [options.apiKey]),
    key: localKey(repository.id),
    permissions: memoryPermissions({ [options.user.login]: "admin" }),
    host: localHost({ place, now: systemClock.now }),
    patches: diskPatches({ dir: places.patches }),
    pictures: null,
    leases: diskLeases({ dir: places.leases, isAlive: isRunAlive }),
    shelf: diskShelf({ dir: places.shelf, run: run.id }),
    model: modelOf(options),
    tools: definitions(tools),
    prices: publicPrices,
    rooms,
    spareCore: availableParallelism() > 1,
    parseYaml,
    ground: (session) =>
      groundFor(session, { ...options, dirs, place }, (taken) => {
        lock = taken;
      }),
    opened: (session) => {
      rmSync(places.rewriting(session), { force: true });
      options.opened(session);
    },
    limit: options.limit,
    cancelled: options.cancelled,
    say,
    warn: say,
    onLive: options.told.onLive,
  };
}

type GroundParts = LocalOptions & { readonly dirs: RunDirs; readonly place: GitPlace };

async function groundFor(
  session: SessionId,
  { orders, places, path, dirs, place, fromShelf, told }: GroundParts,
  locked: (lock: Lock) => void,
): Promise<GroundTaken> {
  const home = places.home(session);
  const git = { repository: orders.repository, dir: join(home, "git"), path, durability } as const;
  const taken = await takeGround({
    home,
    dirs,
    workspaces: localWorkspaces(git),
    durability,
    keep: false,
    locked,
    rewriting: () => {
      // From here to `opened` the shelf is the session: a run killed in between has half of the files at most.
      if (fromShelf !== null) writeFileSync(places.rewriting(session), fromShelf, { flush: true });
    },
  });
  if (taken.kind === "refused") return taken;
  const { ground } = taken;
  const pin: typeof ground.pin = async (target, how) => {
    const again = fromShelf !== null && target.kind === "branch" ? target.baseSha : null;
    const moved = again === null ? null : await whyHeadMoved(orders, again, place);
    return moved === null ? ground.pin(target, how) : { kind: "refused", code: "moved", why: moved };
  };
  return { kind: "taken", ground: { ...ground, pin, files: watched(ground.files, told.onEvent) } };
}

/** The log of a terminal's session has no other copy, and a laptop loses power. */
const durability = "disk";

function repositoryFacts({ repository, repositoryId: id, base }: LocalOrders): Means["repository"] {
  const name = basename(repository).replaceAll(/[^\w.-]/g, "-") || "repository";
  return { id, owner: "local", name, defaultBranch: base };
}

/** On this machine the shipments lie beside the open log, so the seal has nothing to hide; it proves them whole. */
export function localKey(repositoryId: number): SealKey {
  return sealKeyOf("the local command line", repositoryId);
}

function ordersOf({ orders, budget, resolve, modelGiven, apiKey }: LocalOptions): Orders {
  const { model, script, config, setup, checks } = orders;
  const missing =
    "No model can be asked: ANTHROPIC_API_KEY is not set. Set it in the environment; a key is never an argument.";
  return {
    provider: script === null ? "anthropic" : "scripted",
    model,
    modelGiven,
    triggerPhrase: "/agent",
    allowedBots: [],
    budget,
    configPath: config,
    setup,
    checks: checks === null ? null : checksFromLines(checks.join("\n")),
    publish: "branch",
    startsChecks: false,
    durability,
    shipSeconds: 60,
    onUnsaved: "go-on",
    resolve,
    takeOver: null,
    modelMissing: script === null && apiKey === null ? missing : null,
  };
}

/** Without a key no request is ever made: the stories end before it. */
function modelOf({ apiKey, baseUrl, script, orders }: LocalOptions): Model {
  if (script !== null) return scriptedModel(script, { name: orders.script ?? "scripted" });
  if (apiKey !== null) return anthropicModel({ apiKey, baseUrl, clock: systemClock });
  return { reply: () => Promise.reject(new Error("a model was asked although there is no API key")) };
}
