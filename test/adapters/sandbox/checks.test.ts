import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { localWorkspaces } from "../../../src/adapters/git/workspaces.ts";
import { sandboxChecks } from "../../../src/adapters/sandbox/checks.ts";
import type { SandboxKind } from "../../../src/adapters/sandbox/kind.ts";
import { runSetup } from "../../../src/adapters/sandbox/setup.ts";
import type { Tree } from "../../../src/base/hash.ts";
import type { Check } from "../../../src/gate/checks.ts";
import { type ChecksWorld, checksContract } from "../../contracts/checks.ts";
import { type Bench, bestKind, makeBench, until } from "./bench.ts";

const kind = await bestKind();
const { signal } = new AbortController();
const path = process.env["PATH"] ?? "";

/** A repository with one commit, pinned; its base is checked out in the bench's `work`, and a second tree is sealed. */
async function makeWorld(worldKind: SandboxKind) {
  const bench = makeBench(worldKind);
  const repository = join(bench.dir, "repository");
  mkdirSync(join(repository, "sub"), { recursive: true });
  writeFileSync(join(repository, "file.txt"), "one");
  writeFileSync(join(repository, "sub/inner.txt"), "inner");
  writeFileSync(join(repository, ".gitignore"), "made\n");
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", repository, ...args], { stdio: "pipe" });
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "Begin");
  const workspaces = localWorkspaces({ repository, dir: join(bench.dir, "git"), path });
  const pinned = await workspaces.pin(
    { kind: "branch", branch: "main", baseSha: null, configSha: null },
    { signal },
  );
  if (pinned.kind !== "pinned") throw new Error(pinned.why);
  const { workspace } = pinned;
  const changed = join(bench.dir, "changed");
  await workspace.restore(changed, workspace.baseTree);
  writeFileSync(join(changed, "file.txt"), "two");
  const sealed = await workspace.seal(changed);
  if (sealed.kind !== "sealed") throw new Error(sealed.why);
  await workspace.restore(bench.workspace, workspace.baseTree);
  const { ground, home, scratch } = bench;
  return {
    bench,
    checks: sandboxChecks({ ground, workspace, base: bench.workspace, home, scratch }),
    one: workspace.baseTree,
    two: sealed.tree,
    [Symbol.asyncDispose]: async () => {
      await workspace[Symbol.asyncDispose]();
      bench[Symbol.dispose]();
    },
  } satisfies ChecksWorld & { readonly bench: Bench };
}

const check = (run: string, more: Partial<Check> = {}): Check => ({
  name: "check",
  run,
  minutes: 1,
  proof: false,
  dir: "",
  network: false,
  ...more,
});

const setupOf = ({ ground, workspace, home, scratch }: Bench) => ({ ...ground, workspace, home, scratch });

describe.skipIf(kind === null)("checks in a sandbox", () => {
  checksContract(() => makeWorld(kind ?? "root"));

  it("have what setup made on base, ignored files and HOME too, and leave it as it was", async () => {
    await using world = await makeWorld(kind ?? "root");
    const runs = await runSetup(
      setupOf(world.bench),
      ["mkdir made; echo built > made/it; echo kept > ~/kept"],
      {
        minutes: 1,
        signal,
      },
    );
    expect(runs).toMatchObject([{ exitCode: 0, output: "" }]);
    await using checkout = await world.checks.checkout(world.two, { signal });
    const run = await checkout.run(check("cat file.txt made/it ~/kept; echo spoiled > made/it"), { signal });
    expect(run).toMatchObject({ exitCode: 0, output: "twobuilt\nkept\n" });
    expect(readFileSync(join(world.bench.workspace, "made/it"), "utf8")).toBe("built\n");
  });

  it("leave no directory behind, whatever they did to its rights (F60)", async () => {
    await using world = await makeWorld(kind ?? "root");
    {
      await using checkout = await world.checks.checkout(world.one, { signal });
      const spoil = "mkdir -p a/b ~/c; touch a/b/f; chmod 000 a/b a ~/c; mkfifo pipe; ln -s / root-link";
      expect((await checkout.run(check(spoil), { signal })).exitCode).toBe(0);
    }
    expect(readdirSync(world.bench.scratch)).toEqual([]);
  });

  it("give back more than a model is shown at once, so that what failed can be found in the middle", async () => {
    await using world = await makeWorld(kind ?? "root");
    await using checkout = await world.checks.checkout(world.one, { signal });
    const long = "seq 1 8000; echo 'not ok 1 - adds'; seq 1 8000; exit 1";
    const { exitCode, output } = await checkout.run(check(long), { signal });
    expect([exitCode, output.includes("[cut here")]).toEqual([1, false]);
    expect(output).toContain("not ok 1 - adds");
  });

  it("have no network unless they ask for it", async () => {
    await using world = await makeWorld(kind ?? "root");
    await using checkout = await world.checks.checkout(world.one, { signal });
    const devices = check("cut -d: -sf1 /proc/net/dev | wc -l");
    expect((await checkout.run(devices, { signal })).output.trim()).toBe("1");
    const networked = await checkout.run({ ...devices, network: true }, { signal });
    const host = readFileSync("/proc/net/dev", "utf8").match(/:/g)?.length;
    expect(networked.output.trim()).toBe(String(host));
  });

  it("refuse a tree that is not there, and leave nothing behind", async () => {
    await using world = await makeWorld(kind ?? "root");
    const unknown = "0123456789".repeat(4) as Tree;
    await expect(world.checks.checkout(unknown, { signal })).rejects.toThrow(
      /cannot make a checkout of 0123456789/,
    );
    expect(readdirSync(world.bench.scratch)).toEqual([]);
  });
});

describe("checks with the sandbox off", () => checksContract(() => makeWorld("off")));

describe.skipIf(kind === null)("setup", () => {
  it("runs its commands in order, on the base, and stops after one that fails", async () => {
    using bench = makeBench(kind ?? "root");
    const commands = ["echo one > order", "echo two >> order; exit 3", "echo three >> order"];
    const runs = await runSetup(setupOf(bench), commands, { minutes: 1, signal });
    expect(runs.map(({ command, exitCode }) => [command, exitCode])).toEqual([
      [commands[0], 0],
      [commands[1], 3],
    ]);
    expect(readFileSync(join(bench.workspace, "order"), "utf8")).toBe("one\ntwo\n");
    expect(readdirSync(bench.scratch)).toEqual([]);
  });

  it("has the network and none of the secrets", async () => {
    using bench = makeBench(kind ?? "root");
    writeFileSync(join(bench.masked, "key"), "secret");
    const look = `cut -d: -sf1 /proc/net/dev | wc -l; cat ${bench.masked}/key; env | cut -d= -f1`;
    const [run] = await runSetup(setupOf(bench), [look], { minutes: 1, signal });
    const host = readFileSync("/proc/net/dev", "utf8").match(/:/g)?.length;
    expect(run?.output.split("\n")[0]?.trim()).toBe(String(host));
    expect(run?.exitCode).toBe(1);
    expect(run?.output).not.toContain("secret");
  });

  it("ends at its time limit and at an abort", async () => {
    using bench = makeBench(kind ?? "root");
    const late = await runSetup(setupOf(bench), ["sleep 600", "true"], { minutes: 0.005, signal });
    expect(late).toMatchObject([{ exitCode: null, timedOut: true }]);
    const controller = new AbortController();
    const run = runSetup(setupOf(bench), ["echo > begun; sleep 600", "true"], {
      minutes: 1,
      signal: controller.signal,
    });
    await until(() => existsSync(join(bench.workspace, "begun")));
    controller.abort();
    expect(await run).toMatchObject([{ exitCode: null, timedOut: false }]);
  });
});
