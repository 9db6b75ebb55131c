import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git } from "../kit/repositories.ts";
import { fix, givenTerminal, sessionIn, type Terminal } from "./given.ts";

/** A session that its budget suspended after one turn. */
async function suspended(terminal: Terminal, ...words: string[]): Promise<string> {
  const model = terminal.script([{ calls: [fix] }, { text: "Make n two" }]);
  const { exit, out } = await terminal.run(
    "run",
    "make n two",
    "--model",
    model,
    "--max-turns",
    "1",
    ...words,
  );
  expect(exit, out).toBe(0);
  return sessionIn(out);
}

function logOf({ sessions }: Terminal, session: string): string {
  return readFileSync(join(sessions, session, "events.jsonl"), "utf8");
}

describe("resume", () => {
  it("refuses when something else is checked out, says what moved, and goes on when told to", async () => {
    using terminal = givenTerminal();
    const { repository } = terminal;
    const session = await suspended(terminal);
    const log = logOf(terminal, session);
    const began = git(repository, ["rev-parse", "main"]);
    const again = ["resume", session, "--max-turns", "9"] as const;
    git(repository, ["checkout", "--quiet", "-b", "other"]);
    const elsewhere = await terminal.run(...again);
    expect(elsewhere).toMatchObject({
      exit: 1,
      out: expect.stringContaining(
        `main checked out at ${began.slice(0, 12)} when this session began, and has other checked out now; check out main again, or resume it with --base main to go on from ${began.slice(0, 12)} all the same.`,
      ),
    });
    expect(elsewhere.out).toContain("refused (moved): ");
    expect(elsewhere.out).not.toContain("go on with:");
    git(repository, ["checkout", "--quiet", "--detach"]);
    expect((await terminal.run(...again)).out).toContain("and has no branch checked out now;");
    git(repository, ["checkout", "--quiet", "main"]);
    writeFileSync(join(repository, "mine.txt"), "mine\n");
    git(repository, ["add", "mine.txt"]);
    git(repository, ["commit", "--quiet", "--message=Mine"]);
    const newer = await terminal.run(...again);
    expect(newer.exit, newer.out).toBe(1);
    expect(newer.out).toContain(`and main is at ${git(repository, ["rev-parse", "main"]).slice(0, 12)} now;`);
    expect(logOf(terminal, session)).toBe(log);
    expect(await terminal.run(...again, "--base", "other")).toMatchObject({
      exit: 2,
      out: expect.stringContaining(`${session} works from main, not from other;`),
    });

    const { exit, out } = await terminal.run(...again, "--base", "main");
    expect(exit, out).toBe(0);
    const branch = `agent/task-${session}`;
    expect(git(repository, ["rev-parse", `${branch}^`])).toBe(began);
    expect(git(repository, ["diff", "--name-status", `${began}..${branch}`])).toBe("M\tn.txt");
  });

  it("takes no notice of what is checked out where the base was named", async () => {
    using terminal = givenTerminal();
    const session = await suspended(terminal, "--base", "main");
    git(terminal.repository, ["checkout", "--quiet", "-b", "other"]);
    const { exit, out } = await terminal.run("resume", session, "--max-turns", "9");
    expect(exit, out).toBe(0);
    expect(out).toContain("pull-request (pushed): ");
  });
});
