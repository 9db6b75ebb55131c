import { afterEach, describe, expect, vi } from "vitest";
import { githubLeases } from "../../../src/adapters/github/leases.ts";
import { githubPermissions } from "../../../src/adapters/github/permissions.ts";
import { githubShelf } from "../../../src/adapters/github/shelf.ts";
import { parseSha } from "../../../src/base/hash.ts";
import { checkRunContract } from "../../contracts/check-runs.ts";
import { hostContract } from "../../contracts/host.ts";
import { leasesContract } from "../../contracts/leases.ts";
import { permissionsContract } from "../../contracts/permissions.ts";
import { shelfContract } from "../../contracts/shelf.ts";
import { type GitHubWorld, githubWorld } from "./world.ts";

afterEach(() => vi.unstubAllEnvs());

/** Ends with a look at every exchange: the suite is also a check of our requests against GitHub's own description. */
function ending(world: GitHubWorld): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: async () => {
      expect(world.github.problems()).toEqual([]);
      await world[Symbol.asyncDispose]();
    },
  };
}

describe("GitHub as the host", () =>
  hostContract(async () => {
    const world = await githubWorld();
    const { github, host } = world;
    const base = parseSha(github.git("rev-parse", "main"));
    if (base === null) throw new Error("main has no commit");
    const issue = github.createIssue({ title: "A bug", by: "read" }).number;
    const lockedIssue = github.createIssue({ title: "A hot topic", by: "read" }).number;
    github.lockIssue(lockedIssue);
    return {
      ...ending(world),
      host,
      base,
      issue,
      lockedIssue,
      comment: async (body) => {
        github.comment({ issue, body, by: "read" });
      },
      closePull: async (number) => github.closeIssue(number),
      rewind: (name, to) =>
        github.meanwhile(/^(POST \/graphql|PATCH .*\/git\/refs\/)/, () => {
          github.git("update-ref", `refs/heads/${name}`, to);
        }),
    };
  }));

describe("GitHub's check runs", () =>
  checkRunContract(async () => {
    const world = await githubWorld();
    const head = parseSha(world.github.git("rev-parse", "main"));
    if (head === null) throw new Error("main has no commit");
    return { ...ending(world), host: world.host, head };
  }));

describe("artifacts as the shelf", () =>
  shelfContract(async () => {
    const world = await githubWorld();
    const { github, dir, newPlace } = world;
    const runs = {
      one: github.addRun({ event: "issue_comment", actor: "write" }),
      two: github.addRun({ event: "workflow_dispatch", actor: "write" }),
    };
    return {
      ...ending(world),
      shelf: (name) => {
        const run = runs[name];
        // The artifact client has no other way to be told where it is.
        for (const [key, value] of Object.entries(github.env({ id: run.id, attempt: 1, job: "agent" })))
          vi.stubEnv(key, value);
        return githubShelf({
          ...newPlace(),
          home: {
            repositoryId: github.repository.id,
            defaultBranch: "main",
            workflowPaths: [".github/workflows/agent.yml"],
          },
          retentionDays: 1,
          tempDir: dir,
        });
      },
      runId: (name) => String(runs[name].id),
    };
  }));

describe("refs as leases", () =>
  leasesContract(async () => {
    const world = await githubWorld();
    const { github, newPlace } = world;
    const running = github.addRun({ event: "issue_comment", actor: "write" });
    const over = github.addRun({ event: "issue_comment", actor: "write" });
    github.completeRun(over.id, "cancelled");
    return {
      ...ending(world),
      leases: () => githubLeases(newPlace()),
      running: { id: String(running.id), attempt: 1, job: "agent" },
      over: { id: String(over.id), attempt: 1, job: "agent" },
    };
  }));

describe("the collaborator endpoint as permissions", () =>
  permissionsContract(async () => {
    const world = await githubWorld();
    return { ...ending(world), permissions: githubPermissions(world.place) };
  }));
