import { describe, expect, it } from "vitest";
import { drawn } from "../gate/secrets/given-secrets.ts";
import { say, use } from "../kit/model/script.ts";
import { apiKey, givenWorld } from "../kit/world.ts";
import { commentsOfOurs, expectEnding, fixesSum, plain, toldIn, under } from "./given.ts";

const workflow = ".github/workflows/ci.yml";
const files = {
  ".github/agent.yml":
    "checks:\n  - { name: test, run: node sum.test.mjs }\nlimits: { files: 3, bytes: 4000 }\n",
};
const [fix = say("")] = fixesSum;
const write = (path: string, content: string) => use("write", { path, content });
const shell = (command: string) => use("shell", { command });
const again = say("It has to be so");
const token = drawn("ghp_", 36);

describe("what never leaves", () => {
  it("is left out of what is published, or ends the session with nothing published", async () => {
    const encoded = Buffer.from(`key=${apiKey}`).toString("base64");
    // A call that holds the key whole never runs.
    const inPieces = apiKey.match(/.{1,6}/g)?.join(" ") ?? "";
    await using world = await givenWorld({
      files,
      script: [
        ...[
          fix,
          write(workflow, "on: push\n"),
          shell("for i in 1 2 3 4; do echo $i > made-$i; done"),
          say("Add in sum"),
        ],
        ...[shell("rm -r .github/workflows"), say("Add in sum")],
        ...[shell("rm made-*"), say("Add in sum")],
        ...[fix, write("data.txt", `${"a line of data\n".repeat(300)}`), say("Add in sum"), again, again],
        ...[fix, shell(`printf %s key= ${inPieces} | base64 > keys.mjs`), say("Add in sum")],
        ...[write("keys.mjs", `export const key = "${token}";\n`), say("Add in sum"), again],
      ],
    });
    const branches = [/^agent\/1-/];
    const published = await world.finish(world.asked());
    await expectEnding(world, published, {
      ...{ outcome: "pull-request", reason: "opened", exit: 0, thread: 1, requests: 8, branches, pulls: 1 },
    });
    expect(toldIn(world, 4)).toContain(`${workflow}: workflow files are never changed by Baton`);
    expect(toldIn(world, 6)).toContain("5 files are changed, and 3 may be");
    const [pull] = await world.github.pulls();
    expect(under("Evidence", pull?.body)).toContain("| green | green | exit code only |");
    expect(under("Left out", pull?.body)).toContain(
      "a change of a workflow file; it stands as a patch in the summary",
    );
    expect(plain(commentsOfOurs(world, 1)[0]?.body ?? "")).toContain("What was held back stands as a patch");
    expect(published.summary).toContain(`+++ b/${workflow}\n@@ -0,0 +1 @@\n+on: push\n`);
    const paths = world.github.git("diff", "--name-only", "main", pull?.head.ref ?? "").trim();
    expect(paths).toBe("sum.mjs");

    const large = world.asked();
    await expectEnding(world, await world.finish(large), {
      ...{ outcome: "gate-failed", reason: "size", exit: 1, resumable: true, thread: large.issue },
      ...{ requests: 13, branches, pulls: 1 },
      says: "After 3 rounds the change is still larger than limits in the configuration allows. Nothing was published. Say how to do less at once, or raise what is over: data.txt",
    });
    expect(toldIn(world, 11)).toContain("and 4000 may be added; the most are in data.txt (4500)");

    const leaking = world.asked();
    const result = await world.finish(leaking);
    await expectEnding(world, result, {
      ...{ outcome: "gate-failed", reason: "credentials", exit: 1, resumable: true, thread: leaking.issue },
      ...{ requests: 19, branches, pulls: 1 },
      says: "After 3 rounds the change still holds what looks like a credential: keys.mjs. Nothing was published.",
    });
    expect(toldIn(world, 16)).toMatch(/keys\.mjs.{0,20}a secret of this run/);
    expect(toldIn(world, 18)).toContain("a GitHub token");
    const objects = world.github.git("cat-file", "--batch-all-objects", "--batch", "--buffer");
    const told = JSON.stringify(world.github.comments(leaking.issue));
    for (const text of [objects, told, result.rawLog, result.summary, JSON.stringify(result.outputs)])
      for (const secret of [token, encoded, encoded.slice(8, -8)]) expect(text).not.toContain(secret);
  });
});
