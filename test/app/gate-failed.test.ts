import { describe, expect, it } from "vitest";
import { gateEnd, redRounds } from "../../src/app/gate-end.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { treeOf } from "../gate/given-gate.ts";
import { endOf, type LifeOptions, live } from "../kit/story/play.ts";
import { eventsOf, givenStage } from "../kit/story/stage.ts";
import { type Step, tellsStory } from "../kit/story/tale.ts";

const write = (path: string) => ({ name: "write", input: { path, text: "fixed\n" } });
const done = (times: number) => Array<Step>(times).fill({ text: "It is done." });
const half: readonly Step[] = [{ calls: [write("a.txt")] }, ...done(9)];
/** The same, and then the other half once it was told so many times that it is not done. */
const halfAndOther = (rounds: number): readonly Step[] => [
  { calls: [write("a.txt")] },
  ...done(rounds),
  { calls: [write("b.txt")] },
  { text: "Fix b too" },
];

function given(config?: string) {
  const stage = givenStage(config === undefined ? {} : { config });
  const next = (steps: readonly Step[], options: LifeOptions = {}) =>
    live(stage, { model: tellsStory(steps), ...options });
  const comment = () => stage.github.comments[0]?.body ?? "";
  return { stage, next, comment };
}

describe("a session whose checks stay red", () => {
  it("ends after three rounds with the check, its last lines and the words that go on with it", async () => {
    const { next, comment } = given();
    const ended = await next(half);
    expect(endOf(ended)).toBe("gate-failed/checks");
    expect(ended.end).toMatchObject({ exit: 1, resumable: true });
    expect(comment()).toContain(
      "After 3 rounds these checks are still red: second. Nothing was published. Everything up to the last finished call is kept.",
    );
    expect(comment()).toContain(
      "Check <code>second</code> (<code>check second</code>): exit code 1. Its output:\n\n```\nb is wrong\n```",
    );
    expect(comment()).toContain("To go on, comment <code>@baton</code> and what to do differently");
    expect(eventsOf(ended)).toContainEqual(
      expect.objectContaining({ type: "run.suspended", reason: "gate-failed" }),
    );
  });

  it("goes on with words, in the same session and with its rounds counted anew", async () => {
    const { stage, next, comment } = given();
    const first = await next(half);
    const again = await next(half, { says: "@baton look at b.txt" });
    expect(endOf(again)).toBe("gate-failed/checks");
    expect(comment()).toContain("After 3 rounds these checks are still red");
    const types = eventsOf(again).map(({ type }) => type);
    expect(types.filter((type) => type === "gate.failed")).toHaveLength(6);
    const last = await next(halfAndOther(6), { says: "@baton write it" });
    expect(endOf(last)).toBe("pull-request/opened");
    expect(last.end).toMatchObject({ session: first.end === "died" ? null : first.end.session });
    expect(stage.github.pulls).toHaveLength(1);
  });

  it("asks the model nothing without words, however often it is resumed", async () => {
    const { next } = given();
    await next(half);
    for (const _ of [1, 2]) {
      const resumed = await next(half, { asks: "resume" });
      expect([endOf(resumed), resumed.requests]).toEqual(["gate-failed/no-words", []]);
      expect(resumed.end).toMatchObject({ exit: 1, resumable: true });
      expect(resumed.end).toMatchObject({ detail: expect.stringContaining("what it is to do differently") });
    }
    expect(endOf(await next(halfAndOther(3), { says: "@baton write b.txt" }))).toBe("pull-request/opened");
  });

  it("asks the model nothing more where its run died before it had said so", async () => {
    const { next, comment } = given();
    const death = { at: "files.append", event: "run.suspended", when: "before" } as const;
    expect(endOf(await next(half, { death }))).toBe("died");
    const resumed = await next(half, { asks: "resume" });
    expect(endOf(resumed)).toBe("gate-failed/checks");
    expect(resumed.requests).toEqual([]);
    expect(comment()).toContain("After 3 rounds these checks are still red: second.");
  });

  it("says of protected paths that they are, and what to do", async () => {
    const { next, comment } = given();
    const touches = [{ calls: [write(".github/workflows/ci.yml")] }, ...half.slice(1)];
    expect(endOf(await next(touches))).toBe("gate-failed/protected");
    expect(comment()).toContain(
      "After 3 rounds the change still touches what is never published: .github/workflows/ci.yml. Nothing was published. Make that part of it yourself, or say how to do without it.",
    );
  });

  it("says of tampering that the configuration refuses it, and what to do", async () => {
    const { next, comment } = given("tamper: refuse\n");
    const touches = [{ calls: [write("vitest.config.ts")] }, ...half.slice(1)];
    expect(endOf(await next(touches))).toBe("gate-failed/tampering");
    expect(comment()).toMatch(
      /without the work being done: vitest\.config\.ts \(it configures \w[^()]*\)\. .*`tamper: refuse`/,
    );
  });

  it("says why each path was found, in bounds and on one line", () => {
    const found = Array.from({ length: 12 }, (_, at) => ({
      path: `${at}.test.ts`,
      kind: "test-skipped" as const,
    }));
    const suspicions = found.flatMap((one) =>
      [`a test is skipped: ${"x".repeat(500)}`, "two\nlines", "three", "four"].map((why) => ({
        ...one,
        why,
      })),
    );
    const { detail } = gateEnd(
      { kind: "failed", cause: "tampering", evidence: [], findings: [], paths: [], suspicions },
      3,
    );
    expect(detail).toMatch(
      /: 0\.test\.ts \(a test is skipped: x{130}…; two lines; three and 1 more\), 1\.test\.ts \(/,
    );
    expect(detail).toContain("three and 1 more) and 2 more. Nothing was published");
    expect(detail.length).toBeLessThan(4000);
  });
});

describe("the rounds of the gate", () => {
  const findings = { type: "inline", text: "" } as const;
  const red: SessionEvent = { type: "gate.failed", round: 1, tree: treeOf("a"), findings };
  const said: SessionEvent = { type: "input.accepted", id: "comment:1", by: "octo", text: findings };

  const asked: SessionEvent = { type: "reply.requested", turn: 2, attempt: 1, maxTokens: 1 };
  const run = { id: "2", attempt: 1, job: "agent" };
  const claimed: SessionEvent = { type: "run.claimed", gen: 2, run, head: null };

  it.each<[readonly SessionEvent[], number]>([
    [[], 0],
    [[said, red, asked, red], 2],
    [[said, red, asked, red, said], 0],
    [[said, red, asked, red, said, red], 1],
    [[said, red, claimed, red], 1],
  ])("count from the last words of a person, each piece of work once", (events, rounds) => {
    expect(redRounds(events)).toBe(rounds);
  });
});
