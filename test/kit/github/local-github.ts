// GitHub on loopback: one origin for REST, git and artifacts, with a real bare repository behind it.
import { artifactHandlers } from "../artifacts/artifact-handlers.ts";
import { type Artifacts, openArtifactShelf } from "../artifacts/artifact-shelf.ts";
import { runtimeToken } from "../artifacts/twirp.ts";
import type { BareRepository } from "../git-server.ts";
import { checkRunHandlers } from "./check-runs.ts";
import { contentHandlers } from "./contents.ts";
import { loadContract } from "./contract.ts";
import { startEmulatedBase } from "./emulated-base.ts";
import type { Exchange } from "./exchange.ts";
import { type FaultRule, openFaults } from "./faults.ts";
import { gitDataHandlers } from "./git-data.ts";
import { gitRefHandlers } from "./git-refs.ts";
import { issueHandlers } from "./issues.ts";
import { peopleHandlers } from "./people.ts";
import { followHeads, pullHandlers } from "./pulls.ts";
import { runHandlers } from "./runs.ts";
import { listen, type Meanwhile, type Parts } from "./server.ts";
import { openStage, type Stage } from "./stage.ts";
import { createWorld, type GitHubOptions, jobToken, withOwner } from "./world-setup.ts";

export type RunEnvironment = { readonly id: number; readonly attempt: number; readonly job: string };

/** What a test has in hand: addresses to give to the product, the stage to set, and what can be seen afterwards. */
export type LocalGitHub = Stage &
  AsyncDisposable & {
    /** API origin, `http://127.0.0.1:<port>`; git is at `<url>/<owner>/<repo>.git`. */
    readonly url: string;
    /** The same origin under the name that `GITHUB_SERVER_URL` has: `http://github.localhost:<port>`. */
    readonly serverUrl: string;
    /** Path of the bare repository. */
    readonly bare: string;
    readonly repository: {
      readonly owner: string;
      readonly name: string;
      readonly id: number;
      readonly defaultBranch: "main";
    };
    /** The job's token: `github-actions[bot]`, no user. */
    readonly jobToken: string;
    /** Runs git in the bare repository; throws when git fails. */
    readonly git: BareRepository["git"];
    readonly artifacts: Artifacts;
    readonly exchanges: readonly Exchange[];
    /** The exchanges that broke GitHub's contract. */
    problems(): readonly Exchange[];
    /** Makes the next matching requests fail, before the handler sees them unless `after` is set. */
    fail(rule: FaultRule): void;
    /** Ends all of that. */
    heal(): void;
    /** Does something once, right before the next such request is carried out: after our look, before our write. */
    meanwhile(request: RegExp, act: Meanwhile["act"]): void;
    /** The variables through which a job of this run finds this GitHub. */
    env(run: RunEnvironment): Readonly<Record<string, string>>;
  };

/** Starts a GitHub with one repository. It ends when it is disposed of. */
export async function startGitHub(options: GitHubOptions): Promise<LocalGitHub> {
  const parts = Promise.withResolvers<Parts>();
  const { server, origin } = await listen(parts.promise);
  const base = await startEmulatedBase({
    origin,
    owner: options.owner,
    repo: options.repo,
    private: options.private ?? false,
    logins: withOwner(options).flatMap(({ login, type }) => (type === "Bot" ? [] : [login])),
  });
  const world = await createWorld(options, origin, base);
  const shelf = openArtifactShelf(world);
  const exchanges: Exchange[] = [];
  const faults = openFaults();
  const meanwhile: Meanwhile[] = [];
  const follow = () => followHeads(world);
  parts.resolve({
    world,
    contract: loadContract(),
    base,
    shelf,
    faults,
    exchanges,
    meanwhile,
    pushed: follow,
    handlers: {
      ...peopleHandlers(world),
      ...contentHandlers(world),
      ...issueHandlers(world),
      ...pullHandlers(world),
      ...gitDataHandlers(world),
      ...gitRefHandlers(world, follow),
      ...runHandlers(world),
      ...checkRunHandlers(world),
      ...artifactHandlers(world, shelf),
    },
  });
  return {
    ...openStage(world),
    url: origin,
    serverUrl: world.serverUrl,
    bare: world.bare.path,
    repository: { owner: world.owner, name: world.name, id: world.repository.id, defaultBranch: "main" },
    jobToken,
    git: world.bare.git,
    artifacts: shelf,
    exchanges,
    problems: () => exchanges.filter(({ problems }) => problems.length > 0),
    fail: faults.add,
    heal: faults.clear,
    meanwhile: (request, act) => {
      meanwhile.push({ request, act });
    },
    env: ({ id, attempt, job }) => ({
      GITHUB_API_URL: origin,
      GITHUB_SERVER_URL: world.serverUrl,
      GITHUB_REPOSITORY: `${world.owner}/${world.name}`,
      GITHUB_REPOSITORY_ID: String(world.repository.id),
      GITHUB_REPOSITORY_OWNER: world.owner,
      GITHUB_RUN_ID: String(id),
      GITHUB_RUN_ATTEMPT: String(attempt),
      GITHUB_JOB: job,
      ACTIONS_RESULTS_URL: `${origin}/`,
      ACTIONS_RUNTIME_TOKEN: runtimeToken(id, attempt, job),
    }),
    async [Symbol.asyncDispose]() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
      await base[Symbol.asyncDispose]();
      await shelf[Symbol.asyncDispose]();
    },
  };
}
