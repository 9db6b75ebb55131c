import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import path from "node:path";
import type { JobLog } from "../adapters/actions/job-log.ts";
import type { Settings } from "../adapters/actions/settings.ts";
import { keepForPost } from "../adapters/actions/state.ts";
import { durabilityFor, type Surroundings } from "../adapters/actions/surroundings.ts";
import { anthropicModel } from "../adapters/anthropic/model.ts";
import type { Lock } from "../adapters/disk/lock.ts";
import { gitWorkspaces } from "../adapters/git/workspaces.ts";
import { githubClient } from "../adapters/github/client.ts";
import { repositoryFacts } from "../adapters/github/facts.ts";
import { githubHost } from "../adapters/github/host.ts";
import { ownIdentity } from "../adapters/github/identity.ts";
import { githubLeases } from "../adapters/github/leases.ts";
import { githubPatches } from "../adapters/github/patches.ts";
import { githubPermissions } from "../adapters/github/permissions.ts";
import { githubPictures } from "../adapters/github/pictures.ts";
import { githubShelf } from "../adapters/github/shelf.ts";
import { parseYaml } from "../adapters/yaml/parse.ts";
import type { Earshot } from "../app/earshot.ts";
import type { Means, Orders } from "../app/means.ts";
import { maskOf } from "../base/masking.ts";
import { maskedHost } from "../delivery/masked-host.ts";
import { checksFromLines } from "../gate/config.ts";
import type { Model } from "../loop/model.ts";
import { anthropicPrices } from "../loop/prices.ts";
import type { SessionId } from "../session/id.ts";
import { type SealKey, sealKeyOf } from "../session/shipment.ts";
import { tools } from "../tools/all.ts";
import { definitions } from "../tools/definitions.ts";
import { systemClock } from "./clock.ts";
import type { Commentary } from "./commentary.ts";
import { takeGround } from "./ground.ts";
import { requestFirst } from "./request-first.ts";
import { makeDirs, sandboxRooms } from "./rooms.ts";
import { watchedGround } from "./watched-files.ts";

export type ActionOptions = {
  readonly settings: Settings;
  readonly surroundings: Surroundings;
  readonly log: JobLog;
  /** Tells the run while it works. */
  readonly told: Commentary;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the built toolhost, and the version that GitHub is told. */
  readonly toolhost: string;
  readonly version: string;
  readonly earshot: Earshot;
  readonly limit: (ms: number) => void;
  readonly opened: (session: SessionId) => void;
  /** Aborted when the runner cancels the job; the time limit leaves it alone. */
  readonly signal: AbortSignal;
};

/** GitHub, as one job sees it. */
export async function githubMeans({
  settings,
  surroundings,
  version,
  signal,
}: Omit<ActionOptions, "log" | "told" | "env" | "toolhost" | "earshot" | "limit" | "opened">) {
  const { repository, apiUrl, serverUrl, workflow, tempDir } = surroundings;
  const clock = systemClock;
  const client = githubClient({ baseUrl: apiUrl, token: settings.githubToken, version, clock, signal });
  const place = { client, owner: repository.owner, repo: repository.name, clock, signal };
  const [facts, identity] = await Promise.all([repositoryFacts(place), ownIdentity(place)]);
  if (facts === null) {
    throw new Error(
      `the token cannot read ${repository.owner}/${repository.name}; give the job contents: write`,
    );
  }
  const home = { repositoryId: facts.id, defaultBranch: facts.defaultBranch, workflowPaths: [workflow.path] };
  const { retentionDays } = settings;
  const shelf = githubShelf({ ...place, home, retentionDays, tempDir });
  const host = maskedHost(githubHost({ ...place, identity }), maskOf(settings.secrets));
  const { id, owner, name, defaultBranch } = facts;
  return {
    repository: { id, owner, name, defaultBranch },
    identity,
    host,
    shelf,
    patches: githubPatches({ ...place, serverUrl, run: surroundings.run.id, retentionDays, tempDir }),
    pictures: settings.images === "off" ? null : githubPictures(place, surroundings),
    leases: githubLeases(place),
    permissions: githubPermissions(place),
  };
}

/** Everything that the stories need, from what the runner and the workflow gave. */
export async function actionMeans(options: ActionOptions): Promise<Means> {
  const { settings, surroundings, log, told } = options;
  // First, because its client is loaded while GitHub is asked.
  const model = modelFor(settings);
  const { identity, ...github } = await githubMeans(options);
  const run = `${surroundings.run.id}.${surroundings.run.attempt}-${randomBytes(6).toString("hex")}`;
  const agent = path.join(surroundings.tempDir, "agent");
  const dirs = await makeDirs(path.join(agent, "runs", run));
  const durability = durabilityFor(settings.durability, surroundings);
  let lock: Lock | null = null;
  const rooms = sandboxRooms({
    sandbox: settings.sandbox,
    ground: sandboxGround(options),
    env: options.env,
    scratch: dirs.scratch,
    setupMinutes: settings.budget.minutes ?? 50,
    record: async ({ pid, startedAt }) => lock?.name({ pid, startTime: startedAt }) ?? null,
    say: log.say,
  });
  const home = (session: SessionId): string => path.join(agent, session);
  const { owner, name } = github.repository;
  const workspacesFor = (session: SessionId) =>
    gitWorkspaces({
      remote: { url: `${surroundings.serverUrl}/${owner}/${name}.git`, token: settings.githubToken },
      dir: path.join(home(session), "git"),
      borrowFrom: surroundings.workspaceDir,
      path: surroundings.path,
      durability,
    });
  return {
    ...github,
    ...requestFirst({ model, shelf: github.shelf }, systemClock),
    orders: ordersOf(settings, durability, identity.login !== "github-actions[bot]"),
    run: { ...surroundings.run, url: runUrl(surroundings), workflow: surroundings.workflow.path },
    earshot: options.earshot,
    serverUrl: surroundings.serverUrl,
    clock: systemClock,
    random: Math.random,
    bytes: (n) => randomBytes(n),
    mask: maskOf(settings.secrets),
    key: keyFor(settings, github.repository.id),
    tools: definitions(tools),
    prices: anthropicPrices,
    rooms,
    spareCore: availableParallelism() > 1,
    parseYaml,
    ground: async (session) => {
      const taken = await takeGround({
        home: home(session),
        dirs,
        workspaces: workspacesFor(session),
        durability,
        keep: false,
        locked: (taken) => {
          lock = taken;
          // Before the first record: a run that dies after it has something to store.
          keepForPost("session", session);
          keepForPost("home", home(session));
        },
      });
      return watchedGround(taken, told.onEvent);
    },
    opened: options.opened,
    cancelled: options.signal,
    limit: options.limit,
    say: log.say,
    warn: log.warn,
    onLive: told.onLive,
  };
}

/** Without an own key the API key's derivative seals; where neither is given nothing is ever sealed. */
export function keyFor(settings: Settings, repositoryId: number): SealKey {
  return sealKeyOf(settings.sessionKey ?? settings.anthropicApiKey ?? "no key was given", repositoryId);
}

export function runUrl({ serverUrl, repository, run }: Surroundings): string {
  return `${serverUrl}/${repository.owner}/${repository.name}/actions/runs/${run.id}`;
}

function ordersOf(settings: Settings, durability: "process" | "disk", startsChecks: boolean): Orders {
  const {
    model,
    modelGiven,
    triggerPhrase,
    allowedBots,
    budget,
    configPath,
    setup,
    checks,
    publish,
    shipSeconds,
  } = settings;
  const missing =
    "No model can be asked: the input anthropic-api-key is empty. Add the secret ANTHROPIC_API_KEY and pass it.";
  return {
    provider: "anthropic",
    model,
    modelGiven,
    triggerPhrase,
    allowedBots,
    budget,
    configPath,
    setup,
    checks: checks === null ? null : checksFromLines(checks.join("\n")),
    publish,
    startsChecks,
    durability,
    shipSeconds,
    onUnsaved: settings.onUnsaved,
    resolve: settings.resolve,
    takeOver: settings.takeOver,
    modelMissing: settings.anthropicApiKey === null ? missing : null,
  };
}

/** Without a key no request is ever made: the stories end before it. */
function modelFor({ anthropicApiKey, anthropicBaseUrl }: Settings): Model {
  if (anthropicApiKey !== null)
    return anthropicModel({ apiKey: anthropicApiKey, baseUrl: anthropicBaseUrl, clock: systemClock });
  return {
    reply: () => Promise.reject(new Error("a model was asked although there is no API key")),
  };
}

function sandboxGround({ surroundings, toolhost, env }: ActionOptions) {
  const masked = [env["HOME"], surroundings.tempDir, surroundings.workspaceDir];
  const visible = [env["RUNNER_TOOL_CACHE"]];
  const given = (dirs: readonly (string | undefined)[]): readonly string[] =>
    dirs.filter((dir): dir is string => dir !== undefined && path.isAbsolute(dir));
  return {
    node: process.execPath,
    toolhost: { dir: toolhost, entry: "index.js" },
    path: surroundings.path,
    lang: env["LANG"] ?? null,
    masked: given(masked),
    visible: given(visible),
  };
}
