import { join } from "node:path";
import { describe } from "vitest";
import { gitWorkspaces, localWorkspaces } from "../../../src/adapters/git/workspaces.ts";
import type { Sha } from "../../../src/base/hash.ts";
import type { MakeWorkspace } from "../../contracts/given-workspace.ts";
import { directoriesContract } from "../../contracts/workspace-directories.ts";
import { objectsContract } from "../../contracts/workspace-objects.ts";
import { patchContract } from "../../contracts/workspace-patch.ts";
import { sealingContract } from "../../contracts/workspace-sealing.ts";
import { commit, emptyRepository, serveRepositories, temporaryFolder } from "../../kit/repositories.ts";

/** Pins a pull request, so that base and configuration are different commits where the suite wants them to be. */
const overHttp: MakeWorkspace = async ({ base, config }) => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  const repository = emptyRepository(join(folder.path, "served/o/r.git"));
  const configSha = commit(repository, config ?? base) as Sha;
  const baseSha =
    config === undefined
      ? configSha
      : (commit(repository, base, { ref: "refs/pull/7/head", parent: null }) as Sha);
  const server = stack.use(await serveRepositories(join(folder.path, "served")));
  const kept = stack.move();
  const pin = async (machine: string) => {
    const pinned = await gitWorkspaces({
      remote: { url: `${server.url}/o/r.git`, token: null },
      dir: join(folder.path, machine),
      borrowFrom: null,
      path: process.env["PATH"] ?? "",
    }).pin(
      config === undefined
        ? { kind: "branch", branch: "main", baseSha, configSha }
        : { kind: "pull-request", number: 7, headSha: baseSha, baseRef: "main", configSha },
      { signal: new AbortController().signal },
    );
    if (pinned.kind === "refused") throw new Error(pinned.why);
    return kept.use(pinned.workspace);
  };
  return {
    workspace: await pin("private"),
    room: join(folder.path, "room"),
    elsewhere: () => pin("elsewhere"),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
};

const onThisMachine: MakeWorkspace = async ({ base, config }) => {
  const kept = new AsyncDisposableStack();
  const folder = kept.use(temporaryFolder());
  const repository = emptyRepository(join(folder.path, "local.git"));
  const baseSha = commit(repository, base, { parent: null }) as Sha;
  const configSha = config === undefined ? baseSha : (commit(repository, config, { parent: null }) as Sha);
  const pin = async (machine: string) => {
    const pinned = await localWorkspaces({
      repository,
      dir: join(folder.path, machine),
      path: process.env["PATH"] ?? "",
    }).pin({ kind: "branch", branch: "main", baseSha, configSha }, { signal: new AbortController().signal });
    if (pinned.kind === "refused") throw new Error(pinned.why);
    return kept.use(pinned.workspace);
  };
  return {
    workspace: await pin("private"),
    room: join(folder.path, "room"),
    elsewhere: () => pin("elsewhere"),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
};

describe.each([
  ["git over HTTP", overHttp],
  ["git on this machine", onThisMachine],
])("%s keeps the workspace's contract", (_, make) => {
  sealingContract(make);
  directoriesContract(make);
  objectsContract(make);
});

// Both make patches by the same means, and these tests run git a dozen times.
describe("git on this machine keeps the contract on patches", () => patchContract(onThisMachine));
