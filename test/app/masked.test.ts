import { describe, expect, it } from "vitest";
import { maskOf } from "../../src/base/masking.ts";
import { drawn } from "../gate/secrets/given-secrets.ts";
import { endOf, type LifeOptions, live } from "../kit/story/play.ts";
import { givenStage } from "../kit/story/stage.ts";
import { type Step, tellsStory } from "../kit/story/tale.ts";

const secret = drawn("sk-ant-api03-", 60);
const write = (path: string, text: string) => ({ name: "write", input: { path, text } });
const fix: Step = { calls: [write("b.txt", "fixed\n")] };
const done: Step = { text: "Fix b" };

function given(files: Readonly<Record<string, string>> = {}) {
  const stage = givenStage({ files });
  const next = (steps: readonly Step[], options: LifeOptions = {}) =>
    live(stage, {
      ...{ model: tellsStory([...steps, done]), orders: { setup: [] }, ...options },
      over: () => ({ mask: maskOf([secret]) }),
    });
  return { stage, next, comment: () => stage.github.comments[0]?.body ?? "" };
}

const said = "The model put a secret of this run into a call, which was therefore not run.";

describe("a secret of the run in a call of the model", () => {
  const steals: Step = { calls: [write("a.txt", `key = ${secret}\n`)] };

  it("is told to people once, and reaches no file", async () => {
    const { stage, next, comment } = given();
    expect(endOf(await next([steals, steals, fix]))).toBe("pull-request/opened");
    expect(comment().split(said)).toHaveLength(2);
    const files = [...stage.github.commits.values()].at(-1)?.entries;
    expect(JSON.stringify([...(files?.entries() ?? [])])).not.toContain("***");
  });

  it("is told by the run that goes on, too", async () => {
    const { next, comment } = given();
    const death = { at: "files.append", event: "gate.passed", when: "before" } as const;
    expect(endOf(await next([steals, fix], { death }))).toBe("died");
    expect(endOf(await next([steals, fix], { asks: "resume" }))).toBe("pull-request/opened");
    expect(comment().split(said)).toHaveLength(2);
  });

  it("is said of nothing where three stars are all that was written", async () => {
    const { next, comment } = given();
    expect(endOf(await next([{ calls: [write("b.txt", "***\n")] }, fix]))).toBe("pull-request/opened");
    expect(comment()).not.toContain(said);
  });
});

describe("a secret of the run that a file held on base", () => {
  const config = `name = demo\nkey = ${secret}\n`;

  it("is flagged where three stars took its place", async () => {
    const { stage, next } = given({ "app.conf": config });
    const steps: readonly Step[] = [fix, { calls: [write("app.conf", "name = other\nkey = ***\n")] }];
    expect(endOf(await next(steps))).toBe("pull-request/opened");
    const body = stage.github.pulls[0]?.body;
    expect(body).toContain("- <code>app.conf</code>: &#96;&#42;&#42;&#42;&#96; took the place of a secret");
  });

  it("is flagged neither where it was left, nor where it was taken out", async () => {
    for (const text of [`name = other\nkey = ${secret}\n`, "name = demo\n"]) {
      const { stage, next } = given({ "app.conf": config });
      expect(endOf(await next([fix, { calls: [write("app.conf", text)] }]))).toBe("pull-request/opened");
      expect(stage.github.pulls[0]?.body).not.toContain("took the place");
    }
  });

  it("keeps what stands beside it from being offered as a patch that would fit nowhere", async () => {
    const workflow = ".github/workflows/ci.yml";
    const { stage, next, comment } = given({ [workflow]: `on: push\nkey: ${secret}\n` });
    const steps: readonly Step[] = [{ calls: [write(workflow, "on: push\n")] }, done, done];
    expect(endOf(await next(steps))).toBe("gate-failed/protected");
    expect(stage.patches.stored).toEqual([]);
    expect(comment()).toContain("What was held back is not offered as a patch");
  });
});
