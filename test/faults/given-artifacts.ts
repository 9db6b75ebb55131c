// A session on the artifacts of a run, and one local GitHub for all that a file does to them.
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from "vitest";
import { githubShelf } from "../../src/adapters/github/shelf.ts";
import type { Find } from "../../src/session/find.ts";
import { findSession } from "../../src/session/find.ts";
import type { Shelf } from "../../src/session/shelf.ts";
import { type Sent, type Shipping, sendShipment } from "../../src/session/ship.ts";
import { sealKeyOf } from "../../src/session/shipment.ts";
import { type GitHubWorld, githubWorld } from "../adapters/github/world.ts";
import { inline, sessionId } from "../kit/given.ts";
import { type Given, givenTask, shippingTo } from "../session/given-shelf.ts";

export const { signal } = new AbortController();
export const ours = { event: "issue_comment", actor: "write" } as const;

/** A session on the artifacts of one run, over the official client and real HTTP. */
export type Place = {
  readonly run: number;
  readonly shelf: Shelf;
  readonly session: Given;
  readonly ship: (from: Sent | null) => Promise<Sent>;
  readonly find: (runs?: readonly number[]) => Promise<Find>;
  readonly names: () => readonly string[];
};

/** The bound on an upload that is under way: what ends it is called and not left to the time. */
type Bound = { readonly ms: number; readonly end: () => void };

/** What the tests of a file share, once they have begun. */
export type SharedWorld = Pick<GitHubWorld, "github" | "dir" | "place"> & {
  /** Those of the test that runs, newest last. */
  readonly bounds: readonly Bound[];
};

/** Starts a local GitHub for the tests of a file, and lets the clients not wait between their tries. */
export function sharedWorld(): SharedWorld {
  let world: GitHubWorld | null = null;
  const bounds: Bound[] = [];

  beforeAll(async () => {
    world = await githubWorld();
  });

  beforeEach(() => {
    bounds.length = 0;
    const wait = globalThis.setTimeout;
    // The clients of artifacts and blobs wait up to 23 s between their tries and take no clock: such waits are over here.
    const quick = (handler: () => void, ms = 0, ...rest: readonly []): NodeJS.Timeout => {
      if (ms >= 90_000) bounds.push({ ms, end: handler });
      return wait(handler, ms >= 2_000 && ms < 25_000 ? 0 : ms, ...rest);
    };
    vi.spyOn(globalThis, "setTimeout").mockImplementation(quick as never);
  });

  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  const started = (): GitHubWorld => {
    if (world === null) throw new Error("the local GitHub has not been started");
    return world;
  };
  return {
    bounds,
    get github() {
      return started().github;
    },
    get dir() {
      return started().dir;
    },
    get place() {
      return started().place;
    },
  };
}

export async function givenPlace({ github, dir, place: at }: SharedWorld): Promise<Place> {
  const { id: run } = github.addRun(ours);
  for (const [name, value] of Object.entries(github.env({ id: run, attempt: 1, job: "agent" })))
    vi.stubEnv(name, value);
  const repositoryId = github.repository.id;
  const home = { repositoryId, defaultBranch: "main", workflowPaths: [".github/workflows/agent.yml"] };
  const shelf = githubShelf({ ...at, home, retentionDays: 1, tempDir: dir });
  const session = await givenTask();
  const key = sealKeyOf("sk-secret-key-1", 1296269);
  const shipping: Shipping = { ...shippingTo(shelf, String(run)), key };
  const names = () =>
    github.artifacts
      .list()
      .filter((artifact) => artifact.run === run)
      .map(({ name }) => name);
  return {
    run,
    shelf,
    session,
    names,
    ship: async (before) => {
      const since = before?.kind === "sent" ? before.shipped : null;
      if (since !== null)
        await session.journal.append({ type: "note.added", about: "nudge", text: inline("more") });
      const { files, journal } = session;
      return sendShipment(await journal.snapshot(), since, (since?.number ?? 0) + 1, {
        files,
        shipping,
        signal,
      });
    },
    find: (runs = [run]) =>
      findSession(sessionId(), {
        shelf,
        runs: runs.map(String),
        key,
        repositoryId: 1296269,
        claims: [],
        signal,
      }),
  };
}

export function expectWhole({ session }: Place, found: Find): void {
  const log = found.kind === "found" ? String(found.session.log) : `${found.code}: ${found.why}`;
  expect(log).toBe(String(session.files.state.log));
}
