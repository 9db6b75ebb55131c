import { describe, expect, it } from "vitest";
import { journalVariable } from "../kit/kill/story.ts";
import { say, use } from "../kit/model/script.ts";
import { blocksOf } from "../kit/model/wire.ts";
import { sessionOf, shipmentsOf, storedSession } from "../kit/stored.ts";
import { givenWorld } from "../kit/world.ts";
import { askedOnPullRequest, fixesSum } from "./given.ts";
import { configWith, givenJournal, inJournal, orEnd } from "./given-journal.ts";
import { expectRefused } from "./given-left.ts";

describe("a session that may not go on", () => {
  it("is refused as ended once it has ended, and found by the run that stored it", async () => {
    await using world = await givenWorld({ script: fixesSum });
    const asked = world.asked();
    await world.finish(asked);
    const session = sessionOf(world, asked);
    const run = shipmentsOf(world, session).at(-1)?.run;
    const requests = world.model.requests.length;
    const result = await world.finish(world.dispatch({ session: `${session}@${run}` }));
    expect(result.outputs, result.log).toMatchObject({ outcome: "refused", reason: "ended" });
    expect(world.model.requests).toHaveLength(requests);
    expect(world.github.refs("refs/agent/")).toEqual([]);
  });

  it("is refused as other-model without the name of the model that it works with, and goes on with one that is named", async () => {
    const look = use("read", { path: "sum.mjs" }, { thinking: "First I look." });
    await using world = await givenWorld({ script: [look] });
    const asked = world.asked();
    await world.finish(asked, { inputs: { "max-turns": "1" } });
    const session = sessionOf(world, asked);
    world.model.script.push(use("read", { path: "sum.test.mjs" }, { thinking: "And now the test." }));
    const another = { "max-turns": "2", model: "claude-opus-5" };
    const changed = await world.finish(world.dispatch({ session }), { inputs: another });
    expect(changed.outputs, changed.log).toMatchObject({ outcome: "suspended", reason: "turns" });
    expect(changed.log).toContain("goes on with the model claude-opus-5");
    const [, told] = world.model.requests.map(({ body }) => body);
    expect(told?.model).toBe("claude-opus-5");
    // What the first model signed is told no more; what it did is.
    expect(JSON.stringify(told?.messages)).not.toContain("First I look.");
    expect(JSON.stringify(told?.messages)).toContain("export const sum");
    await expectRefused({ world, asked, session }, "other-model", "works with claude-opus-5");
    world.model.script.push(...fixesSum);
    const last = await world.finish(world.dispatch({ session }), {
      inputs: { ...another, "max-turns": "9" },
    });
    expect(last.outputs, last.log).toMatchObject({ outcome: "pull-request" });
    expect(JSON.stringify(world.model.requests.at(-1)?.body.messages)).toContain("And now the test.");
    world.model.assertDone();
  });

  it("is refused as moved, with its lease given back, when the pull request got another commit", async () => {
    await using world = await givenWorld({ script: [use("read", { path: "sum.mjs" })] });
    const asked = await askedOnPullRequest(world, { comment: "/agent fix" });
    await world.finish(asked, { inputs: { "max-turns": "1" } });
    const left = { world, asked, session: sessionOf(world, asked) };
    world.github.commit({ branch: "topic", files: { "other.txt": "other\n" }, message: "Go on by hand" });
    await expectRefused(left, "moved", `this session left it at ${asked.head}`);
  });

  it("is refused as crash-loop after three runs died at the same place", async () => {
    await using world = await givenWorld();
    const asked = world.asked();
    const session = sessionOf(world, asked);
    for (const event of [asked, world.dispatch({ session }), world.dispatch({ session })]) {
      const reached = Promise.withResolvers<void>();
      const hold = { until: new Promise(() => undefined), onReached: () => reached.resolve() };
      world.model.script.push(say("", { hold }));
      const job = await world.job(event);
      await orEnd(job, reached.promise);
      job.kill("SIGKILL");
      await job.done;
      world.github.completeRun(job.runId, "failure");
    }
    await expectRefused(
      { world, asked, session },
      "crash-loop",
      "3 runs in a row have died at the same place: turn 1",
    );
  });

  it("is refused as in-doubt when a command without a sandbox was under way, until a person says what became of it", async () => {
    await using world = await givenWorld({
      files: { ".github/agent.yml": configWith({}) },
      inputs: { "dangerously-disable-sandbox": "true" },
      script: [use("shell", { command: inJournal("outside") }, { id: "toolu_outside" })],
    });
    using journal = givenJournal(world);
    const asked = world.asked();
    const job = await world.job(asked, { env: { [journalVariable]: journal.dir } });
    await orEnd(job, journal.seen("outside"));
    job.kill("SIGKILL");
    await job.done;
    world.github.completeRun(job.runId, "failure");
    const session = sessionOf(world, asked);
    const left = { world, asked, session };
    await expectRefused(left, "in-doubt", "Call toolu_outside (shell) was begun and not settled");

    world.model.script.push(...fixesSum);
    const resolved = await world.finish(world.dispatch({ session, resolve: "done" }));
    expect(resolved.outputs, resolved.log).toMatchObject({ outcome: "pull-request" });
    const told = "maintainer looked, and says that it took effect";
    expect(JSON.stringify(blocksOf(world.model.requests[1]?.body.messages.at(-1)?.content))).toContain(told);
    const events = (await storedSession(world, session))?.events ?? [];
    const settled = events.filter((event) => event.type === "call.settled" && event.id === "toolu_outside");
    expect(settled).toMatchObject([{ status: "ok" }]);
    expect(journal.lines.filter(({ label }) => label === "outside")).toHaveLength(1);
    world.model.assertDone();
  });
});
