import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/base/hash.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { encodeRecord, genesis } from "../../src/session/record.ts";
import { refuseResume } from "../../src/session/recover.ts";
import { deathsBefore, foldFrom, initialState, type State } from "../../src/session/state.ts";
import { opened, turnOf } from "../kit/given.ts";

const run = { id: "1", attempt: 1, job: "agent" };
const claimed = (gen: number): SessionEvent => ({ type: "run.claimed", gen, run, head: null });
const suspended: SessionEvent = { type: "run.suspended", reason: "turns", detail: "" };
const requested: SessionEvent = { type: "reply.requested", turn: 1, attempt: 1, maxTokens: 1000 };
const comment: SessionEvent = { type: "effect.intended", key: "s0123456789ab/comment", detail: "{}" };
const setUp: SessionEvent = { type: "setup.started", commands: [] };
/** A call that was intended and never settled. */
const openCall = (tree: string | null) =>
  turnOf(1, { id: "toolu_1", tool: "x", tree }).filter((event) => event.type !== "call.settled");

function stateAfter(events: readonly SessionEvent[]): State {
  const place = { previous: genesis, gen: 1, at: 0 };
  return foldFrom(
    initialState,
    events.map((event) => encodeRecord(event, place).record),
  );
}

const now = { provider: "scripted", model: "scripted", protocol: 1, tools: digestOf("tools") };
const codeFor = (events: readonly SessionEvent[], gen: number): string | null =>
  refuseResume(stateAfter([opened(), ...events]), { ...now, gen })?.code ?? null;

describe("counting the runs of a session that died", () => {
  it.each([
    ["none before the first claim", [], 1, 0],
    ["none where the last one suspended", [claimed(1), suspended], 2, 0],
    ["the last one where it neither suspended nor ended", [claimed(1)], 2, 1],
    ["those that claimed and stored nothing", [claimed(1)], 4, 3],
    ["those after a clean suspend, too", [claimed(1), suspended], 4, 2],
  ] as const)("counts %s", (_title, events, gen, deaths) => {
    expect(deathsBefore(stateAfter([opened(), ...events]), gen)).toBe(deaths);
    const { total } = stateAfter([opened(), ...events, claimed(gen)]).crashes;
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
    ["three deaths in one read", [claimed(1), ...openCall(null), claimed(2), claimed(3)], 4, null],
    ["nine deaths at no place in particular", [claimed(1)], 10, null],
    ["ten deaths at no place in particular", [claimed(1)], 11, "crash-loop"],
  ] as const)("after %s the next run is told %s", (_title, events, gen, code) => {
    expect(codeFor(events, gen)).toBe(code);
  });
});
