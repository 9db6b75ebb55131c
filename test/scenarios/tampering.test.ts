import { describe, expect, it } from "vitest";
import { say, use } from "../kit/model/script.ts";
import { givenWorld } from "../kit/world.ts";
import { expectEnding, marksOf, toldIn, under } from "./given.ts";

const tests = `import assert from "node:assert";
import test from "node:test";
import { sum } from "./sum.mjs";

test("adds nothing", () => assert.equal(sum(2, 0), 2));
test("adds nothing to nothing", () => assert.equal(sum(0, 0), 0));
`;
const manifest = (script: string, dependencies: object) =>
  `${JSON.stringify({ name: "demo", scripts: { test: script }, dependencies }, null, 2)}\n`;
const config = "checks:\n  - { name: test, run: npm test }\nprotected: ['docs/**']\n";
const files = {
  "package.json": manifest("node --test", {}),
  "sum.test.mjs": tests,
  "docs/rules.md": "# Rules\n\nBe kind.\n",
  ".github/agent.yml": config,
  ".github/strict.yml": `${config}tamper: refuse\n`,
};
const fix = use("edit", { path: "sum.mjs", old: "a - b", new: "a + b" });
const weaken = use("edit", {
  path: "sum.test.mjs",
  old: 'test("adds nothing",',
  new: 'test.skip("adds nothing",',
});

describe("a change that weakens its checks", () => {
  it("is published with a word and a mark for each place, or goes back and ends with nothing published", async () => {
    const script = manifest("node --test --test-timeout=1", { "left-pad": "1.3.0" });
    await using world = await givenWorld({
      files,
      script: [
        ...[fix, weaken, use("write", { path: "package.json", content: script })],
        ...[use("edit", { path: "docs/rules.md", old: "kind", new: "quick" }), say("Add in sum")],
        ...[fix, weaken, say("Add in sum"), say("It has to be so"), say("It has to be so")],
      ],
    });
    const branches = [/^agent\/1-/];
    await expectEnding(world, await world.finish(world.asked()), {
      ...{ outcome: "pull-request", reason: "opened", exit: 0, thread: 1, requests: 5, branches, pulls: 1 },
    });
    const [pull] = await world.github.pulls();
    expect(under("Look at these closely", pull?.body)).toBe(
      [
        "- docs/rules.md: it is protected by the configuration",
        "- sum.test.mjs: a test is skipped, or ends before it has looked at anything",
        '- package.json: a check runs its script "test", which was node --test and is node --test --test-timeout=1 now',
        "- package.json: it decides what is installed",
      ].join("\n"),
    );
    expect(under("Dependencies", pull?.body)).toContain("- left-pad: added, 1.3.0");
    expect(under("Evidence", pull?.body)).toContain(
      "Fewer tests than on base, look closely: test: its runner reported 2 tests on base and 1 on this tree.",
    );
    const [run, ...others] = world.github.checkRuns();
    expect(others).toEqual([]);
    expect(run?.head_sha).toBe(pull?.head.sha);
    expect(under("Look at these closely", run?.output.summary)).toContain("sum.test.mjs: a test is skipped");
    expect(marksOf(world).map(({ level, at }) => `${level} ${at}`)).toEqual([
      "warning docs/rules.md:3",
      "warning sum.test.mjs:5",
      "warning package.json:4",
      "notice package.json:4",
    ]);

    const strict = { inputs: { config: ".github/strict.yml" } };
    const refused = world.asked();
    await expectEnding(world, await world.finish(refused, strict), {
      ...{ outcome: "gate-failed", reason: "tampering", exit: 1, resumable: true, thread: refused.issue },
      ...{ requests: 10, branches, pulls: 1 },
      says: "After 3 rounds the change still touches what could make the checks pass without the work being done: sum.test.mjs (a test is skipped, or ends before it has looked at anything). Nothing was published, because the configuration says tamper: refuse.",
    });
    expect(toldIn(world, 8)).toContain("sum.test.mjs: a test is skipped");
    expect(world.github.checkRuns()).toHaveLength(1);
  });
});
