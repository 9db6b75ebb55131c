import { describe, expect, it } from "vitest";
import { parseYaml } from "../../src/adapters/yaml/parse.ts";
import { readConfig } from "../../src/gate/config.ts";
import { failWith, say, use } from "../kit/model/script.ts";
import { canSandbox, givenWorld } from "../kit/world.ts";
import { commentsOfOurs, expectEnding, fileAt, fixesSum } from "./given.ts";

const agentYml = ".github/agent.yml";
const twoChecks = "checks:\n  - { name: test, run: node sum.test.mjs }\n  - { name: lint, run: 'false' }\n";

describe(`a run ${canSandbox ? "" : "(without the sandbox's promises) "}on an issue`, () => {
  it("opens one draft pull request from the tree that the checks passed on", async () => {
    await using world = await givenWorld({ script: fixesSum });
    const result = await world.finish(world.asked());
    await expectEnding(world, result, {
      outcome: "pull-request",
      reason: "opened",
      exit: 0,
      says: "Pull request #2 is open from agent/1-",
      thread: 1,
      requests: 2,
      branches: [/^agent\/1-s[0-9a-f]{12}$/],
      pulls: 1,
    });
    const [pull] = await world.github.pulls();
    expect(pull).toMatchObject({ draft: true, title: "Add in sum", base: { ref: "main" } });
    expect(pull?.body).toContain("Closes #1");
    expect(pull?.body).toContain("| green | green |");
    expect(fileAt(world, pull?.head.ref ?? "", "sum.mjs")).toContain("a + b");
    expect(result.outputs).toMatchObject({ "pull-request-number": "2", branch: pull?.head.ref, turns: "2" });
    expect(result.outputs["head-sha"]).toBe(pull?.head.sha);
    expect(world.github.refs("refs/agent/")).toEqual([]);
    expect(world.github.reactions()).toMatchObject([{ on: "comment", content: "eyes" }]);
  });

  it("says plainly that there is nothing to publish", async () => {
    await using world = await givenWorld({ script: [say("It is right as it is.")] });
    await expectEnding(world, await world.finish(world.asked()), {
      outcome: "no-change",
      reason: "no-change",
      exit: 0,
      says: /no file was changed, so there is nothing to publish\. The model says:\s+It is right as it is\./,
      thread: 1,
      requests: 1,
    });
  });

  it("suspends at the end of its budget and names the input that raises it", async () => {
    await using world = await givenWorld({
      script: [use("read", { path: "sum.mjs" })],
      inputs: { "max-turns": "1" },
    });
    const result = await world.finish(world.asked());
    await expectEnding(world, result, {
      outcome: "suspended",
      reason: "turns",
      exit: 0,
      resumable: true,
      says: "The budget of turns is used up. Raise the input max-turns of the workflow, then go on.",
      thread: 1,
      requests: 1,
    });
    expect(result.annotations).toMatchObject([{ level: "warning" }]);
    expect(result.summary).toContain(`/agent resume ${result.outputs["session-id"]}`);
  });

  it.each([
    [401, "authentication_error", "the API key is not accepted"],
    [403, "billing_error", "HTTP 403"],
  ])("suspends at once when the provider refuses for good with %s %s", async (status, type, says) => {
    await using world = await givenWorld({ script: [failWith(status, type, "no")] });
    await expectEnding(world, await world.finish(world.asked()), {
      outcome: "suspended",
      reason: "provider",
      exit: 0,
      resumable: true,
      says: new RegExp(`${says}.* Resume when that is put right\\.`),
      thread: 1,
      requests: 1,
    });
  });

  it("suspends when the provider stays overloaded, and says after what time to go on", async () => {
    const overloaded = failWith(529, "overloaded_error", "Overloaded", { "retry-after": "0" });
    await using world = await givenWorld({ script: Array(6).fill(overloaded) });
    await expectEnding(world, await world.finish(world.asked()), {
      outcome: "suspended",
      reason: "provider",
      exit: 0,
      resumable: true,
      says: /6 requests failed, the last one: the provider is overloaded .* Resume after 20\d\d-/,
      thread: 1,
      requests: 6,
    });
  });

  it("publishes nothing while the checks stay red, and ends after three rounds", async () => {
    const worse = use("edit", { path: "sum.mjs", old: "a - b", new: "a - b - 1" });
    await using world = await givenWorld({ script: [worse, say("one"), say("two"), say("three")] });
    const result = await world.finish(world.asked());
    await expectEnding(world, result, {
      outcome: "gate-failed",
      reason: "checks",
      exit: 1,
      resumable: true,
      says: "After 3 rounds these checks are still red: test. Nothing was published.",
      thread: 1,
      requests: 4,
    });
    expect(result.summary).toContain("| green | red |");
  });

  it("gives what a red gate found to the model as a user message, and publishes what passes then", async () => {
    const half = use("edit", { path: "sum.mjs", old: "a - b", new: "a * b" });
    const whole = use("edit", { path: "sum.mjs", old: "a * b", new: "a + b" });
    await using world = await givenWorld({ script: [half, say("Multiply"), whole, say("Add in sum")] });
    await expectEnding(world, await world.finish(world.asked()), {
      outcome: "pull-request",
      reason: "opened",
      exit: 0,
      thread: 1,
      requests: 4,
      branches: [/^agent\/1-/],
      pulls: 1,
    });
    const told = world.model.requests[2]?.body.messages.at(-1);
    expect(told?.role).toBe("user");
    expect(JSON.stringify(told)).toContain("node sum.test.mjs");
    expect(JSON.stringify(told)).toContain("AssertionError");
  });

  it("shows a check that is red on the base and does not hold it against the change", async () => {
    await using world = await givenWorld({ files: { [agentYml]: twoChecks }, script: fixesSum });
    const result = await world.finish(world.asked());
    await expectEnding(world, result, {
      outcome: "pull-request",
      reason: "opened",
      exit: 0,
      thread: 1,
      requests: 2,
      branches: [/^agent\/1-/],
      pulls: 1,
    });
    const row = /<code>lint<\/code>.*\| red \| red \|/;
    expect(result.summary).toMatch(row);
    expect(commentsOfOurs(world, 1)[0]?.body).toMatch(row);
    expect((await world.github.pulls())[0]?.body).toMatch(row);
  });

  it("refuses a change of workflow files back to the model", async () => {
    const workflow = use("write", { path: ".github/workflows/ci.yml", content: "on: push\n" });
    const undo = use("shell", { command: "rm -r .github/workflows" });
    await using world = await givenWorld({ script: [workflow, say("Add CI"), undo, ...fixesSum] });
    await expectEnding(world, await world.finish(world.asked()), {
      outcome: "pull-request",
      reason: "opened",
      exit: 0,
      thread: 1,
      requests: 5,
      branches: [/^agent\/1-/],
      pulls: 1,
    });
    const told = JSON.stringify(world.model.requests[2]?.body.messages.at(-1));
    expect(told).toContain(".github/workflows/ci.yml: workflow files are never changed by Baton");
    const [pull] = await world.github.pulls();
    expect(world.github.git("ls-tree", "-r", "--name-only", pull?.head.ref ?? "")).not.toContain("workflows");
  });

  it("refuses to work without declared checks and gives a whole file that it accepts itself", async () => {
    const manifest = '{ "scripts": { "test": "node sum.test.mjs", "lint": "true" } }\n';
    await using world = await givenWorld({ files: { [agentYml]: null, "package.json": manifest } });
    await expectEnding(world, await world.finish(world.asked()), {
      outcome: "refused",
      reason: "no-checks",
      exit: 1,
      says: ".github/agent.yml declares no checks at ",
      thread: 1,
      requests: 0,
    });
    const [reply] = commentsOfOurs(world, 1);
    const guess = /```yaml\n([\s\S]*?)\n```/.exec(reply?.body ?? "")?.[1] ?? "";
    const parsed = parseYaml(Buffer.from(`${guess}\n`), agentYml);
    const read = parsed.kind === "parsed" ? readConfig(parsed, agentYml) : parsed;
    expect(read).toMatchObject({
      config: { checks: [{ run: "npm test" }, { run: "npm run lint" }] },
    });
  });

  it("tells a cancel on the thread, whether or not it had come to its comment", async () => {
    const reached = Promise.withResolvers<void>();
    const hold = { until: new Promise(() => {}), onReached: () => reached.resolve() };
    await using world = await givenWorld({ script: [say("never sent", { hold })] });
    const job = await world.job(world.asked());
    await reached.promise;
    await job.cancel();
    await expectEnding(world, await job.done, {
      outcome: "suspended",
      reason: "cancelled",
      exit: 0,
      resumable: true,
      says: "The run was cancelled. Everything up to the last finished call is kept.",
      thread: 1,
      requests: 1,
    });
  });

  it("tells a fault of its own in every place, and keeps the work", async () => {
    await using world = await givenWorld({ script: fixesSum });
    const other = "5ca1ab1e".repeat(5);
    const body = { sha: other, url: "https://api.github.com/x", truncated: false, tree: [] };
    // The first tree is the lease's.
    world.github.fail({ method: "POST", path: /\/git\/trees$/, status: 201, skip: 1, body });
    await expectEnding(world, await world.finish(world.asked()), {
      outcome: "failed",
      reason: "internal",
      exit: 1,
      resumable: true,
      says: `GitHub made the tree ${other} where`,
      thread: 1,
      requests: 2,
    });
  });
});
