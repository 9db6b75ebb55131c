import { describe, expect, it } from "vitest";
import type { Means } from "../../src/app/means.ts";
import type { CommentHost, HostRefusal } from "../../src/delivery/host.ts";
import { endOf, live } from "../kit/story/play.ts";
import { givenStage } from "../kit/story/stage.ts";
import { tellsStory } from "../kit/story/tale.ts";

const lost: HostRefusal = { kind: "refused", code: "unavailable", why: "the connection broke" };
const locked: HostRefusal = { kind: "refused", code: "locked", why: "the issue is locked" };

/** A host that answers so to what is asked of its comments. */
const withComments =
  (change: (comments: CommentHost) => Partial<CommentHost>) =>
  ({ host }: Means): Partial<Means> => ({
    host: { ...host, comment: { ...host.comment, ...change(host.comment) } },
  });

const reportOf = ({ end }: Awaited<ReturnType<typeof live>>) => (end === "died" ? "" : end.report);

describe("the status comment of a run that GitHub did not answer", () => {
  it("is made at the run's end where it could not be made at its beginning, and only once", async () => {
    const stage = givenStage();
    let tries = 0;
    const later = withComments((comments) => ({
      create: async (...args) => {
        tries += 1;
        return tries > 2 ? comments.create(...args) : lost;
      },
    }));
    const run = await live(stage, { over: later });
    expect(endOf(run)).toBe("pull-request/opened");
    expect(stage.github.comments.map(({ body }) => /stopped: \*\*[a-z-]+/.exec(body)?.[0])).toEqual([
      "stopped: **pull-request",
    ]);
    expect(reportOf(run)).not.toContain("There is no status comment");
  });

  it.each([
    ["GitHub does not answer to the end of the run", lost],
    ["a lock forbids it", locked],
  ])("is said to be missing where %s", async (_, refusal) => {
    const stage = givenStage();
    const run = await live(stage, { over: withComments(() => ({ create: async () => refusal })) });
    expect(endOf(run)).toBe("pull-request/opened");
    expect(stage.github.comments).toEqual([]);
    expect(reportOf(run)).toContain(`There is no status comment: ${refusal.why}`);
  });

  it("is said to be out of date where its last edit was refused", async () => {
    const stage = givenStage();
    const run = await live(stage, { over: withComments(() => ({ update: async () => lost })) });
    expect(endOf(run)).toBe("pull-request/opened");
    expect(reportOf(run)).toContain("The status comment could not be edited");
  });
});

describe("a session that waits where GitHub took no comment", () => {
  const steps = [
    { calls: [{ name: "ask", input: { question: "Both?" } }] },
    { calls: [{ name: "write", input: { path: "b.txt", text: "fixed\n" } }] },
    { text: "Fix b" },
  ];

  it("is named on the thread by a resume, so that an answer there is for it", async () => {
    const stage = givenStage();
    const model = tellsStory(steps);
    const none = withComments(() => ({ create: async () => lost }));
    const first = await live(stage, { model, over: none });
    expect([endOf(first), stage.github.comments]).toEqual(["needs-input/question", []]);
    const again = await live(stage, { asks: "resume", model });
    expect(endOf(again)).toBe("needs-input/question");
    const told = () => stage.github.comments.filter(({ body }) => body.includes(":comment:"));
    expect(told().map(({ body }) => body)).toEqual([expect.stringContaining("Both?")]);
    await live(stage, { asks: "resume", model });
    expect(endOf(await live(stage, { says: "@baton Yes, both.", model }))).toBe("pull-request/opened");
    expect([told().length, stage.github.pulls.length]).toEqual([1, 1]);
  });
});

describe("a reply that GitHub does not take", () => {
  it("is said to stand in the summary only", async () => {
    const stage = givenStage();
    const over = withComments(() => ({ create: async () => lost }));
    const run = await live(stage, { says: "@baton help", over });
    expect(endOf(run)).toBe("answered/help");
    expect(run.end).toMatchObject({ detail: expect.stringContaining("could not be posted") });
    expect(reportOf(run)).toContain("have this issue fixed");
  });
});
