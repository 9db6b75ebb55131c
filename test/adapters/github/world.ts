import { rm } from "node:fs/promises";
import { join } from "node:path";
import { githubClient } from "../../../src/adapters/github/client.ts";
import { githubHost } from "../../../src/adapters/github/host.ts";
import type { Place } from "../../../src/adapters/github/place.ts";
import type { Clock } from "../../../src/base/clock.ts";
import type { Host } from "../../../src/delivery/host.ts";
import { baseFiles } from "../../contracts/host.ts";
import { logins } from "../../contracts/permissions.ts";
import { newFolder } from "../../kit/folder.ts";
import { type LocalGitHub, startGitHub } from "../../kit/github/local-github.ts";
import type { GitHubOptions } from "../../kit/github/world-setup.ts";
import { handClock } from "../../kit/given.ts";

export type GitHubWorld = AsyncDisposable & {
  readonly github: LocalGitHub;
  readonly dir: string;
  readonly place: Place;
  /** Another client, as another machine would have it. */
  readonly newPlace: () => Place;
  readonly host: Host;
};

export type WorldOptions = {
  readonly settings?: NonNullable<GitHubOptions["settings"]>;
  readonly token?: string;
  readonly clock?: Clock;
  readonly requestMs?: number;
};

/** A local GitHub with one account for each role, seen by a job. Waiting is done by a clock that does not wait. */
export async function githubWorld(options: WorldOptions = {}): Promise<GitHubWorld> {
  const dir = newFolder("github");
  const github = await startGitHub({
    dir: join(dir, "git"),
    owner: "octo",
    repo: "demo",
    users: logins.map((role) => ({ login: role, permission: role, token: `token-of-${role}` })),
    files: baseFiles,
    ...(options.settings && { settings: options.settings }),
  });
  const newPlace = (): Place => {
    const clock = options.clock ?? handClock();
    const { signal } = new AbortController();
    const client = githubClient({
      baseUrl: github.url,
      token: options.token ?? github.jobToken,
      version: "0.0.0-test",
      clock,
      signal,
      ...(options.requestMs && { requestMs: options.requestMs }),
    });
    return { client, owner: "octo", repo: "demo", clock, signal };
  };
  const place = newPlace();
  return {
    github,
    dir,
    place,
    newPlace,
    host: githubHost({ ...place, identity: { login: "github-actions[bot]" } }),
    [Symbol.asyncDispose]: async () => {
      await github[Symbol.asyncDispose]();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
