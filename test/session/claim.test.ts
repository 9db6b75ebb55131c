import { describe, expect, it } from "vitest";
import { claimSession, whoFollowed, whyFenced } from "../../src/session/claim.ts";
import type { Lease, Leases } from "../../src/session/leases.ts";
import { sessionId } from "../kit/given.ts";

const signal = new AbortController().signal;
const run = (id: string) => ({ id, attempt: 1, job: "agent" });
const lease = (gen: number, id: string): Lease => ({ session: sessionId(), gen, run: run(id), head: null });

function leasesThat(answer: {
  claim?: "claimed" | "lost";
  alive?: "running" | "gone" | "unknown";
  holders?: readonly Lease[];
}): Leases {
  return {
    claim: async () => ({ kind: answer.claim ?? "claimed" }),
    holders: async () => answer.holders ?? [],
    alive: async () => answer.alive ?? "gone",
    release: async () => undefined,
  };
}

describe("claiming a generation", () => {
  const cases = [
    ["takes the first one where nobody holds any", {}, [], 0, { kind: "claimed", gen: 1, leased: true }],
    [
      "takes the one after the newest holder that is gone",
      { holders: [lease(1, "1"), lease(2, "2"), lease(3, "9")] },
      [lease(1, "1"), lease(2, "2")],
      2,
      { kind: "claimed", gen: 3 },
    ],
    ["takes one above the log where leases are missing", {}, [], 4, { kind: "claimed", gen: 5 }],
    [
      "is busy while the newest holder works",
      { alive: "running" },
      [lease(1, "1")],
      1,
      { kind: "refused", code: "busy" },
    ],
    [
      "is busy while it cannot know",
      { alive: "unknown" },
      [lease(1, "1")],
      1,
      { kind: "refused", code: "busy" },
    ],
    [
      "loses when the leases that it saw are gone, because another run ended the session meanwhile",
      { holders: [lease(2, "9")] },
      [lease(1, "1")],
      1,
      { kind: "refused", code: "lost-race" },
    ],
    ["loses when another was first", { claim: "lost" }, [], 0, { kind: "refused", code: "lost-race" }],
  ] as const;
  it("names the run that was first", async () => {
    const leases = { ...leasesThat({ claim: "lost" }), holders: async () => [lease(1, "7")] };
    const options = { leases, holders: [], run: run("9"), head: null, genReached: 0, takeOver: null, signal };
    const claim = await claimSession(sessionId(), options);
    expect(claim).toMatchObject({ kind: "refused", why: expect.stringContaining("run 7 (attempt 1)") });
  });

  it("gives its claim back when nobody answers whether the leases that it saw are still there", async () => {
    const released: unknown[] = [];
    const leases: Leases = {
      ...leasesThat({}),
      holders: () => Promise.reject(new Error("no answer")),
      release: async (_session, { from, to }) => {
        released.push({ from, to });
      },
    };
    const rest = { run: run("9"), head: null, genReached: 2, takeOver: null, signal };
    const claim = claimSession(sessionId(), { leases, holders: [lease(2, "1")], ...rest });
    await expect(claim).rejects.toThrow("no answer");
    expect(released).toEqual([{ from: 3, to: 3 }]);
  });

  it.each(cases)("%s", async (_title, answer, holders, genReached, result) => {
    const claim = await claimSession(sessionId(), {
      leases: leasesThat(answer),
      holders,
      run: run("9"),
      head: null,
      genReached,
      takeOver: null,
      signal,
    });
    expect(claim).toMatchObject(result);
  });
});

describe("a run that may have lost the session", () => {
  const cases = [
    ["holds it while its generation is the newest", [lease(1, "1"), lease(2, "9")], true, null],
    ["has lost it to a newer generation, whose run is named", [lease(2, "9"), lease(3, "7")], true, /run 7/],
    ["has lost it when its lease is gone, because another run ended the session", [], true, /is gone/],
    ["cannot tell where no lease could be written", [lease(3, "7")], false, null],
  ] as const;
  it.each(cases)("%s", async (_title, holders, leased, expected) => {
    const leases = { ...leasesThat({}), holders: async () => holders };
    const why = await whyFenced(sessionId(), { gen: 2, leased }, { leases, signal });
    if (expected === null) expect(why).toBeNull();
    else expect(why).toMatch(expected);
  });
});

describe("the run that holds the newest lease", () => {
  it.each([
    ["does not ask whether it is alive itself", run("9"), { kind: "claimed", gen: 2 }],
    [
      "is busy for another attempt of its own run",
      { ...run("9"), attempt: 2 },
      { kind: "refused", code: "busy" },
    ],
    [
      "is busy for another job of its own run",
      { ...run("9"), job: "other" },
      { kind: "refused", code: "busy" },
    ],
  ])("%s", async (_title, holder, result) => {
    const holders = [{ ...lease(1, "9"), run: holder }];
    const leases = { ...leasesThat({ alive: "running" }), holders: async () => holders };
    const claim = await claimSession(sessionId(), {
      leases,
      holders,
      run: run("9"),
      head: null,
      genReached: 1,
      takeOver: null,
      signal,
    });
    expect(claim).toMatchObject(result);
  });
});

describe("a run that a person says is gone", () => {
  it.each([
    ["loses the session to the next generation, whatever its job does", "running", "7", "claimed"],
    ["loses it where nobody can tell whether it works", "unknown", "7", "claimed"],
    ["keeps it when another run was named", "running", "8", "refused"],
  ] as const)("%s", async (_title, alive, takeOver, kind) => {
    const holders = [lease(1, "7")];
    const leases = { ...leasesThat({ alive }), holders: async () => holders };
    const options = { leases, holders, run: run("9"), head: null, genReached: 1, takeOver, signal };
    const claim = await claimSession(sessionId(), options);
    expect(claim.kind).toBe(kind);
    if (claim.kind === "refused") expect(claim.why).toContain("take-over: 7");
  });
});

describe("a run that is over", () => {
  it.each([
    [
      "is followed by whoever claimed a later generation",
      [lease(1, "9"), lease(2, "7")],
      "run 7 (attempt 1)",
    ],
    ["is followed by nobody while its generation is the newest", [lease(1, "9")], null],
    ["is followed by nobody where no lease could be written, or all are gone", [], null],
  ])("%s", async (_title, holders, expected) => {
    const leases = { ...leasesThat({}), holders: async () => holders };
    expect(await whoFollowed(sessionId(), 1, { leases, signal })).toBe(expected);
  });
});
