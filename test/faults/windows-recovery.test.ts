import { describe, expect, it } from "vitest";
import { HostUnavailable } from "../../src/delivery/host.ts";
import { evolve, initialState, type State } from "../../src/session/state.ts";
import type { Death } from "../kit/story/mortal.ts";
import { endOf, live, type Played } from "../kit/story/play.ts";
import { eventsOf, givenStage, type Stage } from "../kit/story/stage.ts";

const afterRecord = (nth: number, when: Death["when"]): Death => ({ at: "files.append", nth, when });

/** Where the first process dies, so that recovery has something of each kind to do. */
const deaths: Readonly<Record<string, Death>> = {
  "a request": { at: "files.append", event: "reply.requested", nth: 2, when: "after" },
  "a read": { at: "toolbox.run", nth: 2, when: "after" },
  "the second of three writes": { at: "toolbox.run", nth: 4, when: "after" },
  "a check": { at: "files.append", event: "check.started", nth: 3, when: "after" },
  "the branch, which is there": { at: "host.branch.create", when: "after" },
  "the pull request, which is not there": { at: "host.pullRequest.open", when: "before" },
};

/** All that has to converge: not which run it is, how often one died, and what was shipped when. */
function essence({ gen, runs, crashes, shipped, ...rest }: State): unknown {
  return rest;
}

/** The state right after the last recovery, when its note is recorded and setup has not begun. */
function stateRecovered(process: Played): State {
  const events = eventsOf(process);
  const claim = events.findLastIndex(({ type }) => type === "run.claimed");
  const noted = events.findIndex(({ type }, i) => i > claim && type === "note.added");
  return events.slice(0, noted + 1).reduce(evolve, initialState);
}

/** How many records the recovery of this death appends, the unpacked log not counted. */
function appendedBy(process: Played, before: number): number {
  const events = eventsOf(process).slice(before);
  return events.findIndex(({ type }) => type === "note.added") + 1;
}

describe.each(Object.entries(deaths))("recovery from a death in %s", (name, death) => {
  it("converges on one state from every prefix of its own records, and is finished once", async () => {
    const whole = givenStage();
    const first = await live(whole, { death });
    const straight = await live(whole, { asks: "resume" });
    const records = appendedBy(straight, eventsOf(first).length);
    expect(records).toBeGreaterThanOrEqual(2);
    // The first append of a resume is the unpacked log itself.
    for (let record = 1; record <= records; record += 1) {
      for (const when of ["before", "torn", "after"] as const) {
        const stage = givenStage();
        await live(stage, { death });
        const again = afterRecord(record + 1, when);
        const killed = await live(stage, { asks: "resume", death: again, machine: "terminal" });
        expect(endOf(killed)).toBe("died");
        const last = await live(stage, { asks: "resume" });
        const at = `killed ${when} record ${record} of ${records}`;
        expect(endOf(last), at).toBe("pull-request/opened");
        expect(essence(stateRecovered(last)), at).toEqual(essence(stateRecovered(straight)));
        expect(stateRecovered(last).crashes.total, at).toBe(stateRecovered(straight).crashes.total + 1);
        expectOnce(stage);
      }
    }
  });

  it("is refused as a crash loop when it is killed again and again, if it has something open to die at", async () => {
    const stage = givenStage();
    await live(stage, { death });
    const inClaim: Death = { at: "files.append", event: "run.claimed", when: "after" };
    for (let again = 1; again <= 2; again += 1)
      expect(endOf(await live(stage, { asks: "resume", death: inClaim, machine: "terminal" }))).toBe("died");
    const last = await live(stage, { asks: "resume" });
    // A read is given up in the end, and a check is nothing that a dead run leaves open.
    const goesOn = name === "a read" || name === "a check";
    expect(endOf(last)).toBe(goesOn ? "pull-request/opened" : "refused/crash-loop");
    if (goesOn) expectOnce(stage);
    else expect([last.ran, last.requests]).toEqual([[], []]);
  });
});

describe("a session whose runs die at one place", () => {
  const atFirstRequest: Death = { at: "model.reply", when: "before" };
  const beforeAnythingIsStored: Death = { at: "shelf.put", when: "before" };

  it.each(["survives", "lost"] as const)(
    "is refused as crash-loop after three of them, where their machine is %s",
    async (machine) => {
      const stage = givenStage();
      // The first one stores what it does.
      expect(endOf(await live(stage, { death: { at: "model.reply", nth: 2, when: "before" } }))).toBe("died");
      const again = machine === "lost" ? beforeAnythingIsStored : atFirstRequest;
      for (let death = 2; death <= 3; death += 1)
        expect(endOf(await live(stage, { asks: "resume", death: again, machine }))).toBe("died");
      const last = await live(stage, { asks: "resume" });
      expect(endOf(last)).toBe("refused/crash-loop");
      expect([last.ran, last.requests]).toEqual([[], []]);
    },
  );

  it("goes on without a read that killed three of them, and says so to the model", async () => {
    const stage = givenStage();
    const inRead: Death = { at: "toolbox.run", when: "after" };
    expect(endOf(await live(stage, { death: inRead }))).toBe("died");
    for (let death = 2; death <= 3; death += 1)
      expect(endOf(await live(stage, { asks: "resume", death: inRead }))).toBe("died");
    const last = await live(stage, { asks: "resume" });
    expect(endOf(last)).toBe("pull-request/opened");
    // The first of the two is given up; the other one did nothing wrong and runs.
    expect(last.ran.slice(0, 2)).toEqual(["setup", "read call_1_2"]);
    expect(JSON.stringify(last.requests[0]?.messages)).toContain("it is not run again");
  });

  it("is refused after ten deaths wherever they happened", async () => {
    const stage = givenStage();
    expect(
      endOf(await live(stage, { death: { at: "files.append", event: "turn.ended", when: "after" } })),
    ).toBe("died");
    for (let death = 2; death <= 10; death += 1) {
      // Each dies in another place than the one before, and never twice in a row where something is open.
      const event = death % 2 === 0 ? "setup.started" : "sandbox.started";
      const killed = await live(stage, {
        asks: "resume",
        death: { at: "files.append", event, when: "after" },
      });
      expect(endOf(killed), `death ${death}`).toBe("died");
    }
    expect(endOf(await live(stage, { asks: "resume" }))).toBe("refused/crash-loop");
  });
});

describe("a session whose runs die before they store anything", () => {
  it("is begun anew nine times, and refused as a crash loop after ten", async () => {
    const stage = givenStage();
    const death: Death = { at: "shelf.put", when: "before" };
    for (let deaths = 1; deaths <= 9; deaths += 1)
      expect(endOf(await live(stage, { death, machine: "lost" })), `death ${deaths}`).toBe("died");
    const tenth = await live(stage, { death, machine: "lost" });
    expect([endOf(tenth), stage.leases.leases.length]).toEqual(["died", 10]);
    const refused = await live(stage);
    expect(endOf(refused)).toBe("refused/crash-loop");
    expect([refused.ran, refused.requests, stage.leases.leases.length]).toEqual([[], [], 10]);
  });
});

describe("an effect that was begun", () => {
  it.each([
    ["branch", { at: "host.branch.create", when: "after" }],
    ["pull-request", { at: "host.pullRequest.open", when: "before" }],
    ["comment", { at: "host.comment.create", when: "after" }],
  ] as const)("is in doubt while the %s cannot be looked up, and only then", async (what, death) => {
    const stage = givenStage();
    await live(stage, { death });
    const before = structuredClone([stage.leases.leases, stage.shelves.stored.map(({ name }) => name)]);
    const silent = () => Promise.reject(new HostUnavailable("no answer"));
    const doubting = await live(stage, {
      asks: "resume",
      over: ({ host }) => ({
        host: {
          ...host,
          branch: { ...host.branch, ...(what === "branch" ? { find: silent } : {}) },
          pullRequest: { ...host.pullRequest, ...(what === "pull-request" ? { find: silent } : {}) },
          comment: {
            ...host.comment,
            find: (thread: number, marker: string) =>
              what === "comment" && marker.includes(`${stage.session}:comment:`)
                ? silent()
                : host.comment.find(thread, marker),
          },
        },
        // Where comments cannot be read the lease is what names the runs.
      }),
    }).catch((error: unknown) => error);
    if (doubting instanceof Error) {
      // The command looks for the session in the comments of its thread first.
      expect([what, doubting.message]).toEqual(["comment", "no answer"]);
    } else {
      const { end } = doubting as Played;
      expect(end).toMatchObject({ reason: "in-doubt", resumable: true });
      expect(end).toMatchObject({ detail: expect.stringContaining(`${stage.session}/${what}`) });
    }
    expect([stage.leases.leases, stage.shelves.stored.map(({ name }) => name)]).toEqual(before);
    expect(endOf(await live(stage, { asks: "resume" }))).toBe("pull-request/opened");
    expectOnce(stage);
  });
});

function expectOnce({ github, leases, session }: Stage): void {
  expect([...github.branches.keys()].filter((name) => name !== "main")).toHaveLength(1);
  expect(github.pulls).toHaveLength(1);
  expect(github.comments.filter(({ body }) => body.includes(`${session}:comment:`))).toHaveLength(1);
  expect(leases.leases).toEqual([]);
}
