import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { memorySessionFiles } from "../../src/adapters/memory/files.ts";
import { maskOf } from "../../src/base/masking.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { createJournal } from "../../src/session/open-journal.ts";
import { encodeRecord } from "../../src/session/record.ts";
import { formatVersion } from "../../src/session/upcast.ts";
import { verifyLog } from "../../src/session/verify.ts";
import { handClock, identity, inline, opened, turnOf } from "../kit/given.ts";

type Files = { manifest: Uint8Array | null; log: Uint8Array };

async function given(
  status: "open" | "suspended" = "open",
  more: readonly SessionEvent[] = [],
): Promise<Files> {
  const files = memorySessionFiles();
  const journal = createJournal(identity(), {
    files,
    clock: handClock(),
    mask: maskOf([]),
    durability: "process",
  });
  const events: SessionEvent[] = [
    opened(),
    { type: "run.claimed", gen: 1, run: { id: "1", attempt: 1, job: "agent" }, head: null },
    ...turnOf(1, { id: "toolu_1", tool: "write", tree: "a".repeat(40) }),
    ...more,
  ];
  for (const event of events) await journal.append(event);
  if (status === "suspended") await journal.append({ type: "run.suspended", reason: "turns", detail: "" });
  return files.state;
}

const lines = (files: Files): string[] => String(files.log).split("\n").slice(0, -1);
const withLines = (files: Files, list: readonly string[]): Files => ({
  ...files,
  log: Buffer.from(list.map((line) => `${line}\n`).join("")),
});
const decide = (files: Files, witnessed: { seq: number; hash: string }[] = []): string => {
  const result = verifyLog(files, { witnessed });
  return result.kind === "damage"
    ? result.code
    : `verified ${result.log.tail.seq}, ${result.log.tornBytes > 0 ? "torn" : "whole"}`;
};

describe("opening a log", () => {
  const cases: readonly [string, (files: Files) => Files, string][] = [
    ["is clean when nothing is missing", (files) => files, "verified 6, whole"],
    [
      "cuts the one record that was announced and is torn",
      (files) => ({ ...files, log: files.log.subarray(0, -5) }),
      "verified 5, torn",
    ],
    [
      "accepts that the announced record was never begun",
      (files) => withLines(files, lines(files).slice(0, -1)),
      "verified 5, whole",
    ],
    [
      "refuses a log that lost an acknowledged record",
      (files) => withLines(files, lines(files).slice(0, -2)),
      "behind",
    ],
    [
      "refuses bytes behind the announced record",
      (files) => ({ ...files, log: Buffer.concat([files.log, Buffer.from("{")]) }),
      "damaged",
    ],
    ["refuses a flipped byte in an acknowledged record", (files) => flip(files, 1000), "damaged"],
    ["refuses a flipped byte in the last record", (files) => flip(files, files.log.length - 60), "damaged"],
    [
      "refuses a record left out in the middle",
      (files) =>
        withLines(
          files,
          lines(files).filter((_, at) => at !== 2),
        ),
      "damaged",
    ],
    [
      "refuses two records that changed places",
      (files) => withLines(files, swap(lines(files), 2, 3)),
      "damaged",
    ],
    [
      "refuses a record written twice",
      (files) => withLines(files, [...lines(files).slice(0, 3), ...lines(files).slice(2)]),
      "damaged",
    ],
    ["refuses a missing manifest", (files) => ({ ...files, manifest: null }), "no-manifest"],
    [
      "refuses a manifest that is not JSON",
      (files) => ({ ...files, manifest: Buffer.from("{") }),
      "no-manifest",
    ],
    [
      "refuses a newer format of the manifest (F70)",
      (files) => manifestWith(files, { format: formatVersion + 1 }),
      "newer-format",
    ],
    [
      "refuses a record of a newer format, whatever is in it (F70)",
      (files) => ({ ...files, log: newerLog() }),
      "newer-format",
    ],
    ["refuses another chain of the same length", (files) => ({ ...files, log: forgedLog(files) }), "forged"],
    [
      "refuses a manifest of another session",
      (files) => manifestWith(files, { identity: identity({ baseRef: "other" }) }),
      "forged",
    ],
    [
      "refuses an event that this version does not know",
      (files) => ({ ...files, log: unknownLog(), manifest: files.manifest }),
      "unknown-event",
    ],
  ];
  it.each(cases)("%s", async (_title, change, decision) => {
    expect(decide(change(await given()))).toBe(decision);
  });

  it("refuses a record whose own hash is right and which names another record before it", async () => {
    const files = await given();
    const third = JSON.parse(lines(files)[2] ?? "{}") as { event: SessionEvent };
    const forged = encodeRecord(third.event, { previous: { seq: 2, hash: "1".repeat(32) }, gen: 1, at: 5 });
    const list = lines(files).map((line, at) => (at === 2 ? String(forged.bytes).trimEnd() : line));
    const result = verifyLog(withLines(files, list), { witnessed: [] });
    expect(result).toMatchObject({ kind: "damage", code: "damaged", seq: 3 });
    expect(result.kind === "damage" && result.why).toContain("does not name record 2");
  });

  it("refuses a valid chain that is not the acknowledged one, is not the announced one, or goes beyond it", async () => {
    const files = await given();
    const all = lines(files).map(
      (line) => JSON.parse(line) as { seq: number; hash: string; event: SessionEvent },
    );
    const acked = { ...files, log: chain(all.slice(0, 5).map(({ event }) => event)) };
    expect(decide(acked)).toBe("forged");
    const last = all.at(-1);
    const before = all.at(-2);
    if (last === undefined || before === undefined) throw new Error("the log is too short");
    const other = encodeRecord(last.event, { previous: before, gen: 1, at: 6 });
    const swapped = [...lines(files).slice(0, -1), String(other.bytes).trimEnd()];
    expect(decide(withLines(files, swapped))).toBe("forged");
    const more = encodeRecord(last.event, { previous: last, gen: 1, at: 6 });
    expect(decide(withLines(files, [...lines(files), String(more.bytes).trimEnd()]))).toBe("forged");
  });

  it("leaves no window after a clean suspend", async () => {
    const files = await given("suspended");
    expect(decide(files)).toBe("verified 7, whole");
    expect(decide(withLines(files, lines(files).slice(0, -1)))).toBe("behind");
  });

  it("leaves no window behind a call that cannot be looked up, so that it is not run again", async () => {
    const external = [{ id: "toolu_9", tool: "shell", arguments: inline("{}"), class: "external" }] as const;
    const intended = { type: "calls.intended", turn: 2, calls: external } as const;
    const files = await given("open", [intended]);
    expect(decide(files)).toBe("verified 7, whole");
    expect(decide(withLines(files, lines(files).slice(0, -1)))).toBe("behind");
    expect(decide({ ...files, log: files.log.subarray(0, -5) })).toBe("damaged");
  });

  it("names the record and the byte where damage begins", async () => {
    const whole = await given();
    const ends = lines(whole).map(
      (_, at) => lines(whole).slice(0, at).join("\n").length + (at === 0 ? 0 : 1),
    );
    const offset = ends[3] ?? 0;
    const result = verifyLog(flip(whole, offset + 20), { witnessed: [] });
    expect(result).toMatchObject({ kind: "damage", seq: 4, offset });
  });

  it("refuses a chain that a witness has seen longer, or otherwise", async () => {
    const files = await given();
    expect(decide(files, [{ seq: 7, hash: "0".repeat(32) }])).toBe("behind");
    expect(decide(files, [{ seq: 3, hash: "0".repeat(32) }])).toBe("forked");
    const third = JSON.parse(lines(files)[2] ?? "{}") as { hash: string };
    expect(decide(files, [{ seq: 3, hash: third.hash }])).toBe("verified 6, whole");
  });

  it("refuses every single flipped bit of an acknowledged record", async () => {
    const files = await given("suspended");
    const accepted: number[] = [];
    for (let at = 0; at < files.log.length; at += 1)
      if (!/^(damaged|behind|forged)$/.test(decide(flip(files, at)))) accepted.push(at);
    expect(accepted).toEqual([]);
  });
});

function flip(files: Files, at: number): Files {
  const log = Buffer.from(files.log);
  log[at] = (log[at] ?? 0) ^ 1;
  return { ...files, log };
}

function swap(list: readonly string[], a: number, b: number): string[] {
  return list.map((line, at) => (at === a ? (list[b] ?? "") : at === b ? (list[a] ?? "") : line));
}

function manifestWith(files: Files, over: object): Files {
  const manifest = JSON.parse(String(files.manifest)) as object;
  return { ...files, manifest: Buffer.from(JSON.stringify({ ...manifest, ...over })) };
}

function chain(events: readonly SessionEvent[]): Uint8Array {
  let previous = { seq: 0, hash: "0".repeat(32) };
  return Buffer.concat(
    events.map((event) => {
      const line = encodeRecord(event, { previous, gen: 1, at: 5 });
      previous = { seq: line.record.seq, hash: line.record.hash };
      return line.bytes;
    }),
  );
}

function forgedLog(files: Files): Uint8Array {
  return chain(lines(files).map((line) => (JSON.parse(line) as { event: SessionEvent }).event));
}

function newerLog(): Uint8Array {
  const [first = ""] = String(chain([opened()])).split("\n");
  const [head = ""] = first.replace(`"v":${formatVersion}`, `"v":${formatVersion + 1}`).split(',"hash"');
  const open = head.replace("session.opened", "session.begun");
  const hash = createHash("sha256").update(open).digest("hex").slice(0, 32);
  return Buffer.from(`${open},"hash":"${hash}"}\n`);
}

function unknownLog(): Uint8Array {
  return chain([opened(), { type: "mystery.happened", text: inline("?") } as never]);
}
