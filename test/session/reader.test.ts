import { describe, expect, it } from "vitest";
import { recordsBack, recordsFrom } from "../../src/session/reader.ts";
import { encodeRecord, genesis } from "../../src/session/record.ts";
import { inline, opened } from "../kit/given.ts";

/** A log of notes, with where each of its lines begins. */
function given(notes: number) {
  let previous = genesis;
  const lines = [opened(), ...Array.from({ length: notes }, (_, at) => noteOf(String(at)))].map((event) => {
    const { record, bytes } = encodeRecord(event, { previous, gen: 1, at: 5 });
    previous = { seq: record.seq, hash: record.hash };
    return bytes;
  });
  const offsets = lines.map((_, at) => Buffer.concat(lines.slice(0, at)).length);
  return { log: Buffer.concat(lines), offsets };
}

const noteOf = (text: string) => ({ type: "note.added", about: "nudge", text: inline(text) }) as const;

/** Everything before byte `before` made unreadable. */
function blind(log: Uint8Array, before: number): Uint8Array {
  const bytes = Buffer.from(log);
  for (let at = 0; at < before; at += 1) if (bytes[at] !== 10) bytes[at] = 35;
  return bytes;
}

describe("reading a log", () => {
  it("gives the same records backwards as forwards, with where they begin", () => {
    const { log, offsets } = given(20);
    const forwards = [...recordsFrom(log, 0)];
    expect(forwards.map(({ offset }) => offset)).toEqual(offsets);
    expect([...recordsBack(log)].reverse()).toEqual(forwards);
    expect([...recordsFrom(log, offsets[7] ?? 0)]).toEqual(forwards.slice(7));
    expect([...recordsBack(Buffer.alloc(0))]).toEqual([]);
  });

  it("looks at nothing before the record that it stops at", () => {
    const { log, offsets } = given(20);
    const back = recordsBack(blind(log, offsets[18] ?? 0));
    expect([back.next(), back.next(), back.next()].map(({ value }) => value?.record.seq)).toEqual([
      21, 20, 19,
    ]);
    expect(() => back.next()).toThrow(`the record at byte ${offsets[17]} cannot be read`);
  });

  it("does not see what stands behind the byte that it is frozen at", () => {
    const { log, offsets } = given(20);
    const [last] = recordsBack(blind(log, 0), offsets[9]);
    expect(last?.record.seq).toBe(9);
  });

  it("names the byte of a line that is not whole", () => {
    const { log, offsets } = given(3);
    expect(() => [...recordsFrom(log.subarray(0, log.length - 4), offsets[3] ?? 0)]).toThrow(
      `the log does not end with a whole record at byte ${offsets[3]}`,
    );
  });
});
