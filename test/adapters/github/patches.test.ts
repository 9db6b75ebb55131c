import { afterEach, describe, expect, it, vi } from "vitest";
import { githubPatches } from "../../../src/adapters/github/patches.ts";
import { HostForbidden } from "../../../src/delivery/host.ts";
import { patchesContract } from "../../contracts/patches.ts";
import { unzip } from "../../kit/unzip.ts";
import { type GitHubWorld, githubWorld, type WorldOptions } from "./world.ts";

afterEach(() => vi.unstubAllEnvs());

const name = "agent-patch-s0123456789ab-01234567";
const patch = Buffer.from("diff --git a/a b/a\n");

/** As the job of this run. The artifact client has no other way to be told where it is. */
function patchesOf({ github, dir, newPlace }: GitHubWorld, run: number, serverUrl = "https://github.com") {
  for (const [key, value] of Object.entries(github.env({ id: run, attempt: 1, job: "agent" })))
    vi.stubEnv(key, value);
  return githubPatches({ ...newPlace(), serverUrl, run: String(run), retentionDays: 1, tempDir: dir });
}

async function given(options: WorldOptions = {}) {
  const world = await githubWorld(options);
  const { id } = world.github.addRun({ event: "issue_comment", actor: "write" });
  const names = () => world.github.artifacts.list().map((artifact) => artifact.name);
  const close = () => world[Symbol.asyncDispose]();
  return { ...world, world, run: id, patches: patchesOf(world, id), names, [Symbol.asyncDispose]: close };
}

describe("patches as artifacts", () => {
  patchesContract(async () => {
    const { world, run, [Symbol.asyncDispose]: close } = await given();
    const { github } = world;
    const other = github.addRun({ event: "workflow_dispatch", actor: "write" }).id;
    const ids = { one: run, two: other };
    return {
      patches: (which) => patchesOf(world, ids[which]),
      runId: (which) => String(ids[which]),
      taken: async (stored) => {
        expect(stored.fetch).toBe(`gh run download ${run} --repo octo/demo --name ${name}`);
        const [artifact] = github.artifacts.list();
        expect(stored.url).toBe(`https://github.com/octo/demo/actions/runs/${run}/artifacts/${artifact?.id}`);
        const files = unzip(await github.artifacts.read(stored.name));
        expect([...files.keys()]).toEqual([stored.file]);
        return files.get(stored.file) ?? Buffer.alloc(0);
      },
      [Symbol.asyncDispose]: async () => {
        expect(github.problems()).toEqual([]);
        await close();
      },
    };
  });

  it("go under another name where an upload that came to nothing has taken theirs, and are found there", async () => {
    await using at = await given();
    at.github.fail({ path: /FinalizeArtifact/, status: 400, body: { msg: "no" } });
    expect(await at.patches.put(name, patch)).toMatchObject({ kind: "refused", code: "unavailable" });
    const put = await at.patches.put(name, patch);
    expect(put).toMatchObject({ kind: "stored", patch: { name: `${name}-2`, file: `${name}.patch` } });
    expect(at.names()).toEqual([`${name}-2`]);
    const runs = [String(at.run)];
    expect(await at.patches.find(name, { runs })).toEqual(put.kind === "stored" ? put.patch : null);
    at.github.artifacts.expire(`${name}-2`);
    expect(await at.patches.find(name, { runs })).toBeNull();
  });

  it("are refused for good where nothing may be stored", async () => {
    await using at = await given();
    const body = { msg: "Create Artifact Container failed: insufficient usage" };
    at.github.fail({ method: "POST", path: /CreateArtifact/, status: 403, body });
    expect(await at.patches.put(name, patch)).toMatchObject({
      ...{ kind: "refused", code: "rejected", unmade: true },
      why: expect.stringContaining("quota has been hit"),
    });
  });

  it("name the host of another server than github.com, for gh", async () => {
    await using at = await given();
    const put = await patchesOf(at.world, at.run, "https://git.example").put(name, patch);
    expect(put).toMatchObject({ patch: { fetch: expect.stringContaining("--repo git.example/octo/demo") } });
  });

  it("are not said to be absent where the token may not look, and ids of other machines are passed over", async () => {
    await using at = await given({ settings: { job: { actions: "none" } } });
    await expect(at.patches.find(name, { runs: ["5"] })).rejects.toThrow(HostForbidden);
    expect(await at.patches.find(name, { runs: ["local-5", "../5"] })).toBeNull();
  });
});
