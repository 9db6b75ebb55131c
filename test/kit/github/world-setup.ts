// Builds the world of a fresh local GitHub.
import { join } from "node:path";
import { createBareRepository, type Seed } from "../git-server.ts";
import type { EmulatedBase } from "./emulated-base.ts";
import { botAccount, botLogin, userShape } from "./shapes.ts";
import type { Account, JobPermissions, Permission, World } from "./world.ts";

export type UserOptions = {
  readonly login: string;
  readonly permission: Permission;
  readonly token: string;
  /** `Bot` for another app's account, such as `renovate[bot]`; `User` when absent. */
  readonly type?: "User" | "Bot";
};

export type GitHubOptions = {
  /** An empty folder that the repository may be put into. */
  readonly dir: string;
  readonly owner: string;
  readonly repo: string;
  /** The owner is added as an administrator if it is not named. */
  readonly users: readonly UserOptions[];
  readonly private?: boolean;
  readonly settings?: {
    /** "Allow GitHub Actions to create and approve pull requests"; true when absent. */
    readonly actionsMayCreatePullRequests?: boolean;
    /** The `permissions:` of the job; write for everything when absent. */
    readonly job?: Partial<JobPermissions>;
    /** What is left of the hour's 5,000 requests, however many are made; counted when absent. */
    readonly requestsLeft?: number;
  };
} & Seed;

/** The token that a job of the local GitHub has, and whose comments are `github-actions[bot]`'s. */
export const jobToken = "ghs_localJobToken000000000000000000000000";

// Above 32 bits, as GitHub's own ids are by now.
const firstId = 3_000_000_001;
const firstBotId = 90_000_001;
const everything: JobPermissions = {
  actions: "write",
  contents: "write",
  issues: "write",
  "pull-requests": "write",
  checks: "write",
};

export function withOwner({ owner, users }: GitHubOptions): readonly Omit<UserOptions, "token">[] {
  const named = users.some(({ login }) => login.toLowerCase() === owner.toLowerCase());
  return named ? users : [{ login: owner, permission: "admin" }, ...users];
}

export async function createWorld(
  options: GitHubOptions,
  origin: string,
  base: EmulatedBase,
): Promise<World> {
  const { owner, repo, settings = {} } = options;
  const people = await Promise.all(
    withOwner(options).map(async ({ login, permission, type }, i): Promise<Account> => {
      if (type === "Bot") {
        const id = firstBotId + i;
        return { login, id, kind: "bot", permission, rest: userShape(origin, login, id, "Bot") };
      }
      const rest = await base.user(login);
      return { login, id: rest.id, kind: "user", permission, rest };
    }),
  );
  const accounts = new Map(
    [...people, botAccount(origin)].map((account) => [account.login.toLowerCase(), account]),
  );
  const tokens = new Map<string, Account>();
  for (const [login, account] of accounts) {
    const token = options.users.find((user) => user.login.toLowerCase() === login)?.token;
    if (token !== undefined) tokens.set(token, account);
    if (login === botLogin) tokens.set(jobToken, account);
  }
  let lastId = firstId - 1;
  return {
    origin,
    serverUrl: origin.replace("127.0.0.1", "github.localhost"),
    owner,
    name: repo,
    private: options.private ?? false,
    bare: createBareRepository(join(options.dir, owner, `${repo}.git`), options),
    repository: await base.repository(),
    settings: {
      actionsMayCreatePullRequests: settings.actionsMayCreatePullRequests ?? true,
      job: { ...everything, ...settings.job },
      requestsLeft: settings.requestsLeft ?? null,
    },
    accounts,
    tokens,
    threads: new Map(),
    comments: new Map(),
    reactions: [],
    events: [],
    runs: [],
    checkRuns: [],
    attachments: new Map(),
    nextId: () => {
      lastId += 1;
      return lastId;
    },
    now: () => new Date().toISOString().replace(/\.\d+Z$/, "Z"),
  };
}
