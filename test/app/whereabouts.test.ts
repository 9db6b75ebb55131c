import { describe, expect, it } from "vitest";
import { statusText, stopText, whereaboutsOf } from "../../src/app/whereabouts.ts";
import { parseCommand } from "../../src/command/command.ts";
import { markerOf } from "../../src/delivery/marker.ts";
import { sessionId } from "../kit/given.ts";
import { givenStage, startProcess, thread } from "../kit/story/stage.ts";

const { signal } = new AbortController();

/** A session for each headline, oldest first; `run` holds it, and works on it unless it is over. */
async function givenSessions(
  sessions: readonly { readonly headline: string; readonly run?: string; readonly over?: true }[],
) {
  const stage = givenStage();
  const { means } = startProcess(stage);
  for (const [at, { headline, run, over }] of sessions.entries()) {
    const session = sessionId(`s00000000000${at}`);
    const body = `${markerOf(means.key, session, "comment")}\n${headline}\n\nTo go on, comment \`@baton resume\`.\n`;
    await means.host.comment.create(thread, body);
    if (run === undefined) continue;
    const ref = { id: run, attempt: 1, job: "agent" };
    stage.leases.leases.push({ session, gen: 1, run: ref, head: null });
    if (over) stage.leases.ended.push(ref);
  }
  const found = await whereaboutsOf(thread, means, { signal });
  return { status: statusText(found, means), stop: stopText(found, means) };
}

describe("who asks for the status of a thread", () => {
  it("is told what each session does, which run works on it, and how to go on where none does", async () => {
    const { status } = await givenSessions([
      { headline: "Baton stopped: **pull-request**." },
      { headline: "Baton stopped: **suspended**.", run: "11", over: true },
      { headline: "Baton stopped: **needs-input**.", run: "12", over: true },
      { headline: "Baton is working: turn 3.", run: "13", over: true },
      { headline: "Baton is working: turn 5.", run: "14" },
    ]);
    expect(status).toMatchInlineSnapshot(`
      "Sessions of this thread, newest first:

      - session <code>s000000000004</code>: Baton is working: turn 5. [Its comment](https://github.example/o/r/issues/7#issuecomment-5) says more. [Run 14](https://github.example/o/r/actions/runs/14) works on it now; words after <code>@baton</code> are passed on to it, and <code>@baton stop</code> suspends it.
      - session <code>s000000000003</code>: Baton is working: turn 3. [Its comment](https://github.example/o/r/issues/7#issuecomment-4) says more. No run works on it any more. To go on, comment <code>@baton resume s000000000003</code> here, or dispatch the workflow with the session <code>s000000000003</code>.
      - session <code>s000000000002</code>: Baton stopped: **needs-input**. [Its comment](https://github.example/o/r/issues/7#issuecomment-3) says more. How to answer stands there too.
      - session <code>s000000000001</code>: Baton stopped: **suspended**. [Its comment](https://github.example/o/r/issues/7#issuecomment-2) says more. To go on, comment <code>@baton resume s000000000001</code> here, or dispatch the workflow with the session <code>s000000000001</code>.
      - session <code>s000000000000</code>: Baton stopped: **pull-request**. [Its comment](https://github.example/o/r/issues/7#issuecomment-1) says more."
    `);
  });

  it("is told that one goes on with words whose checks stayed red", async () => {
    const { status } = await givenSessions([
      { headline: "Baton stopped: **gate-failed**.", run: "11", over: true },
    ]);
    expect(status).toContain("comment <code>@baton</code> and what to do differently here");
    expect(status).not.toContain("@baton resume");
  });

  it("is told how many there are that are not listed", () => {
    const { means } = startProcess(givenStage());
    const one = { session: sessionId(), url: "", headline: "Baton is working.", runs: [], worker: null };
    const text = statusText(Array(200).fill({ ...one, held: true }), means);
    expect(text.split("\n").at(-1)).toBe("- and 150 older");
    expect(text.length).toBeLessThan(65_536);
  });

  it("is told where there is none", async () => {
    const { status } = await givenSessions([]);
    expect(status).toBe("No session has been started on this thread.");
  });
});

describe("who says stop", () => {
  it("is told which run suspends what, and how to go on", async () => {
    const { stop } = await givenSessions([
      { headline: "Baton is working.", run: "11", over: true },
      { headline: "Baton is working.", run: "12" },
    ]);
    expect(stop).toMatchInlineSnapshot(
      `"[Run 12](https://github.example/o/r/actions/runs/12) works on session <code>s000000000001</code>. It sees this within about a minute and suspends: everything up to the last finished call is kept, and what it publishes by then stands. To go on, comment <code>@baton resume s000000000001</code> here, or dispatch the workflow with the session <code>s000000000001</code>."`,
    );
  });

  it("is told that nothing is worked on, and how the newest session stands", async () => {
    const { stop } = await givenSessions([
      { headline: "Baton stopped: **suspended**.", run: "11", over: true },
    ]);
    expect(stop).toMatchInlineSnapshot(
      `"No run works on a session of this thread now. The newest is <code>s000000000000</code>: Baton stopped: **suspended**. What was asked for before this and has not begun yet suspends when it begins."`,
    );
    expect((await givenSessions([])).stop).not.toContain("newest");
  });
});

it("No answer can be a command itself (T4)", async () => {
  const texts = await givenSessions([
    { headline: "Baton is working.", run: "11" },
    { headline: "Baton stopped: **suspended**.", run: "12", over: true },
  ]);
  const lines = Object.values(texts).flatMap((text) => text.split("\n"));
  expect(lines.filter((line) => parseCommand(line, "@baton") !== null)).toEqual([]);
});
