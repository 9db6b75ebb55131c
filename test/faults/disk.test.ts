import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { say } from "../kit/model/script.ts";
import { sessionOf, storedSession, workOf } from "../kit/stored.ts";
import { canSandbox, givenWorld, type JobEvent, type World } from "../kit/world.ts";
import { commentsOfOurs, fixesSum, plain } from "../scenarios/given.ts";
import { orEnd } from "../scenarios/given-journal.ts";

type SmallMachine = Disposable & { readonly machine: string; readonly fill: () => void };

const diskBytes = 64 * 1024 * 1024;

/** A machine whose RUNNER_TEMP is a small disk of its own. Only root may mount one. */
function givenSmallMachine(world: World): SmallMachine {
  const machine = world.machine();
  const temp = join(machine, "work", "_temp");
  mkdirSync(temp, { recursive: true });
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskBytes}`, "tmpfs", temp]);
  const fill = (): void => {
    try {
      writeFileSync(join(temp, "filler"), Buffer.alloc(diskBytes));
    } catch (error) {
      if ((error as { code?: unknown }).code !== "ENOSPC") throw error;
    }
  };
  return { machine, fill, [Symbol.dispose]: () => execFileSync("umount", ["-l", temp]) };
}

/** Longer than what may be left of the last page that the log has on the disk. */
const lastWords = `Add in sum\n\n${"It subtracted. ".repeat(1000)}`;

/** Runs a job whose disk is full before the model has answered for the last time. */
async function onFullDisk(world: World, event: JobEvent, then: "goes on" | "is killed") {
  const reached = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const hold = { until: gone.promise, onReached: () => reached.resolve() };
  world.model.script.push(say(lastWords, { hold }));
  using disk = givenSmallMachine(world);
  const job = await world.job(event, { machine: disk.machine });
  await orEnd(job, reached.promise);
  disk.fill();
  if (then === "is killed") job.kill("SIGKILL");
  else gone.resolve();
  const result = await job.done;
  world.github.completeRun(job.runId, "failure");
  return result;
}

it.skipIf(!canSandbox)(
  "a disk that runs full ends the run with a clear word and nothing done after it, and what was recorded goes on elsewhere (F54)",
  async () => {
    await using world = await givenWorld();
    const { github, model } = world;
    const [edit = say("")] = fixesSum;
    model.script.push(edit);
    const asked = world.asked();
    const session = sessionOf(world, asked);
    const result = await onFullDisk(world, asked, "goes on");
    const told = { outcome: "failed", reason: "storage", resumable: "true" };
    expect(result.outputs, result.log).toMatchObject(told);
    expect({ code: result.code, post: result.postCode }).toEqual({ code: 1, post: 0 });
    expect(result.log).toMatch(/failed \(storage\): The log could not be written: .*ENOSPC/);
    expect([await github.pulls(), github.branches()]).toEqual([[], ["main"]]);
    const [comment] = commentsOfOurs(world, asked.issue);
    expect(plain(comment?.body ?? "")).toContain("no space left on device");
    expect(plain(comment?.body ?? "")).toContain(`To go on, comment /agent resume ${session} here`);
    const first = workOf((await storedSession(world, session))?.events ?? []);
    expect(first.slice(-2)).toEqual(["turn.ended", "reply.requested"]);

    // Killed there, it leaves its directories behind, and post has to make the room that it needs.
    const killed = await onFullDisk(world, world.dispatch({ session }), "is killed");
    expect({ post: killed.postCode, annotations: killed.annotations }, killed.log).toEqual({
      ...{ post: 0, annotations: [] },
    });
    const second = workOf((await storedSession(world, session))?.events ?? []);
    expect(second.slice(0, first.length)).toEqual(first);
    expect(second.at(-1)).toBe("reply.requested");

    model.script.push(say(lastWords));
    const resumed = await world.finish(world.dispatch({ session }));
    expect(resumed.outputs, resumed.log).toMatchObject({ outcome: "pull-request" });
    expect(await github.pulls()).toHaveLength(1);
    model.assertDone();
    expect(github.problems()).toEqual([]);
  },
);

it("a disk that takes no byte hides neither how the run ended nor that the job failed (F54)", () => {
  const main = resolve("dist/main/index.js");
  const full = ["GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"].map((name) => [name, "/dev/full"]);
  const env = { PATH: process.env["PATH"] ?? "", ...Object.fromEntries(full) };
  const { status, stdout } = spawnSync(process.execPath, [main], { env, encoding: "utf8" });
  expect(stdout).toContain("refused (settings): ");
  expect(stdout).toContain("::warning::The outputs or the summary could not be written: Error: ENOSPC");
  expect(stdout).toContain("::warning::The post step cannot be told of the run: Error: ENOSPC");
  expect(status).toBe(1);
});
