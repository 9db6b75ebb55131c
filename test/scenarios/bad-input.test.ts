import { describe, expect, it } from "vitest";
import { use } from "../kit/model/script.ts";
import { commentPayload, givenWorld, type World, type WorldOptions } from "../kit/world.ts";
import { changed, expectEnding, fixesSum } from "./given.ts";

const agentYml = ".github/agent.yml";
const refused = { outcome: "refused", exit: 1, requests: 0 } as const;
const published = { requests: 2, branches: [/^agent\/1-/], pulls: 1 };

describe("an event", () => {
  it.each([
    ["comment", (body: Record<string, unknown>) => delete body["comment"], "at comment: it is missing"],
    ["issue", (body: Record<string, unknown>) => Object.assign(body, { issue: 7 }), "at issue: expected"],
  ])("without a usable %s is refused with the place where it is malformed", async (_, spoil, says) => {
    await using world = await givenWorld();
    const event = changed(world.asked(), spoil);
    const malformed = { ...refused, reason: "malformed", says, thread: 1, comments: 0 };
    await expectEnding(world, await world.finish(event), malformed);
    expect(world.github.exchanges).toEqual([]);
  });

  it("of another repository is refused", async () => {
    await using world = await givenWorld();
    const event = changed(world.asked(), (body) => Object.assign(body["repository"] as object, { id: 5 }));
    const says = "The event is about repository 5, and this run belongs to ";
    await expectEnding(world, await world.finish(event), { ...refused, reason: "other-repository", says });
  });

  it("whose comment was edited after the command gave it is refused without a red run", async () => {
    await using world = await givenWorld();
    const later = { updated_at: "2030-01-02T03:04:06Z" };
    const event = changed(world.asked(), (body) => Object.assign(body["comment"] as object, later));
    const edited = { ...refused, exit: 0, reason: "edited", says: "was edited at 2030-01-02" } as const;
    await expectEnding(world, await world.finish(event), { ...edited, thread: 1, comments: 0 });
  });

  it("whose comment has no author any more is refused quietly", async () => {
    await using world = await givenWorld();
    const event = changed(world.asked(), (body) => Object.assign(body["comment"] as object, { user: null }));
    const says = "no longer exists; somebody with write access has to give the command.";
    const quiet = { ...refused, exit: 0, reason: "deleted-author", says } as const;
    await expectEnding(world, await world.finish(event), { ...quiet, thread: 1, comments: 0 });
  });

  it("on an issue whose author was deleted is worked on", async () => {
    await using world = await givenWorld({ script: fixesSum });
    const result = await world.finish(world.asked({ author: null }));
    await expectEnding(world, result, {
      outcome: "pull-request",
      reason: "opened",
      exit: 0,
      thread: 1,
      ...published,
    });
    expect(JSON.stringify(world.model.requests[0]?.body.messages)).toContain(
      "the text, by a deleted account",
    );
  });

  it("on an issue without text needs words of its own", async () => {
    await using world = await givenWorld();
    const says =
      "Issue #1 has no visible description, and the command says nothing either; describe the problem";
    const result = await world.finish(world.asked({ body: "<!-- nothing to see -->" }));
    await expectEnding(world, result, { ...refused, reason: "no-text", says, thread: 1 });
  });

  it("on a closed thread is refused", async () => {
    await using world = await givenWorld();
    const says = "Issue #1 is closed; reopen it, then give the command again.";
    const event = asItIsNow(world, () => world.github.closeIssue(1));
    await expectEnding(world, await world.finish(event), { ...refused, reason: "closed", says, thread: 1 });
  });

  it("on a locked thread is worked on and reported in the summary", async () => {
    await using world = await givenWorld({ script: fixesSum });
    const event = asItIsNow(world, () => world.github.lockIssue(1));
    const result = await world.finish(event);
    const done = { outcome: "pull-request", reason: "opened", exit: 0, thread: 1, comments: 0 } as const;
    await expectEnding(world, result, { ...done, ...published });
    expect(result.summary).toContain("#1 is locked: the result stands in the job summary");
    expect(result.summary).toContain(
      "There is no status comment: Unable to create comment because issue is locked.",
    );
  });
});

describe("a configuration", () => {
  const config = { ...refused, reason: "config", thread: 1 };
  it.each([
    [
      "an unknown key",
      "checks:\n  - { name: test, run: 'true' }\nchekcs: []\n",
      ".github/agent.yml:3: unknown key chekcs; allowed: env, setup, checks",
    ],
    ["a wrong type", "checks: npm test\n", ".github/agent.yml:1: "],
    ["no checks in its list", "checks: []\n", ".github/agent.yml:1: "],
    ["broken YAML", "checks: [\n", ".github/agent.yml:"],
  ])("with %s is refused with file and line", async (_, text, says) => {
    await using world = await givenWorld({ files: { [agentYml]: text } });
    await expectEnding(world, await world.finish(world.asked()), { ...config, says });
  });
});

describe("a workflow", () => {
  it("without the API key's secret is refused", async () => {
    await using world = await givenWorld({ inputs: { "anthropic-api-key": "" } });
    const says = "the input anthropic-api-key is empty. Add the secret ANTHROPIC_API_KEY and pass it.";
    const result = await world.finish(world.asked());
    await expectEnding(world, result, { ...refused, reason: "not-configured", says, thread: 1 });
  });

  it("with an input that means nothing is refused with what is allowed", async () => {
    await using world = await givenWorld({ inputs: { "max-turns": "many" } });
    const says = 'The input max-turns is "many": it must be a whole number from 1 to 10000.';
    const settings = { ...refused, reason: "settings", says, thread: 1, comments: 0 };
    await expectEnding(world, await world.finish(world.asked()), settings);
  });

  it("without contents: write is refused before any work", async () => {
    await using world = await givenWorld({ settings: { job: { contents: "read" } } });
    const result = await world.finish(world.asked());
    const says = "(needs contents: write). Add that line to the permissions of the job.";
    await expectEnding(world, result, { ...refused, reason: "permission", says, thread: 1 });
  });

  it("without issues: write cannot say so on the thread, and says it in the summary", async () => {
    const job = { issues: "none", "pull-requests": "none" } as const;
    await using world = await givenWorld({ settings: { job } });
    const result = await world.finish(world.asked());
    const says = "(needs issues: write). Add that line to the permissions of the job.";
    await expectEnding(world, result, { ...refused, reason: "permission", says, thread: 1, comments: 0 });
  });

  it("without pull-requests: write says so before the model is asked (F33)", async () => {
    const job = { "pull-requests": "read" } as const;
    await using world = await givenWorld({ script: fixesSum, settings: { job } });
    const asked = world.asked();
    await expectEnding(world, await world.finish(asked), {
      outcome: "suspended",
      reason: "permission",
      exit: 0,
      resumable: true,
      says: "(needs pull-requests: write). Add that line to the permissions of the job, then resume.",
      thread: 1,
      requests: 0,
    });
  });

  it("without actions: read cannot resume, and says so", async () => {
    await using world = await suspended({ settings: { job: { actions: "none" } } });
    const says = "(needs actions: read). Add that line to the permissions of the job.";
    await expectEnding(world, await resumed(world), { ...refused, reason: "permission", says, requests: 1 });
  });
});

describe("a session to resume", () => {
  it.each([
    [
      "s0123456789ab",
      "not-found",
      "it has ended, or it never began. Start anew, or name the run that stored it",
    ],
    [
      "s0123456789ab@77",
      "not-found",
      "The runs 77 stored no shipment of s0123456789ab. Look up the run that stored it, or start anew",
    ],
    ["the last one", "malformed", 'The input session is "the last one"; it must be a session id such as'],
  ])("that is unknown (%s) is refused", async (session, reason, says) => {
    await using world = await givenWorld();
    const result = await world.finish(world.dispatch({ session }));
    await expectEnding(world, result, { ...refused, reason, says });
  });

  it("is passed over where a fork's run planted it, and goes on from our own", async () => {
    await using world = await suspended();
    const run = await plant(world);
    const result = await resumed(world, { run });
    const done = { outcome: "pull-request", reason: "opened", exit: 0, thread: 1 } as const;
    await expectEnding(world, result, { ...done, ...published, requests: 3 });
    expect(result.summary).toContain("its run's head is in another repository (a fork)");
  });

  it("is refused where only a fork's run has it", async () => {
    await using world = await suspended();
    const ours = world.github.artifacts.list();
    const run = await plant(world);
    for (const { name } of ours) world.github.artifacts.remove(name);
    const says = "its run's head is in another repository (a fork)";
    await expectEnding(world, await resumed(world, { run }), {
      ...refused,
      reason: "not-found",
      says,
      requests: 1,
    });
  });

  it.each([
    [
      "where the bytes are what GitHub recorded",
      { digest: "follow" } as const,
      "tampered",
      "its bytes were changed or cut. Nothing was continued from it; start anew with a new command.",
    ],
    ["where they are not", undefined, "gap", "its bytes are not those GitHub recorded"],
  ])("is refused when its artifact was cut, %s", async (_, how, reason, says) => {
    await using world = await suspended();
    const { artifacts } = world.github;
    const newest = artifacts.list().at(-1)?.name ?? "";
    await artifacts.tamper(newest, (bytes) => bytes.subarray(0, bytes.length >> 1), how);
    await expectEnding(world, await resumed(world), { ...refused, reason, says, requests: 1 });
  });

  it("is refused under another key, which is named by its fingerprint only", async () => {
    await using world = await suspended();
    const result = await resumed(world, { inputs: { "session-key": "k".repeat(40) } });
    const says = "use the API key or session-key of the run that wrote it.";
    await expectEnding(world, result, { ...refused, reason: "other-key", says, requests: 1 });
    expect(result.log).not.toContain("k".repeat(40));
  });
});

function asItIsNow(world: World, act: () => void) {
  const asked = world.asked();
  act();
  return {
    ...asked,
    payload: commentPayload(world.github, { issue: 1, comment: asked.comment, by: "maintainer" }),
  };
}

/** A world with one session that has used up its budget of one turn. */
async function suspended(options: WorldOptions = {}): Promise<World> {
  const script = [use("read", { path: "sum.mjs" }), ...fixesSum];
  const world = await givenWorld({ ...options, script, inputs: { "max-turns": "1" } });
  const { outputs, log } = await world.finish(world.asked());
  expect(outputs["outcome"], log).toBe("suspended");
  return world;
}

function sessionOf({ github }: World): string {
  return /agent-session-(s[0-9a-f]{12})-/.exec(github.artifacts.list()[0]?.name ?? "")?.[1] ?? "";
}

function resumed(
  world: World,
  { run, inputs = {} }: { readonly run?: string; readonly inputs?: Readonly<Record<string, string>> } = {},
) {
  const session = [sessionOf(world), ...(run === undefined ? [] : [run])].join("@");
  return world.finish(world.dispatch({ session }), { inputs: { "max-turns": "9", ...inputs } });
}

/** The newest artifact once more, in a run of a fork and with a name that would win. */
async function plant({ github }: World): Promise<string> {
  const { name } = github.artifacts.list().at(-1) ?? { name: "" };
  const { id } = github.addRun({
    event: "pull_request",
    actor: "stranger",
    fork: "stranger",
    status: "completed",
  });
  const planted = name.replace(/(s[0-9a-f]{12})-.*/, `$1-9-99-${id}.1`);
  await github.artifacts.plant({ name: planted, run: id, bytes: await github.artifacts.read(name) });
  return String(id);
}
