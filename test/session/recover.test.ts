import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/base/hash.ts";
import { beginning } from "../../src/session/checkpoint.ts";
import type { EffectClass, SessionEvent } from "../../src/session/event.ts";
import { encodeRecord, genesis } from "../../src/session/record.ts";
import {
  abandonApprovals,
  callInDoubt,
  type Resolution,
  recoverCalls,
  refuseCrashLoop,
  refuseEnded,
  refuseOther,
} from "../../src/session/recover.ts";
import { deathsBefore, foldFrom, initialState, type State } from "../../src/session/state.ts";
import { identity, inline, opened, turnOf } from "../kit/given.ts";

const run = { id: "1", attempt: 1, job: "agent" };
const claimed = (gen: number): SessionEvent => ({ type: "run.claimed", gen, run, head: null });
const suspended: SessionEvent = { type: "run.suspended", reason: "turns", detail: "" };
const ended: SessionEvent = { type: "session.ended", outcome: "no-change", reason: "no-change" };
const input: SessionEvent = { type: "input.accepted", id: "comment:1", by: "octo", text: inline("Fix it.") };
const requested: SessionEvent = { type: "reply.requested", turn: 1, attempt: 1, maxTokens: 1000 };
const comment: SessionEvent = { type: "effect.intended", key: "s0123456789ab/comment", detail: "{}" };
const sandbox: SessionEvent = { type: "sandbox.started", sandbox: "x", pid: 1 };
const setUp: SessionEvent = { type: "setup.started", commands: [] };

/** A batch of calls of these classes, `toolu_1` and so on, of which the first `settled` have their results. */
function batch(classes: readonly EffectClass[], settled = 0): readonly SessionEvent[] {
  const calls = classes.map((effect, i) => {
    return { id: `toolu_${i + 1}`, tool: "x", arguments: inline("{}"), class: effect } as const;
  });
  const [asked, received, , result] = turnOf(1, { id: "toolu_1", tool: "x", tree: null });
  if (asked === undefined || received === undefined || result?.type !== "call.settled")
    throw new Error("a turn has its request, reply, calls and results");
  const results = calls.slice(0, settled).map(({ id }) => ({ ...result, id }));
  return [asked, received, { type: "calls.intended", turn: 1, calls }, ...results];
}

function recordsOf(events: readonly SessionEvent[]) {
  const place = { previous: genesis, gen: 1, at: 0 };
  return [opened(), input, ...events].map((event) => encodeRecord(event, place).record);
}

function stateAfter(events: readonly SessionEvent[]): State {
  return foldFrom(initialState, recordsOf(events));
}

describe("counting the runs of a session that died", () => {
  it.each([
    ["none before the first claim", [], 1, 0],
    ["none where the last one suspended", [claimed(1), suspended], 2, 0],
    ["the last one where it neither suspended nor ended", [claimed(1)], 2, 1],
    ["those that claimed and stored nothing", [claimed(1)], 4, 3],
    ["those after a clean suspend, too", [claimed(1), suspended], 4, 2],
  ] as const)("counts %s", (_title, events, gen, deaths) => {
    expect(deathsBefore(stateAfter(events), gen)).toBe(deaths);
    const { total } = stateAfter([...events, claimed(gen)]).crashes;
    expect(total).toBe(deaths);
  });

  it.each([
    ["two deaths at one place", [claimed(1), requested, claimed(2)], 3, null],
    ["three deaths at one place", [claimed(1), requested, claimed(2), claimed(3)], 4, "crash-loop"],
    ["three deaths at one place of which two stored nothing", [claimed(1), requested], 4, "crash-loop"],
    [
      "three deaths at as many places",
      [claimed(1), comment, requested, claimed(2), setUp, claimed(3)],
      4,
      null,
    ],
    ["three deaths in one read", [claimed(1), ...batch(["read"]), claimed(2), claimed(3)], 4, null],
    [
      "three deaths in one call that may write",
      [claimed(1), ...batch(["workspace"]), claimed(2), claimed(3)],
      4,
      "crash-loop",
    ],
    ["nine deaths at no place in particular", [claimed(1)], 10, null],
    ["ten deaths at no place in particular", [claimed(1)], 11, "crash-loop"],
    ["ten deaths in one read", [claimed(1), ...batch(["read"])], 11, "crash-loop"],
  ] as const)("after %s the next run is told %s", (_title, events, gen, code) => {
    expect(refuseCrashLoop(stateAfter(events), gen)?.code ?? null).toBe(code);
  });
});

describe("what resumes a session", () => {
  const now = {
    provider: "scripted",
    model: "scripted",
    modelGiven: false,
    protocol: 1,
    tools: digestOf("tools"),
  };

  it.each([
    ["goes on where it is what began it", {}, null, ""],
    ["is refused with another protocol", { protocol: 2 }, "other-protocol", "protocol 1, this version 2"],
    ["is refused with another provider", { provider: "other" }, "other-provider", "has other"],
    ["is refused with another model", { model: "other" }, "other-model", "set model: scripted"],
    ["is refused with other tools", { tools: digestOf("x") }, "other-tools", "resume it with that version"],
    ["is told of the protocol first", { protocol: 2, provider: "other" }, "other-protocol", ""],
    ["is told of the provider before the model", { provider: "x", model: "x" }, "other-provider", ""],
    ["is told of the model before the tools", { model: "x", tools: digestOf("x") }, "other-model", ""],
  ] as const)("%s", (_title, over, code, says) => {
    const refusal = refuseOther(
      { identity: identity(), inputs: ["comment:1"], model: null },
      { ...now, ...over },
    );
    expect(refusal?.code ?? null).toBe(code);
    expect(refusal?.why ?? "").toContain(says);
  });

  it.each([
    ["is refused with the model that began it, once another one was named", "another", false, "other-model"],
    ["goes on with the one that was named, without naming it", "scripted", false, null],
    ["goes on with any that is named now", "another", true, null],
  ])("%s", (_title, model, modelGiven, code) => {
    const session = { identity: identity(), inputs: ["comment:1"], model };
    const before = model === "another" ? now : { ...now, model: "scripted" };
    expect(refuseOther(session, { ...before, modelGiven })?.code ?? null).toBe(code);
  });

  it("is refused where the run before died before it had recorded the task", () => {
    expect(refuseOther({ identity: identity(), inputs: [], model: null }, now)).toMatchObject({
      code: "no-task",
    });
  });

  it.each([
    ["an open session", [claimed(1)], null],
    ["a suspended session", [claimed(1), suspended], null],
    ["an ended session", [claimed(1), ended], "ended"],
  ] as const)("is refused only for what has ended: %s", (_title, events, code) => {
    expect(refuseEnded(stateAfter(events))?.code ?? null).toBe(code);
  });
});

describe("an approval that no call used", () => {
  const asked = (id: string): SessionEvent => {
    return { type: "approval.requested", id, tool: "x", arguments: inline("{}"), why: "it reaches out" };
  };
  const granted: SessionEvent = { type: "approval.granted", id: "toolu_1", by: "octo" };
  const events = [claimed(1), asked("toolu_1"), granted, asked("toolu_2")];

  it("is abandoned where the run died, granted or not", () => {
    const abandoned = abandonApprovals(stateAfter(events), 2);
    expect(abandoned.map((event) => ("id" in event ? event.id : null))).toEqual(["toolu_1", "toolu_2"]);
    expect(stateAfter([...events, claimed(2), ...abandoned]).approvals).toEqual({});
  });

  it("is kept where the run suspended, and abandoned where a run died after that", () => {
    expect(abandonApprovals(stateAfter([...events, suspended]), 2)).toEqual([]);
    expect(abandonApprovals(stateAfter([...events, suspended]), 3)).toHaveLength(2);
    expect(abandonApprovals(stateAfter([...events, suspended, claimed(2)]), 3)).toHaveLength(2);
  });

  it("of setup stays what people said of it, however a run ends", () => {
    const setup = (id: string): SessionEvent => {
      return { type: "approval.requested", id, tool: "setup", arguments: inline("{}"), why: "it changed" };
    };
    const said: SessionEvent = { type: "approval.granted", id: "setup_1", by: "octo" };
    const state = stateAfter([...events, setup("setup_1"), said, setup("setup_2")]);
    expect(abandonApprovals(state, 2).map((event) => "id" in event && event.id)).toEqual([
      "toolu_1",
      "toolu_2",
    ]);
  });

  it("is used by its own call", () => {
    const used = [...events, ...batch(["workspace"])];
    expect(abandonApprovals(stateAfter(used), 2)).toEqual([{ type: "approval.abandoned", id: "toolu_2" }]);
  });
});

/** Recovers a log that ends with these events, and gives what that settled. */
async function recovered(events: readonly SessionEvent[], resolution: Resolution | null = null) {
  const appended: SessionEvent[] = [];
  const placed = recordsOf(events).map((record) => ({ record, offset: 0 }));
  const journal = {
    state: stateAfter(events),
    checkpoint: beginning,
    recordsFrom: async () => placed,
    store: async (text: string) => inline(text),
  };
  const append = async (event: SessionEvent) => appended.push(event);
  const settled = await recoverCalls({ journal, append }, resolution);
  expect(appended).toEqual(settled === null ? [] : [settled]);
  return settled;
}

describe("a call that a run left open", () => {
  const died = (times: number) => Array.from({ length: times }, (_, i) => claimed(i + 2));
  const leftBy = (calls: readonly SessionEvent[], deaths = 1) => [
    claimed(1),
    sandbox,
    ...calls,
    ...died(deaths),
  ];

  it.each(["workspace", "repeatable"] as const)("is rolled back and told, if it is %s", async (effect) => {
    expect(await recovered(leftBy(batch([effect])))).toMatchObject({
      id: "toolu_1",
      status: "rolled-back",
      tree: null,
      output: inline(
        "This call was interrupted before its result was recorded. Its changes were discarded: the workspace is as it was before the call.",
      ),
    });
  });

  it.each([1, 2])("is left to run again, if it reads and %i runs died in it", async (deaths) => {
    expect(await recovered(leftBy(batch(["read"]), deaths))).toBeNull();
  });

  it("is given up, if it reads and three runs died in it", async () => {
    expect(await recovered(leftBy(batch(["read"]), 3))).toMatchObject({
      status: "killed",
      output: inline("This call was interrupted each time it was run; it is not run again."),
    });
  });

  it("is only ever the first one: what stands before it is settled, what stands behind has not begun", async () => {
    const calls = batch(["workspace", "workspace", "external"], 1);
    expect(await recovered(leftBy(calls))).toMatchObject({ id: "toolu_2", status: "rolled-back" });
    expect(callInDoubt(stateAfter(leftBy(calls)), leftBy(calls))).toBeNull();
  });

  it.each(["workspace", "external"] as const)(
    "has not begun, if it is %s and a recovery died after it had settled the one before",
    async (effect) => {
      const settled: SessionEvent = {
        ...{ type: "call.settled", id: "toolu_1", status: "rolled-back", output: inline("undone") },
        ...{ whole: null, tree: null, plan: null },
      };
      const events = [...leftBy(batch(["workspace", effect])), settled];
      expect(await recovered([...events, claimed(3)])).toBeNull();
      expect(callInDoubt(stateAfter(events), events)).toBeNull();
      // In a run that came to its sandbox it may have.
      const began = [...events, sandbox];
      expect(callInDoubt(stateAfter(began), began)?.id ?? null).toBe(
        effect === "external" ? "toolu_2" : null,
      );
      if (effect === "workspace")
        expect(await recovered([...began, claimed(3)])).toMatchObject({
          id: "toolu_2",
          status: "rolled-back",
        });
    },
  );

  it("is none, if all are settled or none was intended", async () => {
    expect(await recovered(leftBy(batch(["workspace"], 1)))).toBeNull();
    expect(await recovered(leftBy([requested]))).toBeNull();
  });

  it("is in doubt, if it is external: it stays so until a person says what became of it", async () => {
    const events = leftBy(batch(["external"]));
    expect(callInDoubt(stateAfter(events), events)).toMatchObject({ id: "toolu_1" });
    await expect(recovered(events)).rejects.toThrow("toolu_1 is in doubt");
  });

  it.each([
    ["done", "ok", "octo looked, and says that it took effect: do not repeat it."],
    ["not-done", "not-run", "octo looked, and says that it did not take effect."],
  ] as const)("is settled as %s by a person's word, which the model is told", async (took, status, says) => {
    const settled = await recovered(leftBy(batch(["external"])), { took, by: "octo" });
    expect(settled).toMatchObject({ id: "toolu_1", status, tree: null });
    expect(JSON.stringify(settled?.output)).toContain(says);
  });
});
