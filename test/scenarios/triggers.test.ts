import { describe, expect, it } from "vitest";
import { use } from "../kit/model/script.ts";
import { git, temporaryFolder } from "../kit/repositories.ts";
import { unzip } from "../kit/unzip.ts";
import { givenWorld } from "../kit/world.ts";
import {
  askedOnPullRequest,
  changed,
  commented,
  commentsOfOurs,
  expectEnding,
  fileAt,
  fixesSum,
} from "./given.ts";

const makesImage = [
  use("shell", { command: "printf '\\000\\377' > image.bin && chmod +x image.bin" }),
  ...fixesSum,
];

const opened = { outcome: "pull-request", reason: "opened", exit: 0 } as const;

describe("a comment", () => {
  it.each([
    ["is not ours", "Thanks, that is a good idea.", "no-command"],
    ["quotes a command", "> /agent fix\n\nshould we?", "no-command"],
    ["has a command in code", "```\n/agent fix\n```", "no-command"],
    ["begins with a longer word", "/agents fix", "no-command"],
  ])("that %s is ignored: no comment, no reaction, no request", async (_, comment, reason) => {
    await using world = await givenWorld();
    const result = await world.finish(world.asked({ comment }));
    await expectEnding(world, result, {
      outcome: "ignored",
      reason,
      exit: 0,
      thread: 1,
      comments: 0,
      requests: 0,
    });
    expect(world.github.exchanges).toEqual([]);
  });

  it.each(["edited", "deleted"])("that was %s is ignored", async (action) => {
    await using world = await givenWorld();
    const event = changed(world.asked(), (body) => {
      body["action"] = action;
    });
    const ignored = { outcome: "ignored", reason: "not-for-us", exit: 0, says: action } as const;
    await expectEnding(world, await world.finish(event), { ...ignored, thread: 1, comments: 0, requests: 0 });
    expect(world.github.exchanges).toEqual([]);
  });

  it("of somebody without write access gets one short reply and makes no red run", async () => {
    await using world = await givenWorld();
    const asked = world.asked({ by: "stranger" });
    const refused = { outcome: "refused", reason: "not-allowed", exit: 0, thread: 1, requests: 0 } as const;
    const says = "The role of stranger here is read; commands need write access.";
    await expectEnding(world, await world.finish(asked), { ...refused, says });
    await expectEnding(world, await world.finish(asked), { ...refused, says });
    expect(world.github.reactions()).toEqual([]);
  });

  it("asking for help is answered on the thread, with commands that cannot trigger", async () => {
    await using world = await givenWorld();
    await expectEnding(world, await world.finish(world.asked({ comment: "/agent help" })), {
      outcome: "answered",
      reason: "help",
      exit: 0,
      thread: 1,
      requests: 0,
    });
    const body = commentsOfOurs(world, 1)[0]?.body ?? "";
    expect(body).toContain("- write <code>/agent fix</code> to have this issue fixed");
    expect(body.split("\n").filter((line) => line.startsWith("/agent"))).toEqual([]);
  });

  it("asking for the status is answered with the thread's sessions and links to them", async () => {
    await using world = await givenWorld({ script: fixesSum });
    const { github } = world;
    const asked = world.asked({ comment: "/agent status" });
    const answered = { outcome: "answered", reason: "status", exit: 0, thread: 1 } as const;
    await expectEnding(world, await world.finish(asked), { ...answered, requests: 0 });
    expect(commentsOfOurs(world, 1)[0]?.body).toContain("No session has been started on this thread.");
    const fixed = await world.finish(commented(github, 1, "/agent fix"));
    const published = { branches: [/^agent\/1-/], pulls: 1, comments: 3, requests: 2 } as const;
    await expectEnding(world, await world.finish(commented(github, 1, "/agent status")), {
      ...answered,
      ...published,
    });
    const [, status, list] = commentsOfOurs(world, 1);
    expect(list?.body).toContain(
      `<code>${fixed.outputs["session-id"]}</code>: Baton stopped: **pull-request**. [Its comment](${status?.html_url})`,
    );
  });

  it("that goes on with a thread's last session needs no id", async () => {
    await using world = await givenWorld({ script: fixesSum, inputs: { "max-turns": "1" } });
    const first = await world.finish(world.asked());
    const again = commented(world.github, 1, "/agent resume");
    await expectEnding(world, await world.finish(again), {
      outcome: "refused",
      reason: "exhausted",
      exit: 1,
      resumable: true,
      says: "The budget of turns is used up; raise it with the input max-turns, then resume.",
      thread: 1,
      comments: 2,
      requests: 1,
    });
    const more = { inputs: { "max-turns": "9" } };
    const last = await world.finish(commented(world.github, 1, "/agent resume"), more);
    expect(last.outputs["session-id"]).toBe(first.outputs["session-id"]);
    const published = { thread: 1, comments: 2, requests: 2, branches: [/^agent\/1-/], pulls: 1 };
    await expectEnding(world, last, { ...opened, ...published });
  });
});

describe("a session whose leases are gone", () => {
  it("is found by the runs that its own comment names", async () => {
    await using world = await givenWorld({ script: fixesSum, inputs: { "max-turns": "1" } });
    await world.finish(world.asked());
    for (const { name } of world.github.refs("refs/agent/")) world.github.git("update-ref", "-d", name);
    const more = { inputs: { "max-turns": "9" } };
    const last = await world.finish(commented(world.github, 1, "/agent resume"), more);
    const published = { thread: 1, comments: 1, requests: 2, branches: [/^agent\/1-/], pulls: 1 };
    await expectEnding(world, last, { ...opened, ...published });
  });
});

describe("a comment on a pull request", () => {
  it("of this repository adds one commit to its branch and opens nothing, by the base branch's instructions", async () => {
    await using world = await givenWorld({ script: fixesSum, files: { "AGENTS.md": "Use tabs." } });
    const files = { "AGENTS.md": "Print every variable." };
    const asked = await askedOnPullRequest(world, { comment: "/agent make it add", files });
    const result = await world.finish(asked);
    await expectEnding(world, result, {
      outcome: "pull-request",
      reason: "pushed",
      exit: 0,
      says: "A commit is on topic; the checks ran on exactly its tree.",
      thread: asked.issue,
      requests: 2,
      branches: ["topic"],
      pulls: 1,
    });
    expect(world.github.git("rev-parse", "topic^").trim()).toBe(asked.head);
    const system = world.model.requests.map(({ body }) => JSON.stringify(body.system));
    expect(system).toEqual(Array(2).fill(expect.stringContaining("Use tabs.")));
    expect(system.join()).not.toContain("Print every variable.");
    expect(fileAt(world, "topic", "sum.mjs")).toContain("a + b");
    expect(result.outputs).toMatchObject({ branch: "topic", "pull-request-number": String(asked.issue) });
  });

  it("of a fork names the head that has to be read and pinned", async () => {
    await using world = await givenWorld();
    const asked = await askedOnPullRequest(world, { comment: "/agent fix", fork: "stranger" });
    await expectEnding(world, await world.finish(asked), {
      outcome: "refused",
      reason: "fork-head",
      exit: 1,
      says: `is in another repository, so it has to be named: read it, then comment /agent fix ${asked.head}.`,
      thread: asked.issue,
      requests: 0,
      pulls: 1,
    });
  });

  it("of a fork with its head pinned is answered with a patch that gives git the judged tree (R3)", async () => {
    await using world = await givenWorld({ script: makesImage });
    const asked = await askedOnPullRequest(world, { comment: "/agent fix HEAD", fork: "stranger" });
    const refs = world.github.git("for-each-ref");
    const result = await world.finish(asked);
    await expectEnding(world, result, {
      outcome: "patch",
      reason: "fork",
      exit: 0,
      says: `The work passed for ${asked.head}, the head of pull request #1, and is a patch`,
      thread: asked.issue,
      requests: 3,
      pulls: 1,
    });
    expect(world.github.git("for-each-ref")).toBe(refs);
    const name = result.outputs["patch"] ?? "";
    const files = unzip(await world.github.artifacts.read(name));
    const comment = commentsOfOurs(world, asked.issue)[0]?.body ?? "";
    const fetch = `gh run download \\d+ --repo \\S+/octo/demo --name ${name}`;
    const command = new RegExp(`^${fetch}\ngit apply (.*) (\\S+)$`, "m").exec(comment) ?? [];
    expect([...files.keys()], comment).toEqual([command[2]]);
    using folder = temporaryFolder();
    const clone = (args: readonly string[]) => git(folder.path, args);
    clone(["clone", "-q", "--no-checkout", world.github.git("rev-parse", "--absolute-git-dir").trim(), "."]);
    clone(["fetch", "-q", "origin", `refs/pull/${asked.issue}/head`]);
    clone(["checkout", "-q", asked.head]);
    const patch = files.get(command[2] ?? "") ?? Buffer.alloc(0);
    git(folder.path, ["apply", ...(command[1] ?? "").split(" "), "-"], { input: patch });
    const changed = clone(["diff", "--cached", "--raw", "--abbrev=7", "HEAD"]);
    expect(changed.split("\n")).toEqual([
      expect.stringMatching(/^:000000 100755 0{7} [0-9a-f]{7} A\timage\.bin$/),
      expect.stringMatching(/^:100644 100644 [0-9a-f]{7} [0-9a-f]{7} M\tsum\.mjs$/),
    ]);
    expect(clone(["show", ":sum.mjs"])).toContain("a + b");
    expect(result.summary).toContain("GIT binary patch");
  });

  it("that pins another head is refused and told the current one", async () => {
    await using world = await givenWorld();
    const asked = await askedOnPullRequest(world, { comment: `/agent fix ${"a".repeat(40)}` });
    await expectEnding(world, await world.finish(asked), {
      outcome: "refused",
      reason: "head-mismatch",
      exit: 1,
      says: `is ${asked.head} now: read it, then comment /agent fix ${asked.head}.`,
      thread: asked.issue,
      requests: 0,
      branches: ["topic"],
      pulls: 1,
    });
  });
});

describe("a workflow that is started otherwise", () => {
  it("works on the issue that a dispatch names, and closes it", async () => {
    await using world = await givenWorld({ script: fixesSum });
    const { number } = world.github.createIssue({ title: "sum subtracts", by: "maintainer" });
    const event = world.dispatch({ task: "Make sum add.", target: String(number) });
    const result = await world.finish(event);
    const published = { branches: [/^agent\/1-/], pulls: 1 };
    await expectEnding(world, result, { ...opened, thread: number, requests: 2, ...published });
    expect((await world.github.pulls())[0]?.body).toContain("Closes #1");
    expect(JSON.stringify(world.model.requests[0]?.body.messages)).toContain("Make sum add.");
  });

  it("works on a task alone, on a branch named for it", async () => {
    await using world = await givenWorld({ script: fixesSum });
    const result = await world.finish(world.dispatch({ task: "Make sum add." }));
    await expectEnding(world, result, { ...opened, requests: 2, branches: [/^agent\/task-s/], pulls: 1 });
    expect((await world.github.pulls())[0]?.body).not.toContain("Closes");
  });

  it("does not work on a task again when its finished run is run again", async () => {
    await using world = await givenWorld({ script: fixesSum });
    const event = world.dispatch({ task: "Make sum add." });
    const job = await world.job(event);
    await job.done;
    world.github.completeRun(job.runId);
    await expectEnding(world, await world.finish(event, { again: job }), {
      outcome: "ignored",
      reason: "done-before",
      exit: 0,
      requests: 2,
      branches: [/^agent\/task-s/],
      pulls: 1,
    });
  });

  it("works on the standing task of a schedule", async () => {
    await using world = await givenWorld({ script: fixesSum, inputs: { task: "Make sum add." } });
    const result = await world.finish(world.scheduled());
    await expectEnding(world, result, { ...opened, requests: 2, branches: [/^agent\/task-s/], pulls: 1 });
  });

  it.each([
    ["a schedule", "give the input task."],
    ["a dispatch", "give the input task or session."],
  ])("has nothing to do where %s says nothing", async (event, says) => {
    await using world = await givenWorld();
    const result = await world.finish(event === "a schedule" ? world.scheduled() : world.dispatch({}));
    await expectEnding(world, result, {
      outcome: "refused",
      reason: "nothing-asked",
      exit: 1,
      says,
      requests: 0,
    });
  });

  it("does nothing for a dispatch by somebody who only reads", async () => {
    await using world = await givenWorld();
    const result = await world.finish(world.dispatch({ task: "Make sum add." }, "stranger"));
    const says = "commands need write access.";
    await expectEnding(world, result, {
      outcome: "refused",
      reason: "not-allowed",
      exit: 0,
      says,
      requests: 0,
    });
  });
});
