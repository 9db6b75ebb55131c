import { describe, expect, it } from "vitest";
import type { Death } from "../kit/story/mortal.ts";
import { endOf, live } from "../kit/story/play.ts";
import { eventsOf, givenStage } from "../kit/story/stage.ts";
import {
  expectFinished,
  expectResumed,
  greenGate,
  published,
  type Row,
  reads,
  record,
  rest,
  restAgain,
  writes,
} from "./given-window.ts";

const call = (nth: number, when: "before" | "after"): Death => ({ at: "toolbox.run", nth, when });

const rows: readonly Row[] = [
  {
    between: "inside the append of a result: the torn line is cut, and the call is rolled back",
    death: record("call.settled", 3, "torn"),
    settles: ["call_2_1 rolled-back"],
    ran: ["write call_2_2", "write call_2_3", "write call_3_1", ...restAgain],
    asked: 4,
  },
  {
    between: "inside the append of a reply: the torn line is cut, and the model is asked again",
    death: record("reply.received", 2, "torn"),
    ran: [...writes, ...rest],
    asked: 4,
  },
  {
    between: "request about to be sent, reply not recorded: the model is asked again",
    death: record("reply.requested", 2),
    ran: [...writes, ...rest],
    asked: 4,
  },
  {
    between: "reply received, and not recorded: the model is asked again, and paid twice",
    death: { at: "model.reply", nth: 2, when: "after" },
    ran: [...writes, ...rest],
    asked: 4,
  },
  {
    between: "reply recorded, calls not intended: decided again, nothing ran",
    death: record("reply.received", 2),
    ran: [...writes, ...rest],
    asked: 3,
  },
  {
    between: "reads intended, none begun: they run",
    death: record("calls.intended", 1),
    ran: [...reads, ...writes, ...rest],
    asked: 4,
  },
  {
    between: "during one of two reads: both run again",
    death: call(2, "before"),
    ran: [...reads, ...writes, ...rest],
    asked: 4,
  },
  {
    between: "reads done, and not settled: both run again",
    death: call(2, "after"),
    ran: [...reads, ...writes, ...rest],
    asked: 4,
  },
  {
    between: "one of two reads settled: it stands, and the other runs again",
    death: record("call.settled", 1),
    ran: ["read call_1_2", ...writes, ...rest],
    asked: 4,
  },
  {
    between: "writes intended, none begun: the first may have, so it is rolled back; the others run",
    death: record("calls.intended", 2),
    settles: ["call_2_1 rolled-back"],
    ran: ["write call_2_2", "write call_2_3", "write call_3_1", ...restAgain],
    asked: 4,
  },
  {
    between: "a workspace call done, and not settled: rolled back",
    death: call(3, "after"),
    settles: ["call_2_1 rolled-back"],
    ran: ["write call_2_2", "write call_2_3", "write call_3_1", ...restAgain],
    asked: 4,
  },
  {
    between: "one of three workspace calls settled: it stands, the open one is rolled back, the last runs",
    death: call(4, "after"),
    settles: ["call_2_2 rolled-back"],
    ran: ["write call_2_3", "write call_3_1", ...restAgain],
    asked: 4,
  },
  {
    between: "all settled, turn not ended: the turn ends",
    death: record("call.settled", 5),
    ran: rest,
    asked: 3,
  },
  {
    between: "turn ended: the work goes on",
    death: record("turn.ended", 2),
    ran: rest,
    asked: 3,
  },
  {
    between: "turn ended, not shipped, and the machine is lost: the last shipment wins",
    death: record("turn.ended", 2),
    machine: "lost",
    ran: [...writes, ...rest],
    asked: 4,
  },
  {
    between: "setup under way: it runs again",
    death: record("setup.started"),
    settles: ["comment absent"],
    ran: [...reads, ...writes, ...rest],
    asked: 5,
    made: ["comment", ...published],
  },
  {
    between: "a check under way: it runs again on the restored tree, those on the base stand",
    death: record("check.started", 3),
    ran: ["check first", "check second", "check second", "write call_4_1", ...greenGate],
    asked: 2,
  },
  {
    between: "gate failed: the finding is told",
    death: record("gate.failed"),
    ran: ["write call_4_1", ...greenGate],
    asked: 2,
  },
];

describe("a run that dies between", () => {
  it.each(rows)("$between", expectResumed);

  it.each([
    ["post ships it, and all of it goes on", "survives", ["setup", ...writes]],
    ["where the machine is lost, the last shipment wins", "lost", ["setup", ...writes]],
  ] as const)("run suspended and its shipment: %s", async (_title, machine, ran) => {
    const stage = givenStage();
    const orders = { budget: { minutes: 100_000, turns: 1 } };
    const first = await live(stage, { death: record("run.suspended"), machine, orders });
    expect(endOf(first)).toBe("died");
    const second = await live(stage, { asks: "resume", orders: { budget: { turns: 9 } } });
    expect(endOf(second)).toBe("pull-request/opened");
    expect(second.ran.slice(0, ran.length)).toEqual(ran);
    const died = eventsOf(second).filter(({ type }) => type === "run.suspended").length === 0;
    expect(died).toBe(machine === "lost");
    expectFinished(stage, second);
  });
});

describe("a run that dies before there is anything to go on from", () => {
  it.each([
    ["session.opened", "refused/not-found"],
    ["run.claimed", "refused/not-found"],
    ["input.accepted", "pull-request/opened"],
  ] as const)("right after %s is continued only where its task was recorded", async (event, end) => {
    const stage = givenStage();
    await live(stage, { death: record(event), machine: "terminal" });
    const second = await live(stage, { asks: "resume" });
    expect(endOf(second)).toBe(end);
    if (end.startsWith("refused"))
      expect([second.ran, second.requests, second.made]).toEqual([[], [], ["comment"]]);
  });

  it.each(["session.opened", "run.claimed", "input.accepted"] as const)(
    "right after %s is begun anew by the same command, once",
    async (event) => {
      const stage = givenStage();
      await live(stage, { death: record(event), machine: "survives" });
      const second = await live(stage, { asks: "fix" });
      expect(endOf(second)).toBe("pull-request/opened");
      expectFinished(stage, second);
      expect(stage.leases.leases).toEqual([]);
    },
  );
});
