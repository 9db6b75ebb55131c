import { describe, expect, it } from "vitest";
import { say, use } from "../kit/model/script.ts";
import { givenWorld } from "../kit/world.ts";
import { commented, commentsOfOurs, expectEnding, fileAt, marksOf, plain, toldIn } from "./given.ts";

const tests = `import assert from "node:assert";
import test from "node:test";
import { product, sum } from "./sum.mjs";

test("adds nothing", () => assert.equal(sum(2, 0), 2));
test("multiplies", () =>
  assert.equal(product(2, 3), 6));
`;
const config = "checks:\n  - { name: test, run: node --test }\n  - { name: there, run: test -s sum.mjs }\n";
const files = {
  "sum.mjs": "export const sum = (a, b) => a - b;\nexport const product = (a, b) => a + b;\n",
  "sum.test.mjs": tests,
  ".github/agent.yml": config,
  ".github/strict.yml": `${config}already-red: refuse\n`,
};
const edit = (from: string, to: string) => use("edit", { path: "sum.mjs", old: from, new: to });
const opened = { outcome: "pull-request", reason: "opened", exit: 0 } as const;

describe("a check that was red before", () => {
  it("ends the session where a test fails beside the old one, and passes once words have put that right", async () => {
    await using world = await givenWorld({
      files,
      script: [
        ...[use("shell", { command: "rm sum.test.mjs" }), say("No test is red any more")],
        ...[use("write", { path: "sum.test.mjs", content: tests }), edit("a - b", "a * b"), say("Multiply")],
        ...[say("It has to be so")],
        ...[edit("a * b", "a + b"), say("Add in sum")],
        ...[
          edit("a - b", "a + b"),
          say("Add in sum"),
          edit("product = (a, b) => a + b", "product = (a, b) => a * b"),
          say("Mend both"),
        ],
      ],
    });
    await expectEnding(world, await world.finish(world.asked()), {
      ...{ outcome: "gate-failed", reason: "checks", exit: 1, resumable: true, thread: 1, requests: 6 },
      says: "After 3 rounds these checks are still red: test. Nothing was published.",
    });
    // A check that exits 0 and has run nothing is not passed, whatever it was on base.
    expect(toldIn(world, 2)).toContain("exit code 0, but its test runner reports that no test has run");
    expect(toldIn(world, 5)).toMatch(/tests that fail only with your change\]\\nadds nothing\\n\[end/);
    const [red] = commentsOfOurs(world, 1);
    expect(plain(red?.body ?? "")).toContain(
      "Check test (node --test): exit code 1, and 1 test fails that did not without the change: adds nothing. Its last 20 of",
    );
    expect(red?.body).not.toContain("not held against it");
    expect(red?.body).toContain("To go on, comment <code>/agent</code> and what to do differently here");

    const words = commented(world.github, 1, "/agent add the two numbers");
    const branches = [/^agent\/1-/];
    const result = await world.finish(words);
    await expectEnding(world, result, { ...opened, thread: 1, requests: 8, branches, pulls: 1 });
    const [pull] = await world.github.pulls();
    const row = /<code>test<\/code> \| .* \| red \| red \| 1 passed, 1 failed → 1 passed, 1 failed \|/;
    const why =
      "Red without the change too, and not worse with it, so not held against it: <code>test</code>.";
    const texts = [pull?.body, commentsOfOurs(world, 1)[0]?.body, result.summary];
    for (const text of [...texts, world.github.checkRuns()[0]?.output.summary]) {
      expect(text).toMatch(row);
      expect(text).toContain(why);
    }
    expect(fileAt(world, pull?.head.ref ?? "", "sum.mjs")).toContain("sum = (a, b) => a + b");
    expect(world.github.checkRuns()).toMatchObject([{ head_sha: pull?.head.sha, conclusion: "neutral" }]);
    expect(marksOf(world)).toContainEqual(
      expect.objectContaining({ level: "failure", at: "sum.test.mjs:7" }),
    );

    const strict = world.asked();
    const refused = await world.finish(strict, { inputs: { config: ".github/strict.yml" } });
    await expectEnding(world, refused, {
      ...{ ...opened, thread: strict.issue, requests: 12, pulls: 2 },
      branches: [...branches, new RegExp(`^agent/${strict.issue}-`)],
    });
    expect(toldIn(world, 10)).toContain(
      "these are red as they were before, and the configuration does not let that pass",
    );
    expect(refused.summary).toMatch(/\| red \| green \| 1 passed, 1 failed → 2 passed \|/);
  });
});
