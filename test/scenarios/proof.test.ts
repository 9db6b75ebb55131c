import { describe, expect, it } from "vitest";
import { say, use } from "../kit/model/script.ts";
import { givenWorld } from "../kit/world.ts";
import { commentsOfOurs, expectEnding, plain } from "./given.ts";

const head =
  'import assert from "node:assert";\nimport test from "node:test";\nimport { sum } from "./sum.mjs";\n';
const files = {
  ".github/agent.yml": "checks:\n  - { name: test, run: node --test, proof: true }\n",
  "sum.test.mjs": `${head}test("adds nothing", () => assert.equal(sum(2, 0), 2));\n`,
};
const fix = use("edit", { path: "sum.mjs", old: "a - b", new: "a + b" });
const testing = (line: string) =>
  use("write", { path: "sum.test.mjs", content: `${files["sum.test.mjs"]}${line}\n` });
const shows = testing('test("adds", () => assert.equal(sum(2, 3), 5));');
const showsNothing = testing('test("adds nothing to three", () => assert.equal(sum(3, 0), 3));');

describe("a check that has to prove the fix", () => {
  it("says red to green where the new test fails without the fix, and opens a draft that says so where it does not", async () => {
    const script = [fix, shows, say("Add in sum"), fix, showsNothing, say("Add in sum")];
    await using world = await givenWorld({ files, script, inputs: { publish: "ready" } });
    const opened = { outcome: "pull-request", reason: "opened", exit: 0, thread: 1 } as const;
    const first = await world.finish(world.asked());
    await expectEnding(world, first, { ...opened, requests: 3, branches: [/^agent\/1-/], pulls: 1 });
    const second = world.asked();
    await world.finish(second);

    const [proved, unproved] = (await world.github.pulls()).toSorted(
      (one, other) => one.number - other.number,
    );
    const line =
      "Red to green by test: with the tests of the change alone it failed on base (1 of 2 tests, 0 without those tests), and it passes on this tree.";
    expect(plain(proved?.body ?? "").replaceAll("**", "")).toContain(line);
    expect(plain(commentsOfOurs(world, 1).at(-1)?.body ?? "").replaceAll("**", "")).toContain(line);
    expect(proved?.draft).toBe(false);
    const none = "No proof by test: it passes with the tests of the change alone, without the rest of it.";
    expect(plain(unproved?.body ?? "").replaceAll("**", "")).toContain(none);
    expect(plain(commentsOfOurs(world, second.issue).at(-1)?.body ?? "").replaceAll("**", "")).toContain(
      none,
    );
    expect(unproved?.draft).toBe(true);
  });
});
