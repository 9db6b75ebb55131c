import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { type Plan, playRace } from "../kit/race/play.ts";

/** Long enough for every other run to come to its end. */
const long = 5000;

const plan = (id: number, asks: Plan["asks"], from: number, ...fates: Plan["fates"]): Plan => {
  return { id: String(id), asks, from, fates };
};

describe("runs of one session at the same time", () => {
  it("publish at most once, repeat nothing that was stored, and leave what a last run finishes (F52, F65)", async () => {
    const played = [];
    for (let seed = 1; seed <= 40; seed += 1) played.push({ seed, ...(await playRace(seed)) });
    expect(played.filter(({ wrong }) => wrong.length > 0)).toEqual([]);
    // All of it was at stake: runs died, were cut off, and were turned away.
    expect(played.reduce((sum, { died }) => sum + died, 0)).toBeGreaterThan(5);
    expect(played.reduce((sum, { cut }) => sum + cut, 0)).toBeGreaterThan(0);
    expect(played.flatMap(({ ends }) => ends)).toEqual(expect.arrayContaining(["refused/busy", "dead"]));
  });

  it.each([3, 5, 8, 13])("are played by seed %i the same way each time, byte for byte", async (seed) => {
    const first = await playRace(seed);
    const again = await playRace(seed);
    expect(again.trace.join("\n")).toBe(first.trace.join("\n"));
    expect(first.trace.length).toBeGreaterThan(100);
  });

  it("are played the same way by another process", async () => {
    const { trace } = await playRace(34);
    const printed = execFileSync(process.execPath, ["test/sweeps/race.ts", "34", "1"], { encoding: "utf8" });
    expect(printed.split("\n").slice(0, trace.length)).toEqual(trace);
    expect(JSON.parse(printed.trim().split("\n").at(-1) ?? "")).toMatchObject({
      seeds: 1,
      doublePublications: 0,
    });
  });
});

const seeds = [1, 2, 3, 4, 5] as const;
const few = [1, 2, 3] as const;

describe("a run that stood still while others finished the session", () => {
  it.each(seeds)("does not begin it anew with a claim that is free again (seed %i)", async (seed) => {
    const still = plan(101, "fix", 0, { kind: "pauses", at: "git.createRef", backAfter: long });
    const played = await playRace(seed, { plans: [still, plan(102, "fix", 20)] });
    expect(played.ends.slice(0, 2)).toEqual(["ignored/done-before", "pull-request/opened"]);
    expect([played.wrong, played.repeats]).toEqual([[], []]);
  });

  it.each(seeds)("does not go on from what it saw before (seed %i)", async (seed) => {
    const played = await playRace(seed, {
      plans: [
        plan(101, "fix", 0, { kind: "dies", at: "comment.create", goneAfter: 0 }),
        plan(102, "resume", 150, { kind: "pauses", at: "git.createRef", backAfter: long }),
        plan(103, "resume", 300),
      ],
    });
    expect(played.ends.slice(0, 3)).toEqual(["dead", "refused/lost-race", "pull-request/opened"]);
    expect([played.wrong, played.repeats]).toEqual([[], []]);
  });

  it.each(seeds)("does not have it begun anew by dying with the only lease (seed %i)", async (seed) => {
    const played = await playRace(seed, {
      plans: [
        plan(101, "fix", 0, { kind: "dies", at: "comment.create", goneAfter: 0 }),
        plan(
          102,
          "resume",
          150,
          { kind: "pauses", at: "git.createRef", backAfter: long },
          {
            kind: "dies",
            at: "git.deleteRef",
            goneAfter: 0,
          },
        ),
        plan(103, "resume", 300),
      ],
    });
    expect(played.ends.slice(0, 3)).toEqual(["dead", "dead", "pull-request/opened"]);
    expect([played.wrong, played.repeats]).toEqual([[], []]);
  });
});

describe("a session that could not make its comment", () => {
  it.each(seeds)("is not begun anew when its command is delivered again (seed %i)", async (seed) => {
    const played = await playRace(seed, { plans: [plan(101, "fix", 0)], locked: true });
    expect(played.ends).toEqual(["pull-request/opened", "ignored/done-before", "refused/not-found"]);
    expect([played.wrong, played.repeats]).toEqual([[], []]);
  });

  it.each([1, 2])(
    "nor where it pushed to a pull request, which leaves no branch of its own (seed %i)",
    async (seed) => {
      const given = { plans: [plan(101, "fix", 0)], locked: true, onPull: true, mode: "leased" } as const;
      const played = await playRace(seed, given);
      expect(played.ends).toEqual(["pull-request/pushed", "refused/ended", "refused/ended"]);
      expect([played.pushes, played.wrong, played.repeats]).toEqual([1, [], []]);
    },
  );
});

describe("a run that was cut off until its job counted as over", () => {
  it.each(seeds)("makes nothing beside the run that took the session (seed %i)", async (seed) => {
    const played = await playRace(seed, {
      plans: [
        plan(101, "fix", 0, { kind: "cut", at: "put", goneAfter: 0, backAfter: long }),
        plan(102, "fix", 150, { kind: "dies", at: "branch.commit", goneAfter: 0 }),
      ],
    });
    expect(played.ends[0]).toBe("suspended/fenced");
    expect(played.wrong).toEqual([]);
  });
});

describe("a run that is frozen after it has looked whether the session is still its own", () => {
  it.each(["branch.commit", "branch.create", "pullRequest.open"])(
    "publishes nothing beside the run that took the session meanwhile, when it comes to %s",
    async (at) => {
      for (const seed of few) {
        const frozen = plan(101, "fix", 0, { kind: "freezes", at, goneAfter: 0, backAfter: long });
        const given = { plans: [frozen, plan(102, "resume", 200)], mode: "frozen" } as const;
        const played = await playRace(seed, given);
        expect(played.wrong, `seed ${seed}`).toEqual([]);
        expect([played.frozen, played.branches, played.pullRequests]).toEqual([1, 1, 1]);
        expect(played.ends[1]).toBe("pull-request/opened");
      }
    },
  );

  it.each(few)("takes away no lease but its own and older ones (seed %i)", async (seed) => {
    const frozen = plan(101, "fix", 0, {
      kind: "freezes",
      at: "git.deleteRef",
      goneAfter: 0,
      backAfter: 200,
    });
    const given = {
      plans: [frozen, plan(102, "resume", 300), plan(103, "resume", 310)],
      mode: "frozen",
    } as const;
    const played = await playRace(seed, given);
    expect([played.frozen, played.wrong]).toEqual([1, []]);
  });
});

describe("a session that a person has a run take over from one that works", () => {
  it.each(few)("is published once, however far the other has come (seed %i)", async (seed) => {
    const works = plan(101, "fix", 0, { kind: "pauses", at: "branch.commit", backAfter: long });
    const taker = { ...plan(102, "resume", 200), takesOver: "101" };
    const played = await playRace(seed, { plans: [works, taker], mode: "taken" });
    expect(played.wrong).toEqual([]);
    // The one that lost it finds what was published in place of its own.
    expect(played.ends.slice(0, 2)).toEqual(["pull-request/opened", "pull-request/opened"]);
    expect([played.branches, played.pullRequests, played.comments]).toEqual([1, 1, 1]);
  });
});

describe("a run that died right after it had pushed to a pull request", () => {
  it.each(few)(
    "is gone on from where it left the branch, and nothing is pushed again (seed %i)",
    async (seed) => {
      const dies = { kind: "dies", at: "branch.advance", goneAfter: 0, lands: true } as const;
      const plans = [plan(101, "fix", 0, dies), plan(102, "resume", 250)];
      const played = await playRace(seed, { plans, onPull: true, mode: "leased" });
      expect(played.ends.slice(0, 2)).toEqual(["dead", "pull-request/pushed"]);
      expect([played.pushes, played.wrong]).toEqual([1, []]);
    },
  );
});

describe("what comes after a run that died", () => {
  it.each(few)(
    "stores nothing that is gone on from, and tells nothing, once another run has the session (seed %i)",
    async (seed) => {
      const dies = { kind: "dies", at: "branch.commit", goneAfter: 0, post: 200 } as const;
      const plans = [plan(101, "fix", 0, dies), plan(102, "resume", 160)];
      const played = await playRace(seed, { plans, mode: "leased" });
      expect([played.posts, played.wrong, played.repeats]).toEqual([1, [], []]);
    },
  );

  it.each(few)(
    "leaves the session such that it can be resumed, wherever two of them come late (seed %i)",
    async (seed) => {
      const dies = (at: string) => ({ kind: "dies", at, goneAfter: 0, lands: false }) as const;
      const plans = [
        plan(101, "fix", 0, { ...dies("pullRequest.open"), post: 140 }),
        plan(102, "resume", 168, { ...dies("put"), post: 250 }),
        plan(103, "resume", 330, dies("put")),
      ];
      const played = await playRace(seed, { plans, mode: "leased" });
      expect([played.posts, played.wrong]).toEqual([2, []]);
      expect(played.ends).not.toContain("refused/forked");
    },
  );

  it.each(few)("is its second attempt, which goes on with the session (seed %i)", async (seed) => {
    const dies = { kind: "dies", at: "branch.create", goneAfter: 0, post: "in time" } as const;
    const played = await playRace(seed, {
      plans: [{ ...plan(101, "fix", 0, dies), again: [] }],
      mode: "leased",
    });
    expect(played.ends.slice(0, 2)).toEqual(["dead", "pull-request/opened"]);
    expect([played.posts, played.again, played.wrong, played.repeats]).toEqual([1, 1, [], []]);
  });
});
