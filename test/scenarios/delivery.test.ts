import { describe, expect, it } from "vitest";
import { say, use } from "../kit/model/script.ts";
import { givenWorld } from "../kit/world.ts";
import { askedOnPullRequest, commented, commentsOfOurs, expectEnding, fileAt, fixesSum } from "./given.ts";

const agentYml = ".github/agent.yml";
const opened = { outcome: "pull-request", reason: "opened", exit: 0 } as const;
const onIssue = { thread: 1, requests: 2, branches: [/^agent\/1-/] };
const one = { ...opened, ...onIssue, pulls: 1 };

describe("what GitHub does in the middle of a delivery", () => {
  it.each([
    // The first request for one is the look whether it may be opened.
    ["the pull request's answer is an error", { path: /\/pulls$/, status: 502, after: true, skip: 1 }],
    ["the pull request's answer is lost", { path: /\/pulls$/, network: "reset", after: true, skip: 1 }],
    // The first ref is the lease's.
    ["the branch's answer is lost", { path: /\/git\/refs$/, network: "reset", after: true, skip: 1 }],
    ["the branch's answer is an error", { path: /\/git\/refs$/, status: 500, after: true, skip: 1 }],
    ["a blob is not made at first", { path: /\/git\/blobs$/, status: 500, times: 2 }],
    ["the comment's answer is lost", { path: /\/issues\/1\/comments$/, network: "reset", after: true }],
  ] as const)("never makes a second of anything: %s", async (_, fault) => {
    await using world = await givenWorld({ script: fixesSum });
    world.github.fail({ method: "POST", ...fault });
    await expectEnding(world, await world.finish(world.asked()), one);
    expect(world.github.exchanges.filter(({ fault: struck }) => struck)).not.toEqual([]);
  });

  it("suspends while objects cannot be made, and the next run delivers what had passed", async () => {
    await using world = await givenWorld({ script: fixesSum });
    world.github.fail({ method: "POST", path: /\/git\/blobs$/, status: 500, times: 4 });
    await expectEnding(world, await world.finish(world.asked()), {
      ...{ ...onIssue, branches: [] },
      outcome: "suspended",
      reason: "unavailable",
      exit: 0,
      resumable: true,
      says: "The work passed and is kept, but the branch could not be written: Server Error. Resume when",
    });
    await expectEnding(world, await world.finish(commented(world.github, 1, "/agent resume")), one);
  });
});

describe("a repository whose settings forbid pull requests", () => {
  const says =
    'but GitHub refused the pull request: GitHub Actions is not permitted to create or approve pull requests. Open it by the link, or allow it under Settings, Actions, General, "Allow GitHub Actions to create and approve pull requests", and resume.';
  const notPermitted = {
    outcome: "suspended",
    reason: "not-permitted",
    exit: 0,
    resumable: true,
    says,
  } as const;

  it("keeps the branch, names the setting and gives the link that opens it", async () => {
    const settings = { actionsMayCreatePullRequests: false };
    await using world = await givenWorld({ script: fixesSum, settings });
    const result = await world.finish(world.asked());
    await expectEnding(world, result, { ...notPermitted, ...onIssue });
    const branch = result.outputs["branch"] ?? "";
    expect(fileAt(world, branch, "sum.mjs")).toContain("a + b");
    for (const text of [result.summary, commentsOfOurs(world, 1)[0]?.body])
      expect(text).toContain(`/octo/demo/compare/main...${branch}?expand=1&title=Add%20in%20sum&body=`);
  });

  it("gets the pull request by a resume once it permits it, without another check or request", async () => {
    await using world = await givenWorld({ script: fixesSum });
    const message = "GitHub Actions is not permitted to create or approve pull requests.";
    world.github.fail({ method: "POST", path: /\/pulls$/, status: 403, body: { message }, times: 2 });
    await expectEnding(world, await world.finish(world.asked()), { ...notPermitted, ...onIssue });
    const result = await world.finish(commented(world.github, 1, "/agent resume"));
    await expectEnding(world, result, one);
    expect(result.summary).toContain("| green | green |");
  });
});

describe("work that is asked for twice", () => {
  it("is done once: the comment's second delivery is ignored", async () => {
    await using world = await givenWorld({ script: fixesSum });
    const asked = world.asked();
    await expectEnding(world, await world.finish(asked), one);
    const again = { ...one, outcome: "ignored", reason: "done-before" } as const;
    await expectEnding(world, await world.finish(asked), { ...again });
  });

  it("goes on in the run's next attempt after it died with its machine", async () => {
    const reached = Promise.withResolvers<void>();
    const hold = { until: new Promise(() => {}), onReached: () => reached.resolve() };
    const [edit, done] = fixesSum;
    await using world = await givenWorld({
      script: [
        use("read", { path: "sum.mjs" }),
        say("never sent", { hold }),
        ...(edit && done ? [edit, done] : []),
      ],
      inputs: { "ship-seconds": "0" },
    });
    const asked = world.asked();
    const first = await world.job(asked);
    await reached.promise;
    await first.lose();
    world.github.completeRun(first.runId, "failure");
    const again = await world.job(asked, { again: first });
    const result = await again.done;
    await expectEnding(world, result, { ...one, requests: 4 });
    expect(result.log).toMatch(/s[0-9a-f]{12}: continued from record \d+ as generation 2/);
    expect(result.outputs["turns"]).toBe("3");
  });

  it("moves nothing on a pull request whose head moved in between", async () => {
    const move = { name: "" };
    await using world = await givenWorld({
      script: [
        ...fixesSum.slice(0, 1),
        () => {
          move.name = world.github.commit({
            files: { "more.txt": "more\n" },
            parent: "topic",
            branch: "topic",
          });
          return say("Add in sum");
        },
      ],
    });
    const asked = await askedOnPullRequest(world, { comment: "/agent fix" });
    await expectEnding(world, await world.finish(asked), {
      outcome: "suspended",
      reason: "moved",
      exit: 0,
      resumable: true,
      says: /the branch topic moved to [0-9a-f]{40}; the work is on ([0-9a-f]{40})\. Nothing was forced or merged\. .*give the command again.*bring topic back to \1 and resume/,
      thread: asked.issue,
      requests: 2,
      branches: ["topic"],
      pulls: 1,
    });
    expect(world.github.git("rev-parse", "topic").trim()).toBe(move.name);
  });
});

describe("what is delivered", () => {
  it("is a pull request ready for review where the workflow says so", async () => {
    await using world = await givenWorld({ script: fixesSum, inputs: { publish: "ready" } });
    await expectEnding(world, await world.finish(world.asked()), one);
    expect((await world.github.pulls())[0]?.draft).toBe(false);
  });

  it("comes from a private repository, fetched with the job's token", async () => {
    await using world = await givenWorld({ script: fixesSum, private: true });
    await expectEnding(world, await world.finish(world.asked()), one);
    const fetches = world.github.exchanges.filter(({ via }) => via === "git");
    expect(fetches.map(({ authorized, login }) => ({ authorized, login }))).toContainEqual({
      authorized: true,
      login: "github-actions[bot]",
    });
  });

  it("is without the files that setup left and git does not ignore, which the checks still find", async () => {
    const config =
      "setup: ['echo made > made.txt']\nchecks:\n  - { name: test, run: cat made.txt && node sum.test.mjs }\n";
    await using world = await givenWorld({ files: { [agentYml]: config }, script: fixesSum });
    const result = await world.finish(world.asked());
    await expectEnding(world, result, one);
    const paths = world.github.git("ls-tree", "-r", "--name-only", result.outputs["branch"] ?? "");
    expect(paths.trim().split("\n")).toEqual([agentYml, "sum.mjs", "sum.test.mjs"]);
  });
});
