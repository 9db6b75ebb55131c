import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../src/session/event.ts";
import { journalVariable } from "../kit/kill/story.ts";
import { type Reply, say, use } from "../kit/model/script.ts";
import { blocksOf } from "../kit/model/wire.ts";
import type { RunResult } from "../kit/runner/run.ts";
import { sessionOf, storedSession } from "../kit/stored.ts";
import {
  canSandbox,
  givenWorld,
  type Job,
  type JobEvent,
  type JobOptions,
  type World,
} from "../kit/world.ts";
import { commented, commentsOfOurs, fileAt, fixesSum, plain } from "./given.ts";
import { configWith, givenJournal, inJournal, orEnd } from "./given-journal.ts";

/** The next job dies once the model is asked for this reply. */
async function dieWhenAsked(world: World, event: JobEvent): Promise<Job> {
  const reached = Promise.withResolvers<void>();
  const hold = { until: new Promise(() => undefined), onReached: () => reached.resolve() };
  world.model.script.push(say("", { hold }));
  return die(world, event, reached.promise);
}

async function die(
  world: World,
  event: JobEvent,
  moment: Promise<unknown>,
  options: JobOptions = {},
): Promise<Job> {
  const job = await world.job(event, options);
  await orEnd(job, moment);
  job.kill("SIGKILL");
  await job.done;
  world.github.completeRun(job.runId, "failure");
  return job;
}

async function next(
  world: World,
  event: JobEvent,
  { replies, ...options }: JobOptions & { readonly replies: readonly Reply[] },
): Promise<RunResult> {
  world.model.script.push(...replies);
  return world.finish(event, options);
}

/** Comments of ours that ask for something, not the status comment and no replies. */
function questionsOn(world: World, issue: number) {
  return commentsOfOurs(world, issue).filter(({ body }) => /:(?:question|approval):/.test(body ?? ""));
}

/** What the last request tells the model after its last reply: results by their call, then texts. */
function told({ model }: World): readonly string[] {
  return blocksOf(model.requests.at(-1)?.body.messages.at(-1)?.content).map((block) =>
    block.type === "tool_result" ? `${block["tool_use_id"]}: ${block["content"]}` : String(block["text"]),
  );
}

async function eventsOf(world: World, session: string): Promise<readonly SessionEvent[]> {
  return (await storedSession(world, session))?.events ?? [];
}

describe("a model that asks people", () => {
  it("is answered in a comment, once, and goes on in later jobs, of which one may die", async () => {
    await using world = await givenWorld();
    const asked = world.asked();
    const question = use("ask", { question: "Tabs or spaces? <!-- x --> @octo" }, { id: "toolu_ask" });
    const first = await next(world, asked, { replies: [question] });
    expect(first.outputs, first.log).toMatchObject({
      outcome: "needs-input",
      reason: "question",
      resumable: "true",
    });
    expect([first.code, first.postCode]).toEqual([0, 0]);
    const session = sessionOf(world, asked);
    const [comment, ...others] = questionsOn(world, asked.issue);
    expect(others).toEqual([]);
    const body = plain(comment?.body ?? "");
    expect(body).toContain("> Tabs or spaces?  @octo");
    expect(body).toContain(`To answer, comment /agent <your answer> on #${asked.issue}`);
    const status = commentsOfOurs(world, asked.issue).find(({ body }) => body?.includes(":comment:"));
    expect(status?.body).toContain("Baton stopped: **needs-input**.");
    expect(status?.body).toContain(`[This comment](${comment?.html_url})`);

    // Nobody has answered by this: it says again what it waits for, and claims nothing.
    const events = await eventsOf(world, session);
    const again = await world.finish(commented(world.github, asked.issue, "/agent resume"));
    expect(again.outputs, again.log).toMatchObject({ outcome: "needs-input", resumable: "true" });
    expect(plain(commentsOfOurs(world, asked.issue).at(-1)?.body ?? "")).toContain("/agent <your answer>");
    expect(world.model.requests).toHaveLength(1);
    expect(await eventsOf(world, session)).toEqual(events);

    const answer = commented(world.github, asked.issue, "/agent spaces, as everywhere");
    const job = await dieWhenAsked(world, answer);
    const last = await next(world, answer, { again: job, replies: fixesSum });
    expect(last.outputs, last.log).toMatchObject({ outcome: "pull-request" });
    const times = world.model.requests.map(
      ({ body }) => JSON.stringify(body.messages).split("as everywhere").length - 1,
    );
    expect(times).toEqual([0, 1, 1, 1]);
    const [, lost] = world.model.requests;
    const blocks = blocksOf(lost?.body.messages.at(-1)?.content).map((block) => JSON.stringify(block));
    expect(blocks[0]).toContain('"tool_use_id":"toolu_ask"');
    expect(blocks.at(-1)).toContain("spaces, as everywhere");
    expect(questionsOn(world, asked.issue)).toHaveLength(1);

    // Delivered once more, it is not told to anybody again, and begins nothing.
    const late = await world.finish(answer);
    expect(late.outputs, late.log).toMatchObject({ outcome: "ignored", reason: "taken" });
    const inputs = (await eventsOf(world, session)).filter(({ type }) => type === "input.accepted");
    expect(inputs.map((event) => "id" in event && event.id)).toEqual([
      `comment:${asked.comment}`,
      `comment:${answer.comment}`,
    ]);
    expect(world.github.problems()).toEqual([]);
    world.model.assertDone();
  });
});

describe.skipIf(!canSandbox)("a call that a person has to allow", () => {
  it("runs once it was approved, is asked for anew after a death, and does not run once it was denied", async () => {
    await using world = await givenWorld({
      files: { ".github/agent.yml": `${configWith({})}approve: [shell]\n` },
    });
    using journal = givenJournal(world);
    const asked = world.asked();
    const session = sessionOf(world, asked);
    const command = `echo half >> sum.mjs\n${inJournal("begun")}`;
    const first = await next(world, asked, { replies: [use("shell", { command }, { id: "toolu_1" })] });
    expect(first.outputs, first.log).toMatchObject({ outcome: "needs-input", reason: "approval" });
    const [comment] = questionsOn(world, asked.issue);
    expect(comment?.body).toContain('"command": "echo half >> sum.mjs\\n\n\u2937 if [ -p');
    expect(plain(comment?.body ?? "")).toContain("comment /agent approve toolu_1 on #");
    expect(journal.lines).toEqual([]);

    const { github } = world;
    const yes = commented(github, asked.issue, "/agent approve");
    const env = { [journalVariable]: journal.dir };
    await die(world, yes, journal.seen("begun"), { env });
    // It is over with what was allowed: the same call is another one now.
    const second = await next(world, world.dispatch({ session }), {
      replies: [use("shell", { command: "cat sum.mjs" }, { id: "toolu_2" })],
    });
    expect(second.outputs, second.log).toMatchObject({ outcome: "needs-input", reason: "approval" });
    expect(told(world)[0]).toContain("toolu_1: This call was interrupted");
    const repeated = await world.finish(yes);
    expect(repeated.outputs, repeated.log).toMatchObject({ outcome: "ignored", reason: "taken" });

    const no = commented(github, asked.issue, "/agent deny toolu_2 read it with the tool for that");
    const last = await next(world, no, { replies: fixesSum });
    expect(last.outputs, last.log).toMatchObject({ outcome: "pull-request" });
    const requests = world.model.requests.map(({ body }) => JSON.stringify(body.messages.at(-1)));
    expect(requests.at(-2)).toContain("toolu_2");
    expect(requests.at(-2)).toContain("Not executed: maintainer denied it.");
    expect(requests.at(-2)).toContain("read it with the tool for that");
    expect(fileAt(world, github.branches().find((name) => name !== "main") ?? "", "sum.mjs")).not.toContain(
      "half",
    );
    expect(questionsOn(world, asked.issue)).toHaveLength(2);
    const verdicts = (await eventsOf(world, session)).filter(({ type }) => type.startsWith("approval."));
    expect(verdicts.map((event) => `${event.type} ${"id" in event ? event.id : ""}`)).toEqual([
      "approval.requested toolu_1",
      "approval.granted toolu_1",
      "approval.requested toolu_2",
      "approval.denied toolu_2",
    ]);
    expect(journal.lines.map(({ label }) => label)).toEqual(["begun"]);
    expect(github.problems()).toEqual([]);
    world.model.assertDone();
  });
});
