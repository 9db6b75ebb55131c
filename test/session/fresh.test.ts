import { describe, expect, it } from "vitest";
import type { Head } from "../../src/session/event.ts";
import { judgeFreshness } from "../../src/session/fresh.ts";
import type { Lease } from "../../src/session/leases.ts";
import { encodeRecord, genesis } from "../../src/session/record.ts";
import { opened, sessionId, turnOf } from "../kit/given.ts";

const events = [opened(), ...turnOf(1, { id: "toolu_1", tool: "x", tree: null })];
const heads: Head[] = [];
const lines: Uint8Array[] = [];
for (const event of events) {
  const { record, bytes } = encodeRecord(event, { previous: heads.at(-1) ?? genesis, gen: 1, at: 0 });
  heads.push({ seq: record.seq, hash: record.hash });
  lines.push(bytes);
}
const log = Buffer.concat(lines);
const to = events.length;

const headAt = (seq: number): Head => heads[seq - 1] ?? genesis;
const lease = (gen: number, head: Head | null): Lease => {
  return { session: sessionId(), gen, run: { id: String(gen), attempt: 1, job: "agent" }, head };
};
const other = { seq: 2, hash: "f".repeat(32) };

describe("what was found of a session", () => {
  it.each([
    ["is fresh where no lease goes on from a record", [lease(1, null)], null],
    [
      "is fresh where it holds each record that a lease goes on from",
      [lease(2, headAt(2)), lease(3, headAt(to))],
      null,
    ],
    [
      "is stale where a lease goes on from a later record",
      [lease(1, null), lease(2, { ...other, seq: to + 1 })],
      "stale",
    ],
    ["is forked where a lease goes on from another record in its place", [lease(2, other)], "forked"],
    ["is judged by every lease", [lease(2, headAt(2)), lease(3, other)], "forked"],
  ] as const)("%s", (_title, holders, code) => {
    expect(judgeFreshness({ log, to }, holders)?.code ?? null).toBe(code);
  });

  it("names the run whose work is missing", () => {
    const why = judgeFreshness({ log, to }, [lease(4, { ...other, seq: 90 })])?.why;
    expect(why).toBe(`generation 4 (run 4) went on from record 90, and what is stored ends at record ${to}`);
  });

  it("leaves a line that names no hash to the proof of the log", () => {
    const broken = Buffer.from(log);
    broken.write("?", (lines[0]?.length ?? 0) + (lines[1]?.length ?? 0) - 3);
    expect(judgeFreshness({ log: broken, to }, [lease(2, other)])).toBeNull();
    expect(judgeFreshness({ log: log.subarray(0, 20), to }, [lease(2, other)])).toBeNull();
  });
});
