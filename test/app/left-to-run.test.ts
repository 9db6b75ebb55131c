import { describe, expect, it } from "vitest";
import type { Means } from "../../src/app/means.ts";
import { endOf, type LifeOptions, live, type Played } from "../kit/story/play.ts";
import { comment, givenStage, type Stage, thread } from "../kit/story/stage.ts";
import { type Step, tellsStory } from "../kit/story/tale.ts";

const write = (path: string) => ({ name: "write", input: { path, text: "fixed\n" } });
const steps: readonly Step[] = [
  { calls: [write("a.txt")] },
  { calls: [write("b.txt")] },
  { text: "Fix a and b" },
];
const turns = (turns: number) => ({ budget: { minutes: 100_000, turns } });
const asking: readonly Step[] = [{ calls: [{ name: "ask", input: { question: "Tabs?" } }] }, ...steps];
const dies = { death: { at: "files.append", event: "turn.ended", when: "after" } } as const;

function given() {
  const stage = givenStage();
  const next = (options: LifeOptions = {}) => live(stage, { model: tellsStory(steps), ...options });
  return { stage, next };
}

const toldIn = ({ requests }: Played, at = -1) => JSON.stringify(requests.at(at)?.messages ?? []);
const over = (change: (means: Means) => Partial<Means>) => ({ over: change });

/** As if the job of the last run still counted as running. */
function revive({ leases }: Stage): void {
  leases.ended.pop();
}

describe("words for a session that a run works on", () => {
  it("are left to the run that works on the session, by name", async () => {
    const { stage, next } = given();
    await next(dies);
    revive(stage);
    const left = await next({ says: "@baton mind the tabs" });
    expect(left.end).toMatchObject({
      kind: "ignored",
      reason: "taken-by-run",
      detail: expect.stringContaining("Run 101 works on session"),
    });
    expect([left.requests, left.made]).toEqual([[], []]);
  });

  describe("that come when the run at work is past its last look", () => {
    /** What becomes of the first run while the job of the words waits, and how often that looks again. */
    async function whileWaiting(happens: (stage: Stage) => void) {
      const { stage, next } = given();
      await next(dies);
      revive(stage);
      let waits = 0;
      const changed = over(({ clock, host }) => ({
        host: { ...host, allowance: { left: 1 } },
        clock: {
          ...clock,
          sleep: async (ms, options) => {
            waits += 1;
            if (waits === 3) happens(stage);
            await clock.sleep(ms, options);
          },
        },
      }));
      return { said: await next({ says: "@baton mind the tabs", comment: 950, ...changed }), waits };
    }

    it("wait for its end, and go on with the session then", async () => {
      const { said } = await whileWaiting(({ leases }) =>
        leases.ended.push({ id: "101", attempt: 1, job: "agent" }),
      );
      expect(endOf(said)).toBe("pull-request/opened");
      expect(toldIn(said, 0)).toContain("mind the tabs");
    });

    it("wait no longer than until it has taken them in after all", async () => {
      const { said, waits } = await whileWaiting(({ github }) =>
        github.reactions.push({ comment: 950, content: "eyes" }),
      );
      expect([endOf(said), said.requests, waits]).toEqual(["ignored/taken-by-run", [], 3]);
    });

    it("wait ten minutes and no longer", async () => {
      const { said, waits } = await whileWaiting(() => undefined);
      expect([endOf(said), said.requests, waits]).toEqual(["ignored/taken-by-run", [], 12]);
    });
  });

  it("are shown as seen by whoever takes them in, so that words which nobody took in are told of later", async () => {
    const { stage, next } = given();
    const eyes = () => stage.github.reactions.map((reaction) => reaction.comment);
    await next(dies);
    revive(stage);
    expect(endOf(await next({ says: "@baton mind the tabs", comment: 950 }))).toBe("ignored/taken-by-run");
    expect(eyes()).toEqual([comment]);
    stage.leases.ended.push({ id: "101", attempt: 1, job: "agent" });
    const said = await next({
      says: "@baton mind the tabs",
      comment: 960,
      ...dies,
    });
    expect([endOf(said), eyes()]).toEqual(["died", [comment, 960]]);
  });

  it.each([
    ["from before a run listens are refused as busy at once", "2026-01-01T00:00:01Z", "refused/busy"],
    ["of the second from which a run listens are left to it", "2026-01-01T00:00:00Z", "ignored/taken-by-run"],
  ])("%s", async (_title, listensFrom, ends) => {
    const { stage, next } = given();
    expect(endOf(await next({ orders: turns(1) }))).toBe("suspended/turns");
    const later = await next({
      says: "@baton mind the names",
      comment: 960,
      orders: turns(9),
      ...dies,
      ...over(() => ({ earshot: { since: Date.parse(listensFrom), comment: 960 } })),
    });
    expect([endOf(later), toldIn(later).includes("mind the names")]).toEqual(["died", true]);
    revive(stage);
    let waits = 0;
    const waiting = over(({ clock }) => ({
      clock: {
        ...clock,
        sleep: async (ms, options) => {
          waits += 1;
          await clock.sleep(ms, options);
        },
      },
    }));
    const early = await next({ says: "@baton mind the tabs", comment: 950, orders: turns(9), ...waiting });
    const isRefused = ends === "refused/busy";
    expect([endOf(early), waits > 0, early.requests]).toEqual([ends, !isRefused, []]);
    const replies = stage.github.comments.filter(({ body }) =>
      body.includes("Say it again in a new comment"),
    );
    expect(replies).toHaveLength(isRefused ? 1 : 0);
  });

  it("are left to a run that has stored nothing yet", async () => {
    const { stage, next } = given();
    const noShelf = over(({ shelf }) => ({
      shelf: { ...shelf, put: async () => ({ kind: "failed", why: "no room" }) },
    }));
    await next({ ...noShelf, ...dies, machine: "lost" });
    revive(stage);
    expect(endOf(await next({ says: "@baton mind the tabs" }))).toBe("ignored/taken-by-run");
  });

  it("that a working run has yet to take in are not told of as dropped by words after them", async () => {
    const { stage, next } = given();
    await next(dies);
    revive(stage);
    const words = { thread, author: "octo", body: "@baton mind the tabs", at: Date.now() };
    for (const id of [950, 960]) {
      stage.github.comments.push({ ...words, id });
      expect(endOf(await next({ says: words.body, comment: id }))).toBe("ignored/taken-by-run");
      revive(stage);
    }
    expect(endOf(await next({ asks: "resume", comment: 970 }))).toBe("refused/busy");
    expect(stage.github.comments.filter(({ body }) => body.includes("No run has taken up"))).toEqual([]);
  });

  it.each([
    ["has suspended, and only its job goes on", {}, "survives"],
    [
      "may be over, as far as anybody can tell",
      over(({ leases }) => ({ leases: { ...leases, alive: async () => "unknown" } })),
      "died",
    ],
  ] as const)(
    "are refused as busy where the run %s, since nobody would hear them",
    async (_title, options, how) => {
      const { stage, next } = given();
      await next(how === "died" ? dies : { model: tellsStory(asking) });
      revive(stage);
      const refused = await next({ says: "@baton mind the tabs", ...options });
      expect(refused.end).toMatchObject({ kind: "refused", reason: "busy", resumable: true });
      expect(refused.end).not.toMatchObject({ detail: expect.stringContaining("begin anew") });
    },
  );
});
