import { describe, expect, it } from "vitest";
import { onLines } from "../../src/wire/local-waits.ts";

const again = "baton resume s0123456789ab";

describe("the last line of a run in a terminal", () => {
  it("is the command that goes on, with room for words where it takes them", () => {
    expect(onLines({ kind: "suspended", waits: null }, again)).toEqual([`go on with: ${again}`]);
    expect(onLines({ kind: "gate-failed", waits: null }, again)).toEqual([
      `go on with: ${again} --answer '<what to do differently>'`,
    ]);
    const waits = { waiting: { kind: "question", question: "Tabs?" }, thread: null, url: null } as const;
    expect(onLines({ kind: "needs-input", waits }, again)).toEqual([
      `answer with: ${again} --answer '<your answer>'`,
    ]);
  });

  it("shows what setup would run, and on what, before the commands that answer", () => {
    const file = {
      path: "package.json",
      status: "modified",
      mode: "100644",
      sha256: null,
      patch: "+1\u202e\n",
    };
    const given = { commands: ["npm ci"], env: [], files: [file], packages: [] };
    const call = { id: "setup_1", tool: "setup", arguments: JSON.stringify(given), why: "it changed" };
    const waits = { waiting: { kind: "approval", calls: [call] }, thread: null, url: null } as const;
    expect(onLines({ kind: "needs-input", waits }, again)).toEqual([
      "setup (setup_1) waits because it changed; it would run, with network:",
      "  npm ci",
      "on the base with these files of the change alone: package.json",
      "+1\\u202e",
      `allow it with: ${again} --answer 'approve setup_1'`,
      `refuse it with: ${again} --answer 'deny setup_1 <why>'`,
    ]);
  });
});
