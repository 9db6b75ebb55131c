import { describe, expect, it } from "vitest";
import { maskOf } from "../../src/base/masking.ts";
import { drawn } from "../gate/secrets/given-secrets.ts";
import { endOf, type LifeOptions, live } from "../kit/story/play.ts";
import { eventsOf, givenStage } from "../kit/story/stage.ts";
import { type Step, tellsStory } from "../kit/story/tale.ts";

const write = (path: string, text: string) => ({ name: "write", input: { path, text } });
const works = (...calls: readonly ReturnType<typeof write>[]): Step => ({
  calls: [write("b.txt", "fixed\n"), ...calls],
});
const done: Step = { text: "Fix b" };
const workflow = ".github/workflows/ci.yml";
const token = drawn("ghp_", 36);

/** A session in which the model does these steps, and says each time that it is done. */
async function played(steps: readonly Step[], options: LifeOptions & Parameters<typeof givenStage>[0] = {}) {
  const stage = givenStage(options);
  const model = tellsStory(steps.flatMap((step) => ("calls" in step ? [step, done] : [step])));
  const run = await live(stage, { model, ...options, orders: { setup: [], ...options.orders } });
  if (run.end === "died") throw new Error("it died");
  const failed = eventsOf(run).flatMap((event) => (event.type === "gate.failed" ? [event] : []));
  const told = failed.map(({ findings }) => (findings.type === "inline" ? findings.text : "a blob"));
  return {
    stage,
    run,
    end: run.end,
    told,
    pull: stage.github.pulls[0]?.body ?? "",
    comment: stage.github.comments[0]?.body ?? "",
  };
}

describe("a change of a workflow file", () => {
  const base = { files: { [workflow]: "on: push\n" } };

  it("is never published, and is given to a person as a patch", async () => {
    const steps = [works(write(workflow, "on: [push, pull_request]\n")), done, done];
    const { stage, run, end, comment } = await played(steps, base);
    expect(endOf(run)).toBe("gate-failed/protected");
    expect(stage.github.branches.size).toBe(1);
    expect(end.report).toContain(
      "```diff\ndiff --git a/.github/workflows/ci.yml b/.github/workflows/ci.yml\n--- a/.github/workflows/ci.yml\n+++ b/.github/workflows/ci.yml\n-on: push\n+on: [push, pull_request]\n```",
    );
    expect(comment).toContain(
      "What was held back stands as a patch in the summary of the run and in the artifact",
    );
    expect(comment).not.toContain("```diff");
  });

  it("leaves the rest of the work to be published, which says what was left out", async () => {
    const steps = [works(write(workflow, "on: schedule\n")), { calls: [write(workflow, "on: push\n")] }];
    const { run, end, pull } = await played(steps, base);
    expect(endOf(run)).toBe("pull-request/opened");
    expect(pull).toContain("### Left out\n\n- What is never published by Baton was left out");
    expect(end.report).toContain("+on: schedule");
  });

  it("is offered to nobody where it holds a credential, which the model is told with the rest", async () => {
    const steps = [works(write(workflow, `on: push # ${token}\n`)), done, done];
    const { stage, run, end, told, comment } = await played(steps, base);
    expect(endOf(run)).toBe("gate-failed/protected");
    expect(told[0]).toContain(`${workflow}: workflow files are never changed by Baton`);
    expect(told[0]).toContain(`${workflow}, line 1: a GitHub token`);
    expect(stage.patches.stored).toEqual([]);
    expect(comment).toContain(
      "What was held back is not offered as a patch, because it holds what looks like",
    );
    expect(JSON.stringify([end, stage.github.comments, told])).not.toContain(token);
  });

  it("is offered as what the last round made of it, and only the part that is held back", async () => {
    const steps = [
      works(write(workflow, "on: schedule\n")),
      { calls: [write(workflow, "on: issues\n")] },
      { calls: [write(workflow, "on: push\n")] },
    ];
    const { stage, run, pull, comment } = await played(steps, base);
    expect(endOf(run)).toBe("pull-request/opened");
    const [stored, ...more] = stage.patches.stored;
    expect(more).toEqual([]);
    expect(Buffer.from(stored?.patch ?? "").toString()).toBe(
      `diff --git a/${workflow} b/${workflow}\n--- a/${workflow}\n+++ b/${workflow}\n-on: push\n+on: issues\n`,
    );
    expect(pull).not.toContain("on: issues");
    expect(comment).toContain(`gh run download 101 --repo o/r --name ${stored?.name}`);
    expect(run.end).toMatchObject({ patch: { name: stored?.name } });
  });

  it("is no other change of an earlier round where the last one held a credential", async () => {
    const steps = [
      works(write(workflow, "on: schedule\n")),
      { calls: [write(workflow, `on: push # ${token}\n`)] },
      done,
    ];
    const { stage, run, comment } = await played(steps, base);
    expect(endOf(run)).toBe("gate-failed/protected");
    expect(stage.patches.stored).toEqual([]);
    expect(comment).toContain("What was held back is not offered as a patch");
  });

  it.each([
    ["is not offered once somebody has said to do without, and is said not to be", [], 0],
    ["is offered where it was tried again after somebody's words", ["on: issues\n", "on: push\n"], 1],
  ])("%s", async (_title, contents, patches) => {
    const steps = [works(write(workflow, "on: schedule\n")), done, done];
    const { stage, run } = await played(steps, base);
    expect(endOf(run)).toBe("gate-failed/protected");
    stage.patches.stored.length = 0;
    const rounds = contents.length === 0 ? ["on: push\n"] : contents;
    const after = rounds.flatMap((text) => [{ calls: [write(workflow, text)] }, done]);
    const model = tellsStory([works(write(workflow, "on: schedule\n")), done, done, done, ...after]);
    const more = await live(stage, { says: "@baton leave the workflow", model, orders: { setup: [] } });
    expect(endOf(more)).toBe("pull-request/opened");
    expect(stage.patches.stored).toHaveLength(patches);
    const left = "What was held back before the last words to this session is not offered as a patch.";
    const comment = stage.github.comments.map(({ body }) => body).join("\n");
    expect(comment.includes(left)).toBe(patches === 0);
    expect(stage.github.pulls[0]?.body.includes("### Left out")).toBe(patches > 0);
  });

  it("stands in the session apart from what the model is told", async () => {
    const { run, told } = await played([works(write(workflow, "on: schedule\n")), done, done], base);
    const kept = eventsOf(run).flatMap((event) => (event.type === "gate.failed" ? [event.patch] : []));
    expect(kept).toEqual(Array.from({ length: 3 }, () => expect.objectContaining({ type: "blob" })));
    expect(told[0]).not.toContain("on: schedule");
  });
});

describe("a change that holds a credential", () => {
  it("goes back to the model with path, line and kind, and is published without it", async () => {
    const steps = [
      works(write("config.ts", `\nconst t = "${token}";\n`)),
      { calls: [write("config.ts", "const t = env;\n")] },
    ];
    const { run, told, stage } = await played(steps);
    expect(endOf(run)).toBe("pull-request/opened");
    expect(told).toHaveLength(1);
    expect(told[0]).toContain("- config.ts, line 2: a GitHub token");
    expect(told[0]).not.toContain(token);
    expect([...stage.github.branches.keys()]).toHaveLength(2);
  });

  it("is never published, and the run says where it stands and not what it is", async () => {
    const { run, comment, end, stage } = await played([works(write("c.ts", token)), done, done]);
    expect(endOf(run)).toBe("gate-failed/credentials");
    expect(comment).toContain("the change still holds what looks like a credential: c.ts.");
    expect(comment + end.report).not.toContain(token);
    expect(stage.github.branches.size).toBe(1);
  });

  it("is held back where it is the run's own, and encoded", async () => {
    const own = "a secret of this run only";
    const hidden = Buffer.from(`x${own}`).toString("base64");
    const steps = [works(write("c.ts", hidden)), done, done];
    const { run, told } = await played(steps, { over: () => ({ mask: maskOf([own]) }) });
    expect(endOf(run)).toBe("gate-failed/credentials");
    expect(told[0]).toContain("- c.ts, line 1: a secret of this run");
  });

  it("may have been there before", async () => {
    const { run } = await played([works(write("c.ts", `${token}\nmore\n`))], {
      files: { "c.ts": `${token}\n` },
    });
    expect(endOf(run)).toBe("pull-request/opened");
  });
});

describe("a change that is larger than its limits", () => {
  const config = "checks: [{ run: a }]\nlimits: { files: 2, file-bytes: 40 }\n";

  it("goes back to the model with what is over, and is published when it is not any more", async () => {
    const steps = [works(write("c.txt", "c".repeat(41))), { calls: [write("c.txt", "c")] }];
    const { run, told } = await played(steps, { config });
    expect(endOf(run)).toBe("pull-request/opened");
    expect(told[0]).toContain("- c.txt has 41 bytes, and a new file may have 40");
  });

  it("is never published", async () => {
    const steps = [works(write("c.txt", "c"), write("d.txt", "d")), done, done];
    const { run, comment } = await played(steps, { config });
    expect(endOf(run)).toBe("gate-failed/size");
    expect(comment).toContain("the change is still larger than");
  });
});

describe("a change of what is installed", () => {
  it("stands in the pull request with each package", async () => {
    const manifest = JSON.stringify({ dependencies: { "left-pad": "^1.3.0" } });
    const { run, pull } = await played([works(write("package.json", manifest))], { orders: { setup: [] } });
    expect(endOf(run)).toBe("pull-request/opened");
    expect(pull).toContain("### Dependencies");
    expect(pull).toContain("- <code>left-pad</code>: added, ^1.3.0");
  });
});
