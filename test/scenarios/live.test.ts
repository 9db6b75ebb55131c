import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { journalVariable } from "../kit/kill/story.ts";
import { calls, say, use } from "../kit/model/script.ts";
import { apiKey, canSandbox, givenWorld } from "../kit/world.ts";
import { commentsOfOurs, expectEnding } from "./given.ts";
import { configWith, givenJournal, inJournal, orEnd } from "./given-journal.ts";

const quickClock = path.resolve(import.meta.dirname, "../kit/quick-clock.ts");

/** Prints a key in two pieces, waits until the test lets it go on, and prints more than anybody wants to read. */
const longCommand = [
  `printf '%s' key=${apiKey.slice(0, 15)}; printf '%s\\n' ${apiKey.slice(15)}`,
  inJournal("waiting"),
  "printf '::error::from a tool\\n'",
  "seq 1000000",
].join("; ");

/** The lines of each group, by its title. */
function groupsOf(log: string): ReadonlyMap<string, readonly string[]> {
  const groups = log.matchAll(/^##\[group\](.*)\n([\s\S]*?)^##\[endgroup\]$/gm);
  return new Map([...groups].map(([, title = "", body = ""]) => [title, body.trimEnd().split("\n")]));
}

describe.skipIf(!canSandbox)("what people see while a run works", () => {
  it("is a group for each turn with its calls in the log, and a comment that goes on while a call runs", async () => {
    await using world = await givenWorld({
      files: { ".github/agent.yml": configWith({}) },
      inputs: { "show-output": "true" },
      script: [
        calls([{ name: "read", input: { path: "sum.mjs" } }], { text: "I look first.\nThen I run it." }),
        use("shell", { command: longCommand }),
        use("edit", { path: "sum.mjs", old: "a - b", new: "a + b" }),
        say("Add in sum\n\nIt subtracted."),
      ],
    });
    using journal = givenJournal(world);
    const asked = world.asked();
    const nodeFlags = ["--import", quickClock];
    const job = await world.job(asked, { nodeFlags, env: { [journalVariable]: journal.dir } });
    await orEnd(job, journal.seen("waiting"));
    const comment = () => commentsOfOurs(world, asked.issue).at(-1)?.body ?? "";
    await orEnd(job, expect.poll(comment, { timeout: 20_000 }).toContain("turn 2, running a command."));
    expect(comment()).not.toContain("printf");
    writeFileSync(path.join(journal.dir, "hold"), "go on\n");
    const result = await job.done;
    await expectEnding(world, result, {
      ...{ outcome: "pull-request", reason: "opened", exit: 0, requests: 4, pulls: 1 },
      branches: [/^agent\//],
    });
    const groups = groupsOf(result.log);
    expect([...groups.keys()]).toEqual(["turn 1", "turn 2", "turn 3", "turn 4"]);
    expect(groups.get("turn 1")).toEqual(
      expect.arrayContaining(["> I look first.", "> Then I run it.", "  read sum.mjs"]),
    );
    const second = groups.get("turn 2") ?? [];
    expect(second).toContainEqual(expect.stringMatching(/^ {2}shell printf '%s' key=/));
    const printed = second.filter((line) => line.startsWith("  | "));
    // 40 of 1,000,003 lines as they came, and the last 20, the exit code among them.
    expect(printed.slice(0, 3)).toEqual(["  | key=***", "  | ::error::from a tool", "  | 1"]);
    expect(printed.slice(39, 42)).toEqual(["  | 38", "  | [999,943 lines left out here]", "  | 999982"]);
    expect(printed.at(-1)).toBe("  | [exit code 0]");
    expect(groups.get("turn 3")).toContain("  edit sum.mjs");
    expect(result.annotations).toEqual([]);
  });
});
