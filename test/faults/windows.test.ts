import { describe, expect, it } from "vitest";
import { treeIdOf } from "../../src/adapters/memory/git-objects.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { entriesOf } from "../kit/race/memory-workspace.ts";
import type { Death } from "../kit/story/mortal.ts";
import { endOf, live, type Played } from "../kit/story/play.ts";
import { eventsOf, givenStage, type Stage } from "../kit/story/stage.ts";
import { taleEnd } from "../kit/story/tale.ts";

/** Right after a record of this type, or torn in the middle of it. */
function record(event: SessionEvent["type"], nth = 1, when: Death["when"] = "after"): Death {
  return { at: "files.append", event, nth, when };
}

const call = (nth: number, when: "before" | "after"): Death => ({ at: "toolbox.run", nth, when });
const effect = (of: string): Death => ({ at: "files.append", event: "effect.intended", of, when: "after" });

const reads = ["read call_1_1", "read call_1_2"];
const writes = ["write call_2_1", "write call_2_2", "write call_2_3"];
const redGate = ["check first", "check first", "check second", "check second"];
const greenGate = ["check first", "check second"];
/** From the first text on: a red gate, the fix, a green gate. */
const rest = [...redGate, "write call_4_1", ...greenGate];
/** The same where a call had to be made again before it. */
const restAgain = [...redGate, "write call_5_1", ...greenGate];
const published = ["branch", "pull request"];

type Row = {
  /** A row of session.md, section 9: between two records, and what is decided. */
  readonly between: string;
  readonly death: Death;
  readonly machine?: "lost";
  /** What the second process runs, besides setup; how often it asks the model; what it makes on GitHub. */
  readonly ran: readonly string[];
  readonly asked: number;
  readonly made?: readonly string[];
  /** What recovery settles, such as `call_2_1 rolled-back`. */
  readonly settles?: readonly string[];
};

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
    settles: ["pull-request done"],
    ran: [],
    asked: 0,
    made: [],
  },
];

describe("a run that dies between", () => {
  it.each(rows)("$between", async (row) => {
    const { death, machine = "survives", ran, asked, made = published, settles = [] } = row;
    const stage = givenStage();
    const first = await live(stage, { death, machine });
    expect(endOf(first)).toBe("died");
    const second = await live(stage, { asks: "resume" });
    expect(endOf(second)).toBe("pull-request/opened");
    expect(recovered(second)).toEqual(settles);
    expect(second.ran).toEqual(["setup", ...ran]);
    expect(second.requests).toHaveLength(asked);
    expect(second.made.filter((one) => one !== "edit")).toEqual(made);
    expectFinished(stage, second);
  });

  it("session ended and its end: post ships it, and it is not done again", async () => {
    const stage = givenStage();
    expect(endOf(await live(stage, { death: record("session.ended") }))).toBe("died");
    const second = await live(stage, { asks: "resume" });
    expect(endOf(second)).toBe("refused/ended");
    expect([second.ran, second.requests]).toEqual([[], []]);
    expect(stage.github.pulls).toHaveLength(1);
    expect(stage.leases.leases).toEqual([]);
  });

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

  it("gate passed and publication, when the checks were changed: they run again", async () => {
    const stage = givenStage();
    await live(stage, { death: record("gate.passed") });
    const checks = [{ name: "first", run: "another", minutes: 5, proof: false, dir: "", network: false }];
    const second = await live(stage, { asks: "resume", orders: { checks } });
    expect(endOf(second)).toBe("pull-request/opened");
    expect(second.ran).toContain("check first");
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

/** What a resume appended before the note that tells the model of it. */
function recovered(process: Played): readonly string[] {
  const events = eventsOf(process);
  const claim = events.findLastIndex(({ type }) => type === "run.claimed");
  const noted = events.findIndex(({ type }, i) => i > claim && type === "note.added");
  return events.slice(claim + 1, noted).map((event) => {
    if (event.type === "call.settled") return `${event.id} ${event.status}`;
    if (event.type === "effect.settled") return `${event.key.split("/")[1]} ${event.status}`;
    return event.type;
  });
}

/** One of everything outside, the whole change in it, and each call of the log settled once. */
function expectFinished({ github, leases, session }: Stage, last: Played): void {
  const branches = [...github.branches].filter(([name]) => name !== "main");
  const end = treeIdOf(entriesOf(new Map(Object.entries(taleEnd))));
  expect(branches.map(([, sha]) => github.commits.get(sha)?.tree)).toEqual([end]);
  expect(github.pulls).toHaveLength(1);
  expect(github.comments.filter(({ body }) => body.includes(`${session}:comment:`))).toHaveLength(1);
  expect(leases.leases).toEqual([]);
  const settled = eventsOf(last).flatMap((event) => (event.type === "call.settled" ? [event.id] : []));
  expect(new Set(settled).size).toBe(settled.length);
  const intended = eventsOf(last).flatMap((event) =>
    event.type === "calls.intended" ? event.calls.map(({ id }) => id) : [],
  );
  expect([...settled].sort()).toEqual([...intended].sort());
}
