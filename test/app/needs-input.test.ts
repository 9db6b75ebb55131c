import { describe, expect, it } from "vitest";
import type { Means } from "../../src/app/means.ts";
import { answersTo } from "../../src/app/said.ts";
import { digestOf } from "../../src/base/hash.ts";
import { sessionIdOf } from "../../src/session/id.ts";
import { initialState, type State } from "../../src/session/state.ts";
import { identity } from "../kit/given.ts";
import type { Death } from "../kit/story/mortal.ts";
import { endOf } from "../kit/story/play.ts";
import { comment, eventsOf } from "../kit/story/stage.ts";
import { type Step, tellsStory } from "../kit/story/tale.ts";
import { approve, asking, asks, given, inputsIn, leasesOf, write, writing } from "./given-waiting.ts";

describe("a session that waits", () => {
  it("is told of in its status comment with a link, and is resumable", async () => {
    const { stage, next } = await given(asking);
    const first = await next();
    expect(first.end).toMatchObject({ kind: "needs-input", reason: "question", resumable: true, exit: 0 });
    const [status, question] = stage.github.comments;
    expect(status?.body).toContain("Baton stopped: **needs-input**.");
    expect(status?.body).toContain(`issuecomment-${question?.id})`);
    expect(eventsOf(first).at(-2)).toMatchObject({
      type: "run.suspended",
      reason: "question",
      detail: "Tabs or spaces?",
    });
  });

  it.each([
    ["a question", asking, undefined, "Tabs or spaces?"],
    ["an approval", writing, approve, "<code>@baton approve call&#95;1&#95;1</code>"],
  ])(
    "with %s says again what it waits for to who brings no answer, and is left as it is",
    async (_title, steps, config, says) => {
      const { stage, next } = await given(steps, config);
      await next();
      const before = leasesOf(stage);
      const again = await next({ asks: "resume" });
      expect(again.end).toMatchObject({ kind: "needs-input", resumable: true });
      expect([again.requests, again.ran, again.isOpen()]).toEqual([[], [], false]);
      expect(leasesOf(stage)).toEqual(before);
      expect(stage.github.comments.at(-1)?.body).toContain(says);
      expect(asks(stage)).toHaveLength(1);
      // The same command that began it, delivered again, is no answer either.
      expect(endOf(await next())).toBe(endOf(again));
    },
  );

  it.each([
    [
      "a call that nobody made",
      "@baton approve call_9_9",
      "nothing-to-approve",
      "these do: `call_1_1`, `call_1_2`",
    ],
    ["no call where two wait", "@baton approve", "several-wait", "`call_1_1`, `call_1_2`"],
    ["no call where two wait, to refuse it", "@baton deny", "several-wait", "`call_1_1`, `call_1_2`"],
  ])("is left as it is by a word on %s", async (_title, says, reason, detail) => {
    const { stage, next } = await given(writing, approve);
    await next();
    const before = leasesOf(stage);
    const refused = await next({ says });
    expect(refused.end).toMatchObject({ kind: "refused", reason, detail: expect.stringContaining(detail) });
    expect([refused.requests, refused.ran, refused.isOpen()]).toEqual([[], [], false]);
    expect(leasesOf(stage)).toEqual(before);
  });

  it("waits on for the other calls of a reply when one was allowed, and makes nothing ready for that", async () => {
    const { stage, next } = await given(writing, approve);
    await next();
    const first = await next({ says: "@baton approve call_1_2" });
    expect(endOf(first)).toBe("needs-input/approval");
    expect([first.ran, first.requests]).toEqual([[], []]);
    // The comment that asked for both stands for the one that is left.
    const [asked, ...more] = asks(stage);
    expect(more).toEqual([]);
    expect(stage.github.comments[0]?.body).toContain("The call write (call_1_1) waits for approval.");
    expect(stage.github.comments[0]?.body).toContain(`issuecomment-${asked?.id})`);
    const last = await next({ says: "@baton approve" });
    expect(endOf(last)).toBe("pull-request/opened");
    expect(last.ran.slice(0, 3)).toEqual(["setup", "write call_1_1", "write call_1_2"]);
  });

  it("for words refuses a verdict, and for a verdict takes words as a refusal", async () => {
    const question = await given(asking);
    await question.next();
    const verdict = await question.next({ says: "@baton approve" });
    expect(verdict.end).toMatchObject({
      reason: "nothing-to-approve",
      detail: expect.stringContaining("in words"),
    });

    const { next } = await given([writing[0] as Step, { text: "Fix nothing" }], approve);
    await next();
    const said = await next({ says: "@baton write to c.txt instead", by: "octo" });
    expect(endOf(said)).toBe("no-change/no-change");
    const verdicts = eventsOf(said).filter(({ type }) => type === "approval.denied");
    expect(verdicts).toEqual(
      ["call_1_1", "call_1_2"].map((id) => ({ type: "approval.denied", id, by: "octo" })),
    );
    const told = JSON.stringify(said.requests.at(-1)?.messages.at(-1));
    expect(told).toContain("octo denied it.");
    expect(told).toContain("write to c.txt instead");
  });

  it("takes a reason with a refusal, and none without", async () => {
    for (const [says, inputs] of [
      ["@baton deny call_1_1 not that file", [`comment:${comment}`, "comment:702"]],
      ["@baton deny call_1_1", [`comment:${comment}`]],
    ] as const) {
      const { next } = await given([writing[0] as Step, { text: "Fix nothing" }], approve);
      await next();
      const said = await next({ says });
      expect(inputsIn(said)).toEqual(inputs);
      const result = JSON.stringify(said.requests.at(-1)?.messages.at(-1));
      expect(result.includes("not that file")).toBe(inputs.length === 2);
      // Either way the comment is taken in, and a second delivery of it does nothing.
      expect(endOf(await next({ says, comment: 702 }))).toBe("ignored/taken");
    }
  });

  it("is answered by no stranger", async () => {
    const { next } = await given(writing, approve);
    await next();
    expect(endOf(await next({ says: "@baton approve call_1_1", by: "eve" }))).toBe("refused/not-allowed");
  });
});

it("Questions that are too long to be kept whole are not cut without a word", async () => {
  const questions = ["a", "b", "c"].map((letter) => {
    return { name: "ask", input: { question: letter.repeat(4000) } };
  });
  const { stage, next } = await given([{ calls: questions }]);
  expect(endOf(await next())).toBe("needs-input/question");
  expect(asks(stage)[0]?.body).toContain("c".repeat(4000));
  expect(endOf(await next({ asks: "resume" }))).toBe("needs-input/question");
  expect(stage.github.comments.at(-1)?.body).toMatch(/cc…\n/);
});

describe("a verdict", () => {
  const oneCall: readonly Step[] = [
    { calls: [write("a.txt")] },
    { calls: [write("b.txt")] },
    { text: "Fix a and b" },
  ];

  it("that is delivered again allows nothing that was asked for since", async () => {
    const { next } = await given(oneCall, approve);
    await next();
    const yes = { says: "@baton approve", comment: 900 };
    const second = await next(yes);
    expect(endOf(second)).toBe("needs-input/approval");
    expect(second.ran).toContain("write call_1_1");
    expect(endOf(await next(yes))).toBe("ignored/taken");
    const last = await next({ says: "@baton approve", comment: 901 });
    expect(endOf(last)).toBe("pull-request/opened");
    expect(endOf(await next({ says: "@baton approve", comment: 901 }))).toBe("ignored/taken");
  });

  it("without a call means none that was asked for after it was written", async () => {
    const { stage, next } = await given(oneCall, approve);
    stage.github.nextId = 1000;
    await next();
    expect(endOf(await next({ says: "@baton approve", comment: 900 }))).toBe("refused/nothing-to-approve");
    expect(endOf(await next({ says: "@baton approve", comment: 1100 }))).toBe("needs-input/approval");
  });

  it("without a call means none that no comment has asked for", async () => {
    const { next } = await given(oneCall, approve);
    expect(endOf(await next())).toBe("needs-input/approval");
    const locked = ({ host }: Means): Partial<Means> => ({
      host: {
        ...host,
        comment: {
          ...host.comment,
          create: async (number, body) =>
            body.includes(":approval:")
              ? { kind: "refused", code: "locked", why: "it is locked" }
              : host.comment.create(number, body),
        },
      },
    });
    const second = await next({ says: "@baton approve", comment: 900, over: locked });
    expect(endOf(second)).toBe("needs-input/approval");
    // Given twice by somebody who was asked about the first call only.
    const refused = await next({ says: "@baton approve", comment: 901 });
    expect([endOf(refused), refused.ran]).toEqual(["refused/id-missing", []]);
    expect(refused.end).toMatchObject({ detail: expect.stringContaining("`call_2_1`") });
    expect(endOf(await next({ says: "@baton approve call_2_1" }))).toBe("pull-request/opened");
  });

  it("by dispatch names its call, since the run may have waited while another call was asked for", () => {
    const session = sessionIdOf("a session");
    const [asked, later] = [{ id: "call_1" }, { id: "call_2" }].map(({ id }) => ({
      ...{ ...initialState, gen: 1, status: "suspended", reason: "approval" },
      identity: { ...identity({}), session },
      approvals: { [id]: { tool: "write", arguments: digestOf(id), status: "requested" } },
      effects: { [`${session}/approval/${id}`]: { status: "done", detail: "50", url: null } },
    })) as readonly State[];
    const verdict = (input: string, call: string | null, state = asked) =>
      state && answersTo(state, { kind: "approve", input, call }, { gen: 2, by: "octo" });
    expect(verdict("run:7", "call_1")).toMatchObject({ kind: "answers", events: [{ id: "call_1" }] });
    expect(verdict("run:7", "call_1", later)).toMatchObject({ code: "nothing-to-approve" });
    expect(verdict("run:7", null)).toMatchObject({ code: "id-missing" });
    expect(verdict("comment:51", null)).toMatchObject({ kind: "answers", events: [{ id: "call_1" }] });
    expect(verdict("comment:49", null)).toMatchObject({ code: "nothing-to-approve" });
  });

  it("is for the newest session of the thread, and its refusal says how an older one is answered", async () => {
    const { next } = await given(oneCall, approve);
    await next();
    const newer = { says: "@baton fix", comment: 800, model: tellsStory([{ text: "Nothing to do." }]) };
    const second = await next(newer);
    expect(endOf(second)).toBe("no-change/no-change");
    const said = await next({ says: "@baton approve call_1_1", comment: 900 });
    const newest = second.end === "died" ? "" : second.end.session;
    expect([endOf(said), said.ran]).toEqual(["refused/ended", []]);
    expect(said.end).toMatchObject({
      detail: expect.stringContaining(`the newest session of this thread, \`${newest}\`. To answer an older`),
    });
  });

  it("for a run that died says that it came to nothing, and the model asks again", async () => {
    const { next } = await given(oneCall, approve);
    await next();
    const death: Death = { at: "files.append", event: "approval.granted", when: "after" };
    expect(endOf(await next({ says: "@baton approve", comment: 900, death }))).toBe("died");
    const late = await next({ says: "@baton approve call_1_1", comment: 901 });
    expect(late.end).toMatchObject({
      reason: "nothing-to-approve",
      detail: expect.stringContaining("the run that it was for has died"),
    });
    const again = await next({ asks: "resume" });
    expect(endOf(again)).toBe("needs-input/approval");
    expect(again.ran).not.toContain("write call_1_1");
  });

  it("is refused on a thread without a session, and of one that has ended", async () => {
    const { next } = await given(oneCall);
    expect(endOf(await next({ says: "@baton approve" }))).toBe("refused/nothing-to-approve");
    expect(endOf(await next())).toBe("pull-request/opened");
    expect(endOf(await next({ says: "@baton approve call_1_1" }))).toBe("refused/ended");
  });
});
