import { describe, expect, it } from "vitest";
import type { Means } from "../../src/app/means.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import type { Death } from "../kit/story/mortal.ts";
import { endOf, type LifeOptions, type Played } from "../kit/story/play.ts";
import { eventsOf } from "../kit/story/stage.ts";
import { approve, asking, asks, given, writing } from "./given-waiting.ts";

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

describe("the comment that asks", () => {
  const over = (change: (means: Means) => Partial<Means>) => ({ over: change });

  it("is found where GitHub's answer to its making was lost", async () => {
    const { stage, next } = await given(asking);
    const first = await next(
      over(({ host }) => ({
        host: {
          ...host,
          comment: {
            ...host.comment,
            create: async (...given) => {
              await host.comment.create(...given);
              return { kind: "refused", code: "unavailable", why: "no answer" };
            },
          },
        },
      })),
    );
    expect(endOf(first)).toBe("needs-input/question");
    const [question, ...more] = asks(stage);
    expect(more).toEqual([]);
    expect(stage.github.comments[0]?.body).toContain(`issuecomment-${question?.id})`);
  });

  it("is not made on a thread that takes none, and then the status comment and the summary ask", async () => {
    const { stage, next } = await given(asking);
    const first = await next(
      over(({ host }) => ({
        host: {
          ...host,
          comment: {
            ...host.comment,
            create: async (number, body) =>
              body.includes(":question:")
                ? { kind: "refused", code: "locked", why: "it is locked" }
                : host.comment.create(number, body),
          },
        },
      })),
    );
    expect(first.end).toMatchObject({ kind: "needs-input", resumable: true });
    const report = first.end === "died" ? "" : first.end.report;
    for (const text of [stage.github.comments[0]?.body ?? "", report]) {
      expect(text.split("Tabs or spaces?")).toHaveLength(2);
      expect(text).toContain("@baton &#60;your answer&#62;");
      expect(text).toContain("There is no comment that asks: it is locked.");
    }
  });

  it("is not made where the session is not stored, since nobody could go on with an answer", async () => {
    const { stage, next } = await given(asking);
    const first = await next(
      over(({ shelf }) => ({ shelf: { ...shelf, put: async () => ({ kind: "failed", why: "no room" }) } })),
    );
    expect(first.end).toMatchObject({ kind: "needs-input", resumable: false });
    expect(asks(stage)).toEqual([]);
    const body = stage.github.comments[0]?.body ?? "";
    expect(body).toContain("This session cannot be resumed on another machine:");
    expect(body).toContain("Tabs or spaces?");
    expect(body).not.toContain("your answer");
  });
});
