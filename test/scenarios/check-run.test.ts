import { describe, expect, it } from "vitest";
import { canSandbox, givenWorld } from "../kit/world.ts";
import { expectEnding, fixesSum } from "./given.ts";

const lint = "echo 'sum.mjs:1:1: not how we write it'; exit 1";
const checks = `checks:\n  - { name: test, run: node sum.test.mjs }\n  - { name: lint, run: "${lint}" }\n`;
const files = { ".github/agent.yml": checks };
const published = {
  outcome: "pull-request",
  reason: "opened",
  exit: 0,
  thread: 1,
  requests: 2,
  branches: [/^agent\/1-/],
  pulls: 1,
} as const;

describe(`a run ${canSandbox ? "" : "(without the sandbox's promises) "}that pushes a commit`, () => {
  it("puts one check run with the evidence on it, and a mark at the line that a red check names", async () => {
    await using world = await givenWorld({ files, script: fixesSum });
    const result = await world.finish(world.asked());
    await expectEnding(world, result, published);
    const [pull] = await world.github.pulls();
    const runs = world.github.checkRuns();
    expect(runs).toMatchObject([
      { head_sha: pull?.head.sha, name: "Baton", conclusion: "neutral", output: { annotations_count: 1 } },
    ]);
    expect(runs[0]?.external_id).toBe(`${result.outputs["session-id"]}/check-run`);
    expect(runs[0]?.output.summary).toMatch(/<code>lint<\/code>.*\| red \| red \|/);
    expect(result.summary).not.toContain("check run");
  });

  it("says once in the summary that its token may make none, and publishes all the same", async () => {
    await using world = await givenWorld({ script: fixesSum, settings: { job: { checks: "none" } } });
    const result = await world.finish(world.asked());
    await expectEnding(world, result, published);
    expect(world.github.checkRuns()).toEqual([]);
    expect(result.summary.match(/checks: write/g)).toHaveLength(1);
  });
});
