import { describe, expect, it } from "vitest";
import { endOf, type LifeOptions, live } from "../kit/story/play.ts";
import { eventsOf, givenStage } from "../kit/story/stage.ts";
import { type Step, tellsStory } from "../kit/story/tale.ts";

const write = (path: string) => ({ name: "write", input: { path, text: "fixed\n" } });
const done = (times: number) => Array<Step>(times).fill({ text: "It is done." });
const checks = [{ name: "second", run: "check second", minutes: 5, proof: true, dir: "", network: false }];

/** `second` is green as long as the fix is whole or not begun, so nothing here proves it. */
function given(config?: string) {
  const stage = givenStage(config === undefined ? {} : { config });
  const next = (steps: readonly Step[], options: LifeOptions = {}) =>
    live(stage, { model: tellsStory(steps), orders: { checks }, ...options });
  return { stage, next };
}

const fixed: readonly Step[] = [{ calls: [write("b.txt"), write("a.test.ts")] }, ...done(9)];

describe("a session whose check has to prove the fix", () => {
  it("opens a draft that says there is no proof, whatever the workflow says", async () => {
    const { stage, next } = given();
    expect(endOf(await next(fixed))).toBe("pull-request/opened");
    expect(stage.github.pulls).toMatchObject([{ draft: true }]);
    expect(stage.github.pulls[0]?.body).toContain(
      "- **No proof** by <code>second</code>: it passes with the tests of the change alone",
    );
  });

  it("runs the proof again after a run that died in it, and nothing on base", async () => {
    const { stage, next } = given();
    const death = { at: "files.append", event: "check.settled", nth: 3, when: "before" } as const;
    const died = await next(fixed, { death });
    expect([endOf(died), died.ran.filter((one) => one.startsWith("check"))]).toEqual([
      "died",
      Array(3).fill("check second"),
    ]);
    const resumed = await next(fixed, { asks: "resume" });
    expect(endOf(resumed)).toBe("pull-request/opened");
    const on = eventsOf(resumed).flatMap((event) => (event.type === "check.settled" ? [event.on] : []));
    expect(on).toEqual(["base", "change", "change", "proof"]);
    expect(stage.github.pulls[0]?.body).toContain("**No proof**");
  });

  it("goes back to the model where the configuration refuses that, and ends with how to go on", async () => {
    const { stage, next } = given("unproved: refuse\n");
    expect(endOf(await next(fixed))).toBe("gate-failed/checks");
    expect(stage.github.comments[0]?.body).toContain(
      "After 3 rounds the tests of the change do not prove it by: second. Nothing was published.",
    );
    expect(stage.github.comments[0]?.body).toContain("**No proof** by <code>second</code>");
  });
});
