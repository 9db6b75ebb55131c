import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jobLog } from "../../src/adapters/actions/job-log.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { commentary } from "../../src/wire/commentary.ts";
import { captured } from "../adapters/actions/captured.ts";
import { handClock, inline } from "../kit/given.ts";
import { parseWorkflowCommand } from "../kit/runner/workflow-command.ts";
import {
  called,
  calling,
  ended,
  given,
  intended,
  mask,
  output,
  received,
  requested,
  settled,
  text,
} from "./given-commentary.ts";

describe("what is told of a run", () => {
  it("is a group for each turn, with what the model says, the calls, what they print and how they were settled", () => {
    const run = given();
    run.events(requested(1));
    run.lives({ kind: "thinking.delta", text: "Hm" }, { kind: "thinking.delta", text: "." });
    run.lives(text("I look"), text(" first.\nThen"), text(" I run."));
    run.lives({ kind: "call.delta", id: "a", tool: "shell", json: "" });
    run.lives({ kind: "call.delta", id: "a", tool: "shell", json: '{"command":"npm test"}' });
    run.events(received(1), intended(["a", "shell", { command: "npm test" }]));
    run.lives(calling("a", "shell", "npm test"), output("a", "one\ntw"), output("a", "o\n"));
    run.clock.advance(1234);
    run.lives(called("a", "one\ntwo\n[exit code 0]"));
    run.events(settled("a"), ended(1), requested(2));
    run.told.end();
    expect(run.lines).toEqual([
      "+ turn 1",
      "  (thinks)",
      "> I look first.",
      "> Then I run.",
      "  (asks for shell)",
      "  shell npm test",
      "  | one",
      "  | two",
      "  | [exit code 0]",
      "  ok, 1.2 s",
      "-",
      "turn 1 ended: 1 call, 2.5 s, 0.0123 USD; next: calls",
      "+ turn 2",
      "-",
    ]);
  });

  it("says what became of a try that failed, and why it waits", () => {
    const run = given();
    run.events(requested(1));
    run.lives(text("Half a sen"));
    run.events({ type: "reply.failed", turn: 1, attempt: 1, reason: "overloaded" });
    run.lives({ kind: "retry.wait", ms: 4000, reason: "overloaded" });
    run.events(requested(1, 2), received(1, null), ended(1));
    expect(run.lines).toEqual([
      "+ turn 1",
      "> Half a sen",
      "  no reply: overloaded",
      "  asks again in 4.0 s",
      "turn 1, attempt 2",
      "-",
      "turn 1 ended: 0 calls, 2.5 s, cost unknown; next: calls",
    ]);
  });

  it("names the call where several run at once, and where one never ran", () => {
    const run = given();
    run.events(requested(1), intended(["c", "shell", { command: "rm x" }]));
    run.lives(calling("a", "read", "a.txt"), calling("b", "read", "b.txt"));
    run.events(settled("b"), settled("a", "error"), settled("c", "not-run"));
    expect(run.lines.slice(1)).toEqual([
      "  read a.txt",
      "  read b.txt",
      "  ok, 0.0 s: read b.txt",
      "  error, 0.0 s: read a.txt",
      "  not-run: shell rm x",
    ]);
  });

  it("shows what a look-up found only where it went wrong", () => {
    const run = given();
    run.events(requested(1));
    run.lives(calling("a", "read", "a"), called("a", "1 content"), calling("b", "read", "b"));
    run.lives(called("b", "There is no file b.\nThere is a."));
    run.events(settled("a"), settled("b", "error"));
    expect(run.lines.filter((line) => line.startsWith("  |"))).toEqual([
      "  | There is no file b.",
      "  | There is a.",
    ]);
  });

  it("opens a group in a run that goes on in the middle of a turn, and closes it where the run ends", () => {
    const run = given();
    run.lives(calling("a", "shell", "npm test"));
    run.events({ type: "run.suspended", reason: "cancelled", detail: "" });
    expect(run.lines).toEqual(["+ turn 1, gone on with", "  shell npm test", "-", "suspended: cancelled"]);
  });

  it("tells checks, gate and end between the groups", () => {
    const run = given();
    const tree = "1".repeat(40) as never;
    run.events(requested(1), received(1), ended(1));
    run.lives({ kind: "progress", turn: 1, doing: { kind: "summarising" } });
    run.events({ type: "check.started", round: 1, check: "test", on: "change", tree });
    run.events({
      ...{ type: "check.settled", round: 1, check: "test", on: "change", tree, exitCode: 0, timedOut: false },
      ...{ ms: 1500, output: inline("") },
    });
    run.events({ type: "gate.passed", round: 1, tree, definitions: "d" as never });
    run.events({ type: "session.ended", outcome: "pull-request", reason: "opened" });
    expect(run.lines.slice(3)).toEqual([
      "the older part of the conversation is summarised",
      "check test on the change",
      "  check test on the change: exit 0, 1.5 s",
      "gate, round 1: passed on tree 111111111111",
      "ended: pull-request (opened)",
    ]);
  });

  it("says that findings go back to the model once they do, and of a call that it holds a secret", () => {
    const run = given();
    const tree = "1".repeat(40) as never;
    const red: SessionEvent = { type: "gate.failed", round: 1, tree, findings: inline("") };
    run.events(
      requested(1),
      { ...received(1), masked: ["a"] } as SessionEvent,
      ended(1),
      red,
      requested(2),
      ended(2),
    );
    run.events({ ...red, round: 2 }, { type: "run.suspended", reason: "gate-failed", detail: "" });
    expect(run.lines.filter((line) => !/^turn \d ended: /.test(line))).toEqual([
      "+ turn 1",
      "  a call holds a secret of this run and is not run",
      "-",
      "gate, round 1: red",
      "the findings of the gate go back to the model",
      "+ turn 2",
      "-",
      "gate, round 2: red",
      "suspended: gate-failed",
    ]);
  });

  it("tells a check on base beside the work in one line, when it has come out", () => {
    const run = given();
    const base = {
      round: 1,
      check: "test",
      on: "base",
      tree: "1".repeat(40) as never,
      beside: true,
    } as const;
    const out = { ...base, type: "check.settled", ms: 1500, output: inline("") } as const;
    run.events(requested(1), { type: "check.started", ...base });
    run.events({ ...out, exitCode: 1, timedOut: false }, { ...out, exitCode: 0, timedOut: false });
    run.events({ ...out, exitCode: null, timedOut: true });
    expect(run.lines).toEqual([
      "+ turn 1",
      "  on base, beside the work: test failed, exit 1, 1.5 s",
      "  on base, beside the work: test passed, exit 0, 1.5 s",
      "  on base, beside the work: test failed, out of time, 1.5 s",
    ]);
  });
});

describe("what is told in the log of a job", () => {
  const commandsIn = (lines: readonly string[]) =>
    lines.flatMap((line) => parseWorkflowCommand(line, () => true) ?? []).map(({ command }) => command);

  it("holds no workflow command besides its own groups, whatever passes by and however it is cut", async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "::",
        ":",
        "##[",
        "#",
        "[",
        "]",
        "error",
        "\r",
        "\n",
        " ",
        "\u0085",
        "\u2028",
        "\u001b[3",
      ),
      fc.string({ unit: "binary" }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const all = pieces.join("");
        const { lines } = await captured({}, () => {
          const told = commentary(jobLog(mask), { mask, clock: handClock(), outputs: "shown" });
          told.onEvent(requested(1));
          for (const one of pieces) told.onLive(text(one));
          told.onLive({ kind: "call.delta", id: "c", tool: all, json: "" });
          told.onLive(calling("c", all, all));
          for (const one of pieces) told.onLive(output("c", one));
          told.onLive(called("c", all));
          told.onLive({ kind: "retry.wait", ms: 1, reason: all });
          told.onEvent(settled("c", "error"));
          told.onEvent({ type: "reply.failed", turn: 1, attempt: 1, reason: all });
          told.onEvent({
            type: "effect.settled",
            key: "s/branch",
            status: "refused",
            detail: all,
            url: null,
          });
          told.onEvent({ type: "run.suspended", reason: all, detail: all });
        });
        expect(commandsIn(lines.flatMap((line) => line.split("\r")))).toEqual(["group", "endgroup"]);
      }),
      { numRuns: 200 },
    );
  });
});
