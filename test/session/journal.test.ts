import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type MemoryFiles, memorySessionFiles, type WriteFault } from "../../src/adapters/memory/files.ts";
import { digestOf } from "../../src/base/hash.ts";
import { maskOf } from "../../src/base/masking.ts";
import { stateOf } from "../../src/session/checkpoint.ts";
import type { SessionEvent } from "../../src/session/event.ts";
import { createJournal, openJournal, StorageFailure } from "../../src/session/open-journal.ts";
import { foldFrom, initialState } from "../../src/session/state.ts";
import { type VerifiedLog, verifyLog } from "../../src/session/verify.ts";
import { handClock, identity, inline, opened, recordsOf, turnOf } from "../kit/given.ts";

const options = (files: MemoryFiles) => ({
  files,
  clock: handClock(),
  mask: maskOf([]),
  durability: "process" as const,
});

const story: readonly SessionEvent[] = [
  opened(),
  { type: "run.claimed", gen: 1, run: { id: "1", attempt: 1, job: "agent" }, head: null },
  { type: "input.accepted", id: "comment:1", by: "octo", text: inline("fix it") },
  ...turnOf(1, { id: "toolu_1", tool: "write", tree: "a".repeat(40) }),
];

async function written(files: MemoryFiles, events: readonly SessionEvent[] = story): Promise<void> {
  const journal = createJournal(identity(), options(files));
  for (const event of events) await journal.append(event);
}

function verified(files: MemoryFiles): VerifiedLog {
  const result = verifyLog(files.state, { witnessed: [] });
  if (result.kind === "damage") throw new Error(`${result.code}: ${result.why}`);
  return result.log;
}

describe("the journal", () => {
  it("writes the manifest before the line, naming the record about to be appended", async () => {
    const files = memorySessionFiles({ at: "append", write: 3, bytes: 0 });
    await expect(written(files)).rejects.toThrow(StorageFailure);
    const manifest = JSON.parse(String(files.state.manifest)) as {
      next: { seq: number };
      acked: { seq: number };
    };
    expect(manifest).toMatchObject({ next: { seq: 3 }, acked: { seq: 2 } });
    expect(verified(files).tail.seq).toBe(2);
  });

  it("refuses every append after a failed one", async () => {
    const files = memorySessionFiles({ at: "append", write: 2, bytes: 10 });
    const journal = createJournal(identity(), options(files));
    await journal.append(opened());
    await expect(journal.append(opened())).rejects.toThrow("cannot write record 2 (session.opened)");
    await expect(journal.append(opened())).rejects.toThrow("the log is closed after a failed write");
  });

  it("ships what was acknowledged after a failed append, and none of the bytes behind it", async () => {
    const files = memorySessionFiles({ at: "append", write: 3, bytes: 50 });
    const journal = createJournal(identity(), options(files));
    for (const event of story) await journal.append(event).catch(() => undefined);
    const snapshot = await journal.snapshot();
    expect(files.state.log.length - snapshot.log.length).toBe(50);
    expect(verifyLog(snapshot, { witnessed: [] })).toMatchObject({ log: { tail: { seq: 2 }, tornBytes: 0 } });
  });

  it.each(["store", "append"] as const)("is closed when the blob of %s cannot be stored", async (by) => {
    const files = memorySessionFiles({ at: "blob", write: 1, bytes: 0 });
    const journal = createJournal(identity(), options(files));
    await journal.append(opened());
    const large = "x".repeat(70_000);
    const note = { type: "note.added", about: "nudge", text: inline(large) } as const;
    await expect(by === "store" ? journal.store(large) : journal.append(note)).rejects.toThrow(
      StorageFailure,
    );
    await expect(journal.append(opened())).rejects.toThrow("the log is closed after a failed write");
  });

  it("gives parallel appends consecutive numbers", async () => {
    const files = memorySessionFiles();
    const journal = createJournal(identity(), options(files));
    await journal.append(opened());
    await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        journal.append({ type: "note.added", about: "nudge", text: inline(String(at)) }),
      ),
    );
    expect(recordsOf(verified(files)).map((record) => record.seq)).toEqual(
      Array.from({ length: 21 }, (_, at) => at + 1),
    );
  });

  it("moves payloads to blobs until a line fits", async () => {
    const files = memorySessionFiles();
    const journal = createJournal(identity(), options(files));
    await journal.append(opened());
    const calls = Array.from({ length: 30 }, (_, at) => ({
      id: `toolu_${at}`,
      tool: "write",
      arguments: inline(String(at).repeat(4000)),
      class: "workspace" as const,
    }));
    await journal.append({ type: "calls.intended", turn: 1, calls });
    const event = recordsOf(verified(files)).at(-1)?.event;
    if (event?.type !== "calls.intended") throw new Error("no batch");
    const texts = await Promise.all(event.calls.map((call) => journal.load(call.arguments)));
    expect(texts).toEqual(calls.map((call) => call.arguments.text));
  });

  it("masks a secret before the record is hashed", async () => {
    const files = memorySessionFiles();
    const journal = createJournal(identity(), { ...options(files), mask: maskOf(["sk-secret-key-1"]) });
    await journal.append({ type: "note.added", about: "nudge", text: inline("key sk-secret-key-1 end") });
    const blob = await journal.store(`${"x".repeat(9000)}sk-secret-key-1`);
    expect(String(files.state.log)).not.toContain("sk-secret-key-1");
    expect(await journal.load(blob)).not.toContain("sk-secret-key-1");
  });
});

describe("a log that was cut while it was written", () => {
  it.each(story.map((_, at) => at + 1))(
    "is repaired when the write of record %i is torn at any byte, and refused never",
    async (write) => {
      const whole = memorySessionFiles();
      await written(whole);
      const line = String(whole.state.log).split("\n")[write - 1] ?? "";
      for (let bytes = 0; bytes <= line.length; bytes += 7) {
        const fault: WriteFault = { at: "append", write, bytes };
        const files = memorySessionFiles(fault);
        await written(files).catch(() => undefined);
        if (write === 1) continue; // Nothing was acknowledged: the session never began.
        const log = verified(files);
        expect(log.tail.seq).toBe(write - 1);
        const journal = await openJournal(log, { ...options(files), gen: 2 });
        await journal.append({ type: "note.added", about: "resumed", text: inline("again") });
        expect(verified(files).tornBytes).toBe(0);
        const repaired = recordsOf(verified(files)).find((record) => record.event.type === "log.repaired");
        expect(repaired?.seq ?? null).toBe(bytes === 0 ? null : write);
      }
    },
  );
});

describe("folding", () => {
  it("gives the same state from the last checkpoint as from the beginning", async () => {
    const files = memorySessionFiles();
    const journal = createJournal(identity(), options(files));
    for (const event of story) await journal.append(event);
    await journal.endTurn({ turn: 1, next: "calls", ms: 5, loop: { kept: 1 } });
    for (const event of turnOf(2, { id: "toolu_2", tool: "read", tree: null })) await journal.append(event);
    const log = verified(files);
    expect(await stateOf(log, files)).toEqual(foldFrom(initialState, recordsOf(log)));
    expect(await stateOf(log, files)).toEqual(journal.state);
  });

  it("is total on every sequence of events", () => {
    const any = fc.constantFrom(
      ...story,
      { type: "turn.ended", turn: 3, next: "calls", ms: 1, checkpoint: inline("{}") } as const,
      { type: "gate.failed", round: 1, tree: "b".repeat(40) as never, findings: inline("red") } as const,
      { type: "effect.settled", key: "k", status: "done", detail: "1", url: null } as const,
      { type: "run.suspended", reason: "turns", detail: "" } as const,
      { type: "session.ended", outcome: "pull-request", reason: "" } as const,
      { type: "log.repaired", cutBytes: 3, sha256: digestOf("x") } as const,
    );
    fc.assert(
      fc.property(fc.array(any), (events) => {
        const records = events.map((event, at) => ({
          seq: at + 1,
          gen: 1,
          at: 0,
          prev: "",
          event,
          hash: "",
        }));
        expect(typeof foldFrom(initialState, records).status).toBe("string");
      }),
    );
  });
});
