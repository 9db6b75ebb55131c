import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../src/session/event.ts";
import type { Death } from "../kit/story/mortal.ts";
import { endOf, type LifeOptions, live, type Played } from "../kit/story/play.ts";
import { comment, eventsOf, givenStage, type Stage } from "../kit/story/stage.ts";
import { type Step, tellsStory } from "../kit/story/tale.ts";

const ask = (question: string) => ({ name: "ask", input: { question } });
const write = (path: string) => ({ name: "write", input: { path, text: "fixed\n" } });
const approve = "approve: [write]\n";
const asking: readonly Step[] = [
  { calls: [ask("Tabs or spaces?")] },
  { calls: [write("a.txt"), write("b.txt")] },
  { text: "Fix a and b" },
];
const writing: readonly Step[] = [{ calls: [write("a.txt"), write("b.txt")] }, { text: "Fix a and b" }];

/** Comments of ours that ask people, oldest first. */
const asks = ({ github }: Stage) =>
  github.comments.filter(({ body }) => /:(?:question|approval):/.test(body));
const inputsIn = (life: Played) =>
  eventsOf(life).flatMap((event) => (event.type === "input.accepted" ? [event.id] : []));
const leasesOf = ({ leases }: Stage) => structuredClone(leases.leases);

async function given(steps: readonly Step[], config?: string) {
  const stage = givenStage(config === undefined ? {} : { config });
  const next = (options: LifeOptions = {}) => live(stage, { model: tellsStory(steps), ...options });
  return { stage, next };
}

/** Lives one life after another, the first with this death, answering whatever is asked, until it is published. */
async function driven(
  { stage, next }: Awaited<ReturnType<typeof given>>,
  { death, machine }: Pick<LifeOptions, "death" | "machine">,
): Promise<readonly Played[]> {
  const lives: Played[] = [];
  const live = async (options: LifeOptions): Promise<Played> => {
    const played = await next({
      ...options,
      ...(lives.length === at ? { death, machine } : {}),
    } as LifeOptions);
    lives.push(played);
    return played;
  };
  const at = stage.processes.length;
  let last = await live({});
  for (let turn = 0; turn < 12; turn += 1) {
    const end = endOf(last);
    if (end === "pull-request/opened") return lives;
    if (end === "needs-input/question") last = await live({ says: "@baton use tabs" });
    else if (end === "needs-input/approval") last = await live({ says: "@baton approve" });
    else if (end === "died") last = await live({ asks: "resume" });
    else if (end === "refused/not-found") last = await live({});
    else if (end === "refused/several-wait") {
      const [, id] = /`(call_\w+)`/.exec(last.end === "died" ? "" : last.end.detail) ?? [];
      last = await live({ says: `@baton approve ${id}` });
    } else throw new Error(`nobody knows how to go on from ${end}: ${JSON.stringify(last.end)}`);
  }
  throw new Error("it never came to an end");
}

const at = (event: SessionEvent["type"], of: string, when: Death["when"]): Death => {
  return { at: "files.append", event, of, when };
};
const whens = ["before", "torn", "after"] as const;
const deaths: readonly Death[] = [
  ...whens.map((when) => at("effect.intended", "/CALL", when)),
  { at: "host.comment.create", nth: 2, when: "before" },
  { at: "host.comment.create", nth: 2, when: "after" },
  ...whens.map((when) => at("effect.settled", "/CALL", when)),
  ...whens.map((when) => at("run.suspended", "reason", when)),
];
const titleOf = ({ at, event, when }: Death) => `${when} ${event ?? at}`;

describe.each(["survives", "lost"] as const)(
  "a run that asks people and dies, whose machine %s,",
  (machine) => {
    it.each(deaths.map((death) => [titleOf(death), death] as const))(
      "has put its question once in the end: %s",
      async (_title, death) => {
        const stage = await given(asking);
        const of = death.of?.replace("/CALL", "/question/call_1_1");
        const lives = await driven(stage, {
          death: { ...death, ...(of === undefined ? {} : { of }) },
          machine,
        });
        expect(lives[0]?.end).toBe("died");
        expect(asks(stage.stage)).toHaveLength(1);
        const last = lives.at(-1);
        const told = JSON.stringify(last?.requests.at(-1)?.messages);
        expect(told.split("use tabs")).toHaveLength(2);
        expect(told.indexOf("use tabs")).toBeGreaterThan(told.indexOf("It was put to people."));
        expect(stage.stage.github.pulls).toHaveLength(1);
      },
    );

    it.each(deaths.map((death) => [titleOf(death), death] as const))(
      "runs no call that was not allowed, and asks for each once: %s",
      async (_title, death) => {
        const stage = await given(writing, approve);
        const of = death.of?.replace("/CALL", "/approval/call_1_1");
        const lives = await driven(stage, {
          death: { ...death, ...(of === undefined ? {} : { of }) },
          machine,
        });
        expect(lives[0]?.end).toBe("died");
        const ran = lives.flatMap((life) => life.ran.filter((one) => one.startsWith("write ")));
        const granted = new Set(
          lives.flatMap((life) =>
            eventsOf(life).flatMap((event) =>
              event.type === "approval.granted" ? [`write ${event.id}`] : [],
            ),
          ),
        );
        expect(ran).toHaveLength(2);
        expect(ran.filter((one) => !granted.has(one))).toEqual([]);
        const markers = asks(stage.stage).map(({ body }) => body.split("\n")[0]);
        expect(new Set(markers).size).toBe(markers.length);
      },
    );
  },
);

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
