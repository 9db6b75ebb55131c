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
});
