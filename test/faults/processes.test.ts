import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { endProcess, isAlive, processRef, readLock } from "../../src/adapters/disk/lock.ts";
import { familyOf } from "../../src/adapters/sandbox/descendants.ts";
import { journalVariable } from "../kit/kill/story.ts";
import { use } from "../kit/model/script.ts";
import { processesOf } from "../kit/processes.ts";
import { sessionOf, storedSession, workOf } from "../kit/stored.ts";
import { canSandbox, givenWorld } from "../kit/world.ts";
import { fixesSum } from "../scenarios/given.ts";
import { configWith, givenJournal, inJournal, orEnd } from "../scenarios/given-journal.ts";
import { postOnce } from "../scenarios/given-post.ts";

type Standing = AsyncDisposable & { readonly pid: number; readonly startTime: string };

/** Two processes, one the other's child, that wait for their end. */
async function standIn(): Promise<Standing> {
  const child = spawn("sh", ["-c", "sleep 600 & echo ready; wait"], { stdio: ["ignore", "pipe", "ignore"] });
  await once(child.stdout, "data");
  const ref = await processRef(child.pid ?? 0);
  if (ref === null) throw new Error("the stand-in has no process");
  const family = familyOf(ref.pid);
  return {
    ...ref,
    [Symbol.asyncDispose]: async () => {
      for (const pid of family) await endProcess((await processRef(pid)) ?? { pid, startTime: "gone" });
    },
  };
}

it("a process is ended by its number and its start alone, and is gone when that is told (F51)", async () => {
  await using one = await standIn();
  await endProcess({ pid: one.pid, startTime: "1" });
  expect(await isAlive(one)).toBe(true);
  await endProcess({ pid: one.pid, startTime: one.startTime });
  expect(await isAlive(one)).toBe(false);
});

it.skipIf(!canSandbox)(
  "a main that hangs is ended by post, and then the sandboxes that the lock names, with all that runs in them (F51)",
  async () => {
    const config = configWith({ check: inJournal("checking"), baseline: "beside" });
    await using world = await givenWorld({ files: { ".github/agent.yml": config } });
    using journal = givenJournal(world);
    world.model.script.push(use("shell", { command: inJournal("blocked") }), ...fixesSum);
    const asked = world.asked();
    const session = sessionOf(world, asked);
    const job = await world.job(asked, { env: { [journalVariable]: journal.dir }, post: false });
    // The model's command, and the check on base beside it.
    await orEnd(job, Promise.all([journal.seen("blocked"), journal.seen("checking")]));

    const home = join(job.machine, "work", "_temp", "agent", session);
    const held = await readLock(home);
    expect(held).toMatchObject({ owner: await processRef(job.pid) });
    const { owner, sandboxes } = held ?? {};
    expect(sandboxes).toHaveLength(2);
    expect(await Promise.all((sandboxes ?? []).map(isAlive))).toEqual([true, true]);
    const running = processesOf(job.machine);
    for (const { pid } of sandboxes ?? [])
      expect(running.some((line) => line.startsWith(`${pid} `))).toBe(true);

    // The sandboxes of a main that is killed end with it, so others stand in for those that did not.
    await using one = await standIn();
    await using other = await standIn();
    const survivors = [one, other].map(({ pid, startTime }) => ({ pid, startTime }));
    const family = await Promise.all(survivors.flatMap(({ pid }) => familyOf(pid)).map(processRef));
    expect(family).toHaveLength(4);
    writeFileSync(join(home, "lock"), JSON.stringify({ owner, sandboxes: survivors }));
    job.kill("SIGSTOP");
    const post = await postOnce(world, job, asked, { session, home });
    expect({ code: post.code, annotations: post.annotations }, post.log).toEqual({
      code: 0,
      annotations: [],
    });
    expect(await job.done).toMatchObject({ code: null, signal: "SIGKILL" });
    expect(processesOf(job.machine)).toEqual([]);
    expect(await Promise.all(family.map((ref) => ref && isAlive(ref)))).toEqual(Array(4).fill(false));
    const events = (await storedSession(world, session))?.events ?? [];
    expect(workOf(events).at(-1)).toBe("calls.intended");
    expect(workOf(events).filter((type) => type.startsWith("check."))).toEqual(["check.started"]);

    world.github.completeRun(job.runId, "failure");
    const resumed = await world.finish(world.dispatch({ session }));
    expect(resumed.outputs, resumed.log).toMatchObject({ outcome: "pull-request" });
    world.model.assertDone();
  },
);
