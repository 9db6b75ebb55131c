import { describe, expect, it } from "vitest";
import { say } from "../kit/model/script.ts";
import { givenWorld } from "../kit/world.ts";
import { askedOnPullRequest, commented, expectEnding, fileAt, fixesSum } from "./given.ts";

const [fix = say(""), done = say("")] = fixesSum;
const suspended = { outcome: "suspended", exit: 0, resumable: true } as const;

describe("what people do while a run works", () => {
  it("is never undone: neither a commit on our branch nor the end of a pull request", async () => {
    await using world = await givenWorld({ script: [fix, done] });
    const { github } = world;
    let theirs = "";
    // Right after the branch was made, and before anything else is asked of it.
    github.meanwhile(/^POST .*\/git\/blobs$/, () => {
      github.meanwhile(/^POST .*\/git\/refs$/, () => {
        github.meanwhile(/^GET .*\/git\/ref\/heads/, () => {
          const [branch = ""] = github.branches().filter((name) => name.startsWith("agent/"));
          theirs = github.commit({ files: { "sum.mjs": "not looked at\n" }, parent: branch, branch });
        });
      });
    });
    const result = await world.finish(world.asked());
    await expectEnding(world, result, {
      ...{ ...suspended, reason: "moved", thread: 1, requests: 2, branches: [/^agent\/1-/] },
      says: /was written as ([0-9a-f]{40}) and is at [0-9a-f]{40} now, which the checks have not seen\. Nothing was forced or merged\. .* bring agent\/1-s[0-9a-f]+ back to \1 and resume\./,
    });
    const [branch = ""] = github.branches().filter((name) => name.startsWith("agent/"));
    expect(github.git("rev-parse", branch).trim()).toBe(theirs);
    expect(fileAt(world, branch, "sum.mjs")).toContain("not looked at");
    const head = result.outputs["head-sha"] ?? "";
    expect(github.checkRuns()).toMatchObject([{ head_sha: head }]);
    // As it was told: what the checks passed opens, and nothing is run or pushed again.
    github.git("update-ref", `refs/heads/${branch}`, head);
    await expectEnding(world, await world.finish(commented(github, 1, "/agent resume")), {
      ...{ outcome: "pull-request", reason: "opened", exit: 0, thread: 1, requests: 2 },
      ...{ branches: [branch], pulls: 1 },
    });

    const asked = await askedOnPullRequest(world, { comment: "/agent fix" });
    world.model.script.push(fix, () => {
      github.closeIssue(asked.issue);
      return done;
    });
    await expectEnding(world, await world.finish(asked), {
      ...{ ...suspended, reason: "gone", thread: asked.issue, requests: 4, pulls: 2 },
      branches: [branch, "topic"],
      says: `pull request #${asked.issue} was closed or merged meanwhile; reopen it to go on with it`,
    });
    expect(github.git("rev-parse", "topic").trim()).toBe(asked.head);
    expect(github.checkRuns()).toHaveLength(1);
  });
});
