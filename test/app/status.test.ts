import { describe, expect, it } from "vitest";
import { memoryHost } from "../../src/adapters/memory/host.ts";
import { doingOf } from "../../src/app/doing.ts";
import { editMs } from "../../src/app/kept-comment.ts";
import { openBoard } from "../../src/app/status.ts";
import type { Doing, Live } from "../../src/loop/live.ts";
import { initialState } from "../../src/session/state.ts";
import { identity } from "../kit/given.ts";
import { heldClock, settled } from "../kit/held-clock.ts";
import { givenStage, startProcess, thread } from "../kit/story/stage.ts";

async function givenBoard() {
  const stage = givenStage();
  const clock = heldClock();
  const host = memoryHost(stage.github);
  const allowance = { left: 1 };
  const cancel = new AbortController();
  /** When the comment was edited, in seconds. */
  const edits: number[] = [];
  const { means: rest } = startProcess(stage);
  const means = {
    ...rest,
    clock,
    cancelled: cancel.signal,
    host: {
      ...host,
      allowance,
      comment: {
        ...host.comment,
        update: (id: number, body: string) => {
          edits.push(clock.elapsed() / 1000);
          return host.comment.update(id, body);
        },
      },
    },
  };
  const state = { ...initialState };
  const board = openBoard(identity({ thread: { kind: "issue", number: thread } }), {
    means,
    state: () => state,
    runs: ["1"],
    notes: [],
  });
  const open = () =>
    board.open({
      append: async () => undefined,
      shipped: async () => undefined,
      fenced: async () => null,
      clock,
      signal: cancel.signal,
    });
  const body = () => stage.github.comments.at(-1)?.body ?? "";
  const doing = () => /Baton is (.*)\.\n/.exec(body())?.[1];
  return { board, open, clock, allowance, cancel, edits, state, body, doing };
}

const stopped = { outcome: "suspended", reason: "budget", detail: "", resumable: true, compareUrl: null };
const ending = { stopped, pullRequest: null, silent: false };

const progress = (doing: Doing, turn = 7): Live => ({ kind: "progress", turn, doing });
const shell = (subject: string): Live => progress({ kind: "calling", id: "1", tool: "shell", subject });

describe("the status comment while a run works", () => {
  it("edits itself during a long call, once for all that was new, with what is true then", async () => {
    const given = await givenBoard();
    await given.open();
    given.board.watch(progress({ kind: "asking", attempt: 1 }));
    given.board.watch(shell("npm test"));
    await given.clock.advance(29_999);
    expect([given.edits, given.doing()]).toEqual([[], "starting"]);
    await given.clock.advance(1);
    expect([given.edits, given.doing()]).toEqual([[30], "working: turn 7, running a command"]);
    await given.clock.advance(600_000);
    expect(given.edits).toEqual([30]);
    given.board.say("running the checks");
    await settled();
    expect([given.edits, given.doing()]).toEqual([[30, 630], "running the checks"]);
  });

  it("is not edited where nothing it says has changed", async () => {
    const given = await givenBoard();
    await given.open();
    given.board.say("starting");
    await given.clock.advance(60_000);
    expect(given.edits).toEqual([]);
  });

  it("says what was said while it was made", async () => {
    const given = await givenBoard();
    const opening = given.open();
    given.board.say("working");
    await opening;
    await given.clock.advance(30_000);
    expect([given.edits, given.doing()]).toEqual([[30], "working"]);
  });

  it("is edited more rarely as the hour's requests go, and not at all below a tenth of them", async () => {
    const left = [1, 0.5, 0.25, 0.1, 0.09, 0];
    expect(left.map((share) => editMs({ left: share }))).toEqual([
      30_000,
      30_000,
      60_000,
      150_000,
      null,
      null,
    ]);
    const given = await givenBoard();
    await given.open();
    given.allowance.left = 0.25;
    given.board.say("working");
    await given.clock.advance(59_999);
    expect(given.edits).toEqual([]);
    given.allowance.left = 0.05;
    await given.clock.advance(3_600_000);
    expect(given.edits).toEqual([]);
    given.allowance.left = 1;
    given.board.watch(shell("npm test"));
    await settled();
    expect(given.edits).toEqual([3659.999]);
  });

  it("is finished at once, however few requests are left, and never edited after that", async () => {
    const given = await givenBoard();
    await given.open();
    given.allowance.left = 0;
    given.board.say("working");
    await given.clock.advance(1000);
    await given.board.finish(ending);
    expect(given.edits).toEqual([1]);
    given.allowance.left = 1;
    given.board.watch(shell("npm test"));
    await given.clock.advance(120_000);
    expect(given.edits).toEqual([1]);
    expect(given.body()).toContain("Baton stopped: **suspended**.");
  });

  it("is left to the post step once the run is cancelled", async () => {
    const given = await givenBoard();
    await given.open();
    given.board.say("working");
    given.cancel.abort();
    await given.clock.advance(120_000);
    expect(given.edits).toEqual([]);
  });

  it("tells turns, minutes and cost so far, and says so where a price is unknown", async () => {
    const given = await givenBoard();
    await given.open();
    Object.assign(given.state, { turn: { ...given.state.turn, number: 6 }, activeMs: 200_000, costUsd: 0.5 });
    given.state.plan = [{ text: "Reproduce", status: "doing" }];
    given.board.watch(shell("npm test"));
    await given.clock.advance(30_000);
    expect(given.body()).toContain("- [ ] Reproduce (now)\n\n6 turns · 3 minutes · $0.50 · ");
    given.state.costUsd = null;
    given.board.say("working");
    await given.clock.advance(30_000);
    expect(given.body()).toContain("6 turns · 3 minutes · cost unknown · ");
  });

  it("tells no command, no path, no output and nothing that the model says", async () => {
    const given = await givenBoard();
    await given.open();
    const lives: readonly Live[] = [
      { kind: "text.delta", text: "SECRET" },
      { kind: "thinking.delta", text: "SECRET" },
      { kind: "call.delta", id: "SECRET", tool: "SECRET", json: "SECRET" },
      { kind: "output.delta", id: "SECRET", text: "SECRET" },
      progress({ kind: "calling", id: "SECRET", tool: "SECRET", subject: "SECRET" }),
      progress({ kind: "calling", id: "SECRET", tool: "read", subject: "SECRET" }),
      progress({ kind: "called", id: "SECRET", output: "SECRET" }),
      { kind: "retry.wait", ms: 1000, reason: "SECRET" },
    ];
    const told: (string | undefined)[] = [];
    for (const live of lives) {
      given.board.watch(live);
      await given.clock.advance(30_000);
      expect(given.body()).not.toContain("SECRET");
      told.push(given.doing());
    }
    expect([...new Set(told)]).toEqual([
      "starting",
      "working: turn 7, using a tool",
      "working: turn 7, reading",
      "working: turn 0, waiting before the model is asked again",
    ]);
  });

  it("has words of its own for each tool there is", () => {
    const tools = ["read", "glob", "search", "edit", "write", "shell", "plan", "constructor"];
    expect(
      tools.map((tool) => doingOf(progress({ kind: "calling", id: "1", tool, subject: "" }), 0)),
    ).toEqual(
      [
        "reading",
        "reading",
        "searching",
        "changing files",
        "changing files",
        "running a command",
        "planning",
        "using a tool",
      ].map((words) => `working: turn 7, ${words}`),
    );
  });
});
