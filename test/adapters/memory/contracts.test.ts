import { describe, expect } from "vitest";
import { memoryGitHub, memoryHost } from "../../../src/adapters/memory/host.ts";
import { memoryLeases } from "../../../src/adapters/memory/leases.ts";
import { type MemoryPatches, memoryPatches } from "../../../src/adapters/memory/patches.ts";
import { memoryPermissions } from "../../../src/adapters/memory/permissions.ts";
import { memoryShelf } from "../../../src/adapters/memory/shelf.ts";
import type { Sha } from "../../../src/base/hash.ts";
import { checkRunContract } from "../../contracts/check-runs.ts";
import { baseEntries, baseTree, hostContract } from "../../contracts/host.ts";
import { leasesContract } from "../../contracts/leases.ts";
import { patchesContract } from "../../contracts/patches.ts";
import { logins, permissionsContract } from "../../contracts/permissions.ts";
import { shelfContract } from "../../contracts/shelf.ts";

const nothingToClose = { [Symbol.asyncDispose]: async () => {} };

describe("the memory host", () =>
  hostContract(async () => {
    const base = "1".repeat(40) as Sha;
    const thread = { kind: "issue", title: "A bug", body: "", author: "octo", state: "open" } as const;
    const github = memoryGitHub({
      commits: new Map([[base, { tree: baseTree, parents: [], entries: baseEntries }]]),
      branches: new Map([["main", base]]),
      threads: new Map([
        [1, { ...thread, number: 1, locked: false, head: null, base: null }],
        [2, { ...thread, number: 2, locked: true, head: null, base: null }],
      ]),
      nextId: 100,
    });
    return {
      ...nothingToClose,
      host: memoryHost(github),
      base,
      issue: 1,
      lockedIssue: 2,
      comment: async (body) => {
        github.comments.push({ id: github.nextId++, thread: 1, author: "octo", body });
      },
      rewind: (name, to) => {
        github.branches.set(name, to);
      },
      closePull: async (number) => {
        for (const pull of github.pulls) if (pull.number === number) pull.state = "closed";
      },
    };
  }));

describe("check runs in memory", () =>
  checkRunContract(async () => ({
    ...nothingToClose,
    host: memoryHost(memoryGitHub()),
    head: "1".repeat(40) as Sha,
  })));

describe("the memory shelf", () =>
  shelfContract(async () => {
    const shelves = { stored: [] };
    return { ...nothingToClose, shelf: (run) => memoryShelf({ run, shelves }), runId: (run) => run };
  }));

describe("memory patches", () =>
  patchesContract(async () => {
    const patches: MemoryPatches = { stored: [] };
    return {
      ...nothingToClose,
      patches: (run) => memoryPatches({ run, patches }),
      runId: (run) => run,
      taken: async ({ name }) => {
        const [found, ...more] = patches.stored.filter((one) => one.name === name);
        expect(more).toEqual([]);
        return found?.patch ?? Buffer.alloc(0);
      },
    };
  }));

describe("memory leases", () =>
  leasesContract(async () => {
    const over = { id: "1", attempt: 1, job: "agent" };
    const shared = { leases: [], ended: [over] };
    return {
      ...nothingToClose,
      leases: () => memoryLeases(shared),
      running: { id: "2", attempt: 1, job: "agent" },
      over,
    };
  }));

describe("memory permissions", () =>
  permissionsContract(async () => ({
    ...nothingToClose,
    permissions: memoryPermissions(Object.fromEntries(logins.map((role) => [role, role]))),
  })));
