import { describe, expect, it } from "vitest";
import { eventsOf, fix, givenTerminal, seed, sessionIn, shell } from "./given.ts";

describe("a session that waits, in a terminal", () => {
  it("says what it waits for and how it is answered, and goes on with the answer", async () => {
    const files = { ...seed, ".github/agent.yml": `${seed[".github/agent.yml"]}approve: [shell]\n` };
    using terminal = givenTerminal({ files });
    const { program } = terminal;
    const model = terminal.script([
      { calls: [{ name: "ask", input: { question: "One or two?" } }] },
      { calls: [shell("sh check.sh\ntrue")] },
      { calls: [fix] },
      { text: "Make n two" },
    ]);
    const first = await terminal.run("run", "make n right", "--model", model);
    const session = sessionIn(first.out);
    expect(first.exit, first.out).toBe(0);
    expect(first.out).toContain("needs-input (question): One or two?\n");
    expect(first.out).toContain(`answer with: ${program} resume ${session} --answer '<your answer>'\n`);
    expect(first.out).not.toContain("go on with:");

    const records = eventsOf(terminal, session).length;
    const again = await terminal.run("resume", session);
    expect(again.out).toContain("needs-input (question): One or two?\n");
    expect(eventsOf(terminal, session)).toHaveLength(records);

    const second = await terminal.run("resume", session, "--answer", "two");
    expect(second.out).toContain("needs-input (approval): The call shell (call_2_1) waits for approval.\n");
    expect(second.out).toContain('  "command": "sh check.sh\\n\n\u2937 true"\n');
    expect(second.out).toContain(`allow it with: ${program} resume ${session} --answer 'approve call_2_1'\n`);
    const wrong = await terminal.run("resume", session, "--answer", "approve call_9_9");
    expect(wrong).toMatchObject({ exit: 1, out: expect.stringContaining("refused (nothing-to-approve)") });

    const last = await terminal.run("resume", session, "--answer", "approve call_2_1");
    expect(last.out).toContain("pull-request (pushed)");
    const settled = eventsOf(terminal, session).find(
      (event) => event["id"] === "call_2_1" && "output" in event,
    );
    expect(settled).toMatchObject({ type: "call.settled" });
    const said = eventsOf(terminal, session).filter(({ type }) => type === "input.accepted");
    expect(JSON.stringify(said.at(-1)?.["text"])).toContain("two");
    expect(said).toHaveLength(2);
  });
});
