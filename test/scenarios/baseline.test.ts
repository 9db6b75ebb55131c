import { describe, expect, it } from "vitest";
import { journalVariable } from "../kit/kill/story.ts";
import type { Reply } from "../kit/model/script.ts";
import { say, use } from "../kit/model/script.ts";
import { processesOf } from "../kit/processes.ts";
import { sessionOf, storedSession } from "../kit/stored.ts";
import { canSandbox, givenWorld } from "../kit/world.ts";
import { commentsOfOurs, fixesSum, plain } from "./given.ts";
import { configWith, givenJournal, inJournal, orEnd } from "./given-journal.ts";

// Without a sandbox, and on a machine with one core, nothing runs beside the work.
const beside = describe.skipIf(!canSandbox || navigator.hardwareConcurrency < 2);

beside("the checks on base beside the model's work", () => {
  it("are known by the time the gate is reached, and stand in the evidence", async () => {
    const config = "checks:\n  - { name: test, run: node sum.test.mjs }\n  - { name: lint, run: 'false' }\n";
    await using world = await givenWorld({ files: { ".github/agent.yml": config } });
    const told = ["test passed, exit 0", "lint failed, exit 1"].map(
      (how) => `on base, beside the work: ${how}`,
    );
    const known = Promise.withResolvers<void>();
    const waiting = new Set(told);
    // The model says its last word when both have come out.
    const end: Reply = { ...(say("Add in sum") as Reply), hold: { until: known.promise } };
    world.model.script.push(use("edit", { path: "sum.mjs", old: "a - b", new: "a + b" }), end);
    const asked = world.asked();
    const result = await world.finish(asked, {
      onLine: (line) => {
        for (const one of waiting) if (line.includes(one)) waiting.delete(one);
        if (waiting.size === 0) known.resolve();
      },
    });
    expect(result.outputs, result.log).toMatchObject({ outcome: "pull-request", reason: "opened" });
    const events = (await storedSession(world, sessionOf(world, asked)))?.events ?? [];
    const ended = events.findLastIndex(({ type }) => type === "turn.ended");
    const settled = events.flatMap((event, at) => {
      if (event.type !== "check.settled") return [];
      const { check, on, exitCode } = event;
      return [
        `${at < ended ? "before" : "after"}: ${check} on ${on}${event.beside ? " beside" : ""}, ${exitCode}`,
      ];
    });
    expect(settled).toEqual([
      "before: test on base beside, 0",
      "before: lint on base beside, 1",
      "after: test on change, 0",
      "after: lint on base, 1",
      "after: lint on change, 1",
    ]);
    const [pull] = await world.github.pulls();
    for (const text of [pull?.body, commentsOfOurs(world, asked.issue).at(-1)?.body])
      expect(plain(text ?? "")).toMatch(/\| test .*green.*green[\s\S]*\| lint .*red.*red/);
    world.model.assertDone();
  });

  it("end with a run that is cancelled, which records nothing of them after its end", async () => {
    const check = inJournal("checking");
    await using world = await givenWorld({
      files: { ".github/agent.yml": configWith({ check, baseline: "beside" }) },
    });
    using journal = givenJournal(world);
    const never: Reply = { ...(say("Never") as Reply), hold: { until: new Promise(() => undefined) } };
    world.model.script.push(never, ...fixesSum);
    const asked = world.asked();
    const job = await world.job(asked, { env: { [journalVariable]: journal.dir } });
    await orEnd(job, journal.seen("checking"));
    await job.cancel();
    const result = await job.done;
    world.github.completeRun(job.runId, "cancelled");
    expect(result.outputs, result.log).toMatchObject({ outcome: "suspended", reason: "cancelled" });
    expect({ code: result.code, signal: result.signal, postCode: result.postCode }, result.log).toEqual({
      ...{ code: 0, signal: null, postCode: 0 },
    });
    expect(processesOf(job.machine)).toEqual([]);
    const session = sessionOf(world, asked);
    const events = (await storedSession(world, session))?.events ?? [];
    expect(events.flatMap(({ type }) => (/^check|^run.susp/.test(type) ? [type] : []))).toEqual([
      "check.started",
      "run.suspended",
    ]);

    const resumed = await world.finish(world.dispatch({ session }));
    expect(resumed.outputs, resumed.log).toMatchObject({ outcome: "pull-request", reason: "opened" });
    world.model.assertDone();
  });
});
