import { describe, expect, it } from "vitest";
import type { Death } from "../kit/story/mortal.ts";
import { endOf, live } from "../kit/story/play.ts";
import { givenStage } from "../kit/story/stage.ts";
import {
  expectResumed,
  greenGate,
  published,
  type Row,
  reads,
  record,
  rest,
  writes,
} from "./given-window.ts";

const effect = (of: string): Death => ({ at: "files.append", event: "effect.intended", of, when: "after" });

const rows: readonly Row[] = [
  {
    between: "gate passed, nothing published: valid for that very tree, so it is published",
    death: record("gate.passed"),
    ran: [],
    asked: 0,
  },
  {
    between: "branch intended, not made: looked up, absent, made",
    death: effect("/branch"),
    settles: ["branch absent"],
    ran: [],
    asked: 0,
  },
  {
    between:
      "branch intended, not shipped, and the machine is lost: it was not begun, and the gate runs again",
    death: effect("/branch"),
    machine: "lost",
    ran: greenGate,
    asked: 0,
  },
  {
    between: "branch made, not settled: looked up, done",
    death: { at: "host.branch.create", when: "after" },
    settles: ["branch done"],
    ran: [],
    asked: 0,
    made: ["pull request"],
  },
  {
    between: "branch made, not settled, and the machine is lost: looked up, done",
    death: { at: "host.branch.create", when: "after" },
    machine: "lost",
    settles: ["branch done"],
    ran: [],
    asked: 0,
    made: ["pull request"],
  },
  {
    between: "pull request intended, not opened: looked up, absent, opened",
    death: { at: "host.pullRequest.open", when: "before" },
    settles: ["pull-request absent"],
    ran: [],
    asked: 0,
    made: ["pull request"],
  },
  {
    between: "pull request opened, not settled: looked up, done",
    death: { at: "host.pullRequest.open", when: "after" },
    settles: ["pull-request done"],
    ran: [],
    asked: 0,
    made: [],
  },
  {
    between: "pull request opened, not settled, and the machine is lost: looked up, done",
    death: { at: "host.pullRequest.open", when: "after" },
    machine: "lost",
    settles: ["pull-request done"],
    ran: [],
    asked: 0,
    made: [],
  },
  {
    between: "check run intended, not made: looked up, absent, made",
    death: { at: "host.checkRun.create", when: "before" },
    settles: ["check-run absent"],
    ran: [],
    asked: 0,
    made: [],
  },
  {
    between: "check run made, not settled, and the machine is lost: looked up, done",
    death: { at: "host.checkRun.create", when: "after" },
    machine: "lost",
    settles: ["check-run done"],
    ran: [],
    asked: 0,
    made: [],
  },
  {
    between: "comment intended, not made: looked up, absent, made",
    death: { at: "host.comment.create", when: "before" },
    settles: ["comment absent"],
    ran: [...reads, ...writes, ...rest],
    asked: 5,
    made: ["comment", ...published],
  },
  {
    between: "comment made, not settled: looked up, done",
    death: { at: "host.comment.create", when: "after" },
    settles: ["comment done"],
    ran: [...reads, ...writes, ...rest],
    asked: 5,
  },
  {
    between:
      "session ended, not shipped, and the machine is lost: what was published is found, and ended again",
    death: record("session.ended"),
    machine: "lost",
    settles: ["check-run done"],
    ran: [],
    asked: 0,
    made: [],
  },
];

describe("a run that dies between", () => {
  it.each(rows)("$between", expectResumed);

  it("session ended and its end: post ships it, and it is not done again", async () => {
    const stage = givenStage();
    expect(endOf(await live(stage, { death: record("session.ended") }))).toBe("died");
    const second = await live(stage, { asks: "resume" });
    expect(endOf(second)).toBe("refused/ended");
    expect([second.ran, second.requests]).toEqual([[], []]);
    expect(stage.github.pulls).toHaveLength(1);
    expect(stage.leases.leases).toEqual([]);
  });

  it("gate passed and publication, when the checks were changed: they run again", async () => {
    const stage = givenStage();
    await live(stage, { death: record("gate.passed") });
    const checks = [{ name: "first", run: "another", minutes: 5, proof: false, dir: "", network: false }];
    const second = await live(stage, { asks: "resume", orders: { checks } });
    expect(endOf(second)).toBe("pull-request/opened");
    expect(second.ran).toContain("check first");
  });
});
