import { describe, expect, it } from "vitest";
import { cutLogs, cutManifests, flipLogs, flipManifests, singleBits } from "../kit/disk/damage.ts";
import { type FailedCall, failedCall, whyNoInjection } from "../kit/disk/failed-calls.ts";
import { brokenDisks, fullDisks, toldOn } from "../kit/disk/faults.ts";
import { bytesOfRoom, givenFileBound, givenSmallDisk, pagesOfRoom } from "../kit/disk/full-disk.ts";
import { powerLosses, tracedLosses } from "../kit/disk/power-loss.ts";
import { givenSamples } from "../kit/disk/sample.ts";
import { cutSeals, flipSeals, givenSealed } from "../kit/disk/seal.ts";
import { type Case, tally } from "../kit/disk/tally.ts";

/** Bounded: the whole of it is `npm run sweep:disk`. */
async function wrongOf(
  cases: Iterable<Case> | AsyncIterable<Case>,
): Promise<{ wrong: string[]; cases: number }> {
  const { counts, wrong, take } = tally();
  for await (const one of cases) take([one]);
  return { wrong, cases: counts.cases };
}

const samples = await givenSamples();
const durabilities = ["process", "disk"] as const;

const injection = whyNoInjection();
if (injection !== null) console.log(injection);

describe.each(samples)("a log that was left $name", (sample) => {
  it("is repaired or refused as the table says when it is cut at any byte", async () => {
    expect(await wrongOf(cutLogs(sample))).toEqual({ wrong: [], cases: sample.log.length });
  });

  it("is refused at the record that has a changed byte, which a torn one may have", async () => {
    expect(await wrongOf(flipLogs(sample, [1]))).toEqual({ wrong: [], cases: sample.log.length });
  });

  it("is not opened with a manifest that was cut", async () => {
    expect(await wrongOf(cutManifests(sample))).toEqual({ wrong: [], cases: sample.manifest.length });
  });

  it("is opened or refused by the field of the manifest that a changed bit stands in", async () => {
    const { wrong, cases } = await wrongOf(flipManifests(sample, singleBits));
    expect({ wrong, cases }).toEqual({ wrong: [], cases: sample.manifest.length * 8 });
  });
});

describe("a sealed shipment", () => {
  it("is refused with the right code when it is cut or changed at any byte", async () => {
    for (const sample of samples.slice(-1)) {
      const sealed = givenSealed(sample);
      expect((await wrongOf(cutSeals(sealed))).wrong).toEqual([]);
      expect((await wrongOf(flipSeals(sealed, [1, 64]))).wrong).toEqual([]);
    }
  });
});

describe("a disk that is full or broken", () => {
  it.for(durabilities)(
    "loses no acknowledged record wherever a file may grow no more, at %s (F54)",
    async (level, { skip }) => {
      using full = givenFileBound(bytesOfRoom(997));
      if (full.place === null) skip(full.why);
      else expect((await wrongOf(fullDisks(full.place, level))).wrong).toEqual([]);
    },
  );

  it.for(durabilities)(
    "loses no acknowledged record when a small disk runs full, at %s (F54)",
    async (level, { skip }) => {
      using full = givenSmallDisk(pagesOfRoom(10, [1024]));
      if (full.place === null) skip(full.why);
      else expect((await wrongOf(fullDisks(full.place, level))).wrong).toEqual([]);
    },
  );

  it("loses no acknowledged record when the log or the manifest cannot be written (F54, F56)", async () => {
    const { wrong, cases } = await wrongOf(brokenDisks());
    expect(wrong).toEqual([]);
    // A directory can be made read-only by root alone.
    expect(cases).toBe(process.getuid?.() === 0 ? 8 : 6);
  });

  it.skipIf(injection !== null).each<FailedCall>([
    { call: "fdatasync", nth: 1, durability: "disk" },
    { call: "fdatasync", nth: 3, durability: "disk" },
    { call: "fsync", nth: 9, durability: "disk" },
    { call: "fsync", nth: 10, durability: "disk" },
    { call: "write", nth: 4, durability: "disk" },
    { call: "write", nth: 4, durability: "process" },
  ])(
    "is never asked again after the kernel failed $call $nth at $durability, and keeps what it had taken (F55)",
    async (failed) => {
      const found = await failedCall(failed);
      expect(found).not.toBeNull();
      expect(await wrongOf(found === null ? [] : [found])).toEqual({ wrong: [], cases: 1 });
    },
  );

  it.each([
    ["takes no byte", "/dev/full", "process", "cannot append to"],
    ["takes no byte", "/dev/full", "disk", "cannot append to"],
    ["cannot be synced", "/dev/null", "disk", "cannot sync"],
  ] as const)("closes a log that %s (%s, %s), and the file under it", async (_title, device, level, why) => {
    const { acknowledged, failure, after, closed } = await toldOn(device, level);
    expect(acknowledged).toEqual([]);
    expect(failure).toMatchObject({ name: "StorageFailure", message: expect.stringContaining("record 1") });
    expect(failure).toMatchObject({ cause: { message: expect.stringContaining(why) } });
    expect(after).toMatchObject({ name: "StorageFailure", message: expect.stringContaining("closed") });
    expect(closed).toMatchObject({ message: expect.stringContaining("is closed after a failed write") });
  });
});

describe("a session at level D", () => {
  it.skipIf(injection !== null)(
    "is there to its last barrier or further after the power was lost between any two calls of the adapter (F72)",
    async () => {
      const { wrong, cases } = await wrongOf(tracedLosses(997));
      expect(wrong).toEqual([]);
      expect(cases).toBeGreaterThan(500);
    },
  );

  it("is repaired to its last barrier or further after the power was lost at any moment, and refused never (F72)", async () => {
    const { wrong, cases } = await wrongOf(powerLosses({ loss: 61, again: 997 }));
    expect(wrong).toEqual([]);
    expect(cases).toBeGreaterThan(2000);
  });
});
