import { describe, expect, it } from "vitest";
import { journalVariable } from "../kit/kill/story.ts";
import { type Hold, type Step, say, use } from "../kit/model/script.ts";
import { processesOf } from "../kit/processes.ts";
import type { RunResult } from "../kit/runner/run.ts";
import { sessionOf, storedSession, workOf } from "../kit/stored.ts";
import { canSandbox, givenWorld } from "../kit/world.ts";
import { commented, commentsOfOurs, fixesSum, plain } from "./given.ts";
import { configWith, givenJournal, inJournal } from "./given-journal.ts";

const [edit = say(""), done = say("")] = fixesSum;

describe("stop", () => {
  it.skipIf(!canSandbox)(
    "suspends a run in the middle of a command, is answered beside it, and stops no run after it",
    async () => {
      await using world = await givenWorld({
        files: { ".github/agent.yml": configWith({}) },
        inputs: { "ship-seconds": "0" },
      });
      using journal = givenJournal(world);
      const { github, model } = world;
      const half = `echo half >> sum.mjs\n${inJournal("blocked")}`;
      model.script.push(use("read", { path: "sum.mjs" }), use("shell", { command: half }));
      const asked = world.asked();
      const { issue } = asked;
      const session = sessionOf(world, asked);
      const beside: RunResult[] = [];
      let stop = 0;
      // The look that a run begins with is answered when the command runs, so that the test need not wait for the next.
      github.meanwhile(/^GET .*\/comments\?.*since=/, async () => {
        await journal.seen("blocked");
        beside.push(await world.finish(commented(github, issue, "/agent status")));
        const says = commented(github, issue, "/agent stop");
        stop = says.comment;
        beside.push(await world.finish(says));
      });
      const job = await world.job(asked, { env: { [journalVariable]: journal.dir } });
      const stopped = await job.done;
      github.completeRun(job.runId, stopped.conclusion);
      expect(stopped.outputs, stopped.log).toMatchObject({
        ...{ outcome: "suspended", reason: "stopped", resumable: "true" },
      });
      expect([stopped.code, stopped.orphans, processesOf(job.machine)]).toEqual([0, [], []]);
      const stored = await storedSession(world, session);
      const suspended = { type: "run.suspended", reason: "stopped", input: `comment:${stop}` };
      expect(stored?.events.findLast(({ type }) => type === "run.suspended")).toMatchObject(suspended);
      expect(workOf(stored?.events ?? []).slice(-2)).toEqual(["calls.intended", "run.suspended"]);

      const [status, answered] = commentsOfOurs(world, issue)
        .slice(1)
        .map(({ body }) => plain(body ?? ""));
      const run = `[Run ${job.runId}](${github.serverUrl}/octo/demo/actions/runs/${job.runId})`;
      expect(beside.map(({ outputs }) => [outputs["outcome"], outputs["reason"]])).toEqual([
        ["answered", "status"],
        ["answered", "stop"],
      ]);
      expect(status).toMatch(new RegExp(`session ${session}: Baton is (starting|working)`));
      expect(status).toContain(`${run} works on it now`);
      expect(answered).toContain(`${run} works on session ${session}. It sees this within about a minute`);
      expect(plain(commentsOfOurs(world, issue)[0]?.body ?? "")).toContain(
        "@maintainer said stop in a comment",
      );

      // A run that goes on and dies, and one that goes on from there, have that stop behind them.
      const reached = Promise.withResolvers<void>();
      const hold: Hold = { until: new Promise(() => undefined), at: 2, onReached: () => reached.resolve() };
      model.script.push(use("shell", { command: "cat sum.mjs" }), { ...(edit as object), hold } as Step);
      const dies = await world.job(commented(github, issue, "/agent resume"));
      await reached.promise;
      await dies.lose();
      github.completeRun(dies.runId, "failure");
      model.script.push(edit, done);
      const resumed = await world.finish(commented(github, issue, "/agent resume"));
      expect(resumed.outputs, resumed.log).toMatchObject({ outcome: "pull-request" });
      const last = JSON.stringify(model.requests.at(-1)?.body.messages);
      expect(last).toContain("Its changes were discarded");
      expect(last).not.toContain("half\\\\n");
      expect(model.requests.map(({ refused }) => refused)).toEqual(Array(6).fill(undefined));
      model.assertDone();
      expect(github.problems()).toEqual([]);
    },
  );
});
