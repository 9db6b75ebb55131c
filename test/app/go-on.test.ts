import { describe, expect, it } from "vitest";
import type { Means } from "../../src/app/means.ts";
import { endOf, type LifeOptions, live, type Played } from "../kit/story/play.ts";
import { comment, eventsOf, givenStage, type Stage, thread } from "../kit/story/stage.ts";
import { type Step, tellsStory } from "../kit/story/tale.ts";
import { flip } from "./given-refusal.ts";

const write = (path: string) => ({ name: "write", input: { path, text: "fixed\n" } });
const steps: readonly Step[] = [
  { calls: [write("a.txt")] },
  { calls: [write("b.txt")] },
  { text: "Fix a and b" },
];
const turns = (turns: number) => ({ budget: { minutes: 100_000, turns } });
const asking: readonly Step[] = [{ calls: [{ name: "ask", input: { question: "Tabs?" } }] }, ...steps];

function given() {
  const stage = givenStage();
  const next = (options: LifeOptions = {}) => live(stage, { model: tellsStory(steps), ...options });
  return { stage, next };
}

const sessionIn = ({ end }: Played) => (end === "died" ? null : end.session);
const toldIn = ({ requests }: Played, at = -1) => JSON.stringify(requests.at(at)?.messages ?? []);
const inputsIn = (life: Played) =>
  eventsOf(life).flatMap((event) => (event.type === "input.accepted" ? [event.id] : []));

const over = (change: (means: Means) => Partial<Means>) => ({ over: change });
const expired = over(({ shelf }) => ({
  shelf: {
    ...shelf,
    list: async (...given) => (await shelf.list(...given)).map((item) => ({ ...item, expired: true })),
  },
}));

describe("words on a thread", () => {
  it("begin a session where there is none, and one more where the newest has ended", async () => {
    const { stage, next } = given();
    const first = await next({ says: "@baton the second line first" });
    expect(endOf(first)).toBe("pull-request/opened");
    expect(toldIn(first)).toContain("the second line first");
    const more = { says: "@baton and now the other", comment: 950 };
    const second = await next(more);
    expect(endOf(second)).toBe("pull-request/opened");
    expect(sessionIn(second)).not.toBe(sessionIn(first));
    expect(toldIn(second)).toContain("and now the other");
    expect(stage.github.pulls).toHaveLength(2);
    // Delivered once more, they are neither the task of a third nor told to the second.
    const again = await next(more);
    expect([endOf(again), again.requests]).toEqual(["ignored/done-before", []]);
  });

  it("go on with a session that was suspended, told once, behind the note of facts", async () => {
    const { stage, next } = given();
    expect(endOf(await next({ orders: turns(1) }))).toBe("suspended/turns");
    const said = await next({ says: "@baton mind the tabs", comment: 950, orders: turns(9) });
    expect(endOf(said)).toBe("pull-request/opened");
    expect(inputsIn(said)).toEqual([`comment:${comment}`, "comment:950"]);
    expect(toldIn(said).split("mind the tabs")).toHaveLength(2);
    const types = eventsOf(said).map(({ type }) => type);
    expect(types.lastIndexOf("input.accepted")).toBe(types.lastIndexOf("note.added") + 1);
    expect(stage.github.pulls).toHaveLength(1);
    const again = await next({ says: "@baton mind the tabs", comment: 950 });
    expect([endOf(again), again.requests]).toEqual(["ignored/taken", []]);
    expect(stage.github.comments.some(({ body }) => body.includes(":reply:"))).toBe(false);
  });

  it("go on with a session whose run died", async () => {
    const { next } = given();
    await next({ death: { at: "files.append", event: "turn.ended", when: "after" } });
    const said = await next({ says: "@baton mind the tabs" });
    expect(endOf(said)).toBe("pull-request/opened");
    expect(toldIn(said, 0)).toContain("mind the tabs");
  });

  it("are nothing to a session that began by a later comment", async () => {
    const { next } = given();
    await next({ orders: turns(1) });
    const early = await next({ says: "@baton mind the tabs", comment: comment - 1 });
    expect([endOf(early), early.requests]).toEqual(["ignored/taken", []]);
  });

  it.each<[string, string, (stage: Stage) => LifeOptions]>([
    [
      "was tampered with",
      "tampered",
      ({ shelves }) => {
        const newest = shelves.stored.pop();
        if (newest) shelves.stored.push({ ...newest, bytes: flip(newest.bytes, newest.bytes.length - 20) });
        return {};
      },
    ],
    ["has expired", "expired", () => expired],
    ["has no budget left", "exhausted", () => ({ orders: turns(1) })],
  ])("are refused, with the way to begin anew, where the session %s", async (_title, reason, spoil) => {
    const { stage, next } = given();
    await next({ orders: turns(1) });
    const options = spoil(stage);
    const before = stage.leases.leases.length;
    const refused = await next({ says: "@baton mind the tabs", ...options });
    if (reason === "other-key") return expect(endOf(refused)).toBe("pull-request/opened");
    expect(refused.end).toMatchObject({
      kind: "refused",
      reason,
      detail: expect.stringContaining("To begin anew instead, comment `@baton fix`."),
    });
    expect([refused.requests, stage.leases.leases.length]).toEqual([[], before]);
  });

  it("begin anew where what an ended session stored has expired, since no lease says that it waits", async () => {
    const { next } = given();
    expect(endOf(await next())).toBe("pull-request/opened");
    const later = await next({ says: "@baton and the other", ...expired });
    expect(endOf(later)).toBe("pull-request/opened");
    expect(toldIn(later)).toContain("and the other");
  });

  it("that waited for a run which somebody stopped after them are kept, and the session stays stopped", async () => {
    const { stage, next } = given();
    const by = (id: number, says?: string): LifeOptions => ({
      ...(says === undefined ? {} : { says, comment: id }),
      ...over(() => ({ earshot: { since: 0, comment: id } })),
    });
    stage.github.comments.push({ id: 940, thread, author: "octo", body: "@baton stop", at: 5000 });
    expect(endOf(await next(by(comment)))).toBe("suspended/stopped");
    expect(endOf(await next(by(930, "@baton mind the tabs")))).toBe("suspended/stopped");
    const resumed = await next(by(950, "@baton and go on"));
    expect(endOf(resumed)).toBe("pull-request/opened");
    expect(toldIn(resumed, 0)).toContain("mind the tabs");
  });

  it("on a thread that was closed begin nothing, and still go on with its session", async () => {
    const { next } = given();
    const refused = await next({ says: "@baton mind the tabs", thread: "closed" });
    expect([endOf(refused), refused.requests]).toEqual(["refused/closed", []]);
    await next({ model: tellsStory(asking) });
    const said = await next({ says: "@baton tabs", thread: "closed", model: tellsStory(asking) });
    expect(endOf(said)).toBe("pull-request/opened");
  });

  it("that nobody can see are told to nobody", async () => {
    const { next } = given();
    await next({ orders: turns(1) });
    const refused = await next({ says: "@baton <!-- hidden -->" });
    expect(endOf(refused)).toBe("refused/no-text");
  });
});
