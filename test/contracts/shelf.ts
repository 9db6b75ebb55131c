import { expect, it } from "vitest";
import type { Shelf } from "../../src/session/shelf.ts";

export type ShelfWorld = AsyncDisposable & {
  /** A shelf for each of two runs, `one` and `two`, of the same repository. */
  readonly shelf: (run: "one" | "two") => Shelf;
  readonly runId: (run: "one" | "two") => string;
};

/** What every adapter of the port `Shelf` has to do. */
export function shelfContract(make: () => Promise<ShelfWorld>): void {
  const rule = (title: string, test: (world: ShelfWorld) => Promise<void>) =>
    it(title, async () => {
      await using world = await make();
      await test(world);
    });
  const { signal } = new AbortController();
  const session = "s0123456789ab";
  const name = (number: number) => `agent-session-${session}-1-${number}-1.1`;
  // Every byte value, and the beginning of a zip file, which must not make anybody unpack it.
  const bytes = Buffer.concat([
    Buffer.from("PK\u0003\u0004"),
    Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
  ]);

  rule("gives back exactly the bytes that were put", async ({ shelf, runId }) => {
    const put = await shelf("one").put(name(1), bytes, { signal });
    expect(put).toMatchObject({ kind: "stored" });
    const [item, ...more] = await shelf("two").list(session, { runs: [runId("one")], signal });
    expect(more).toEqual([]);
    expect(item).toMatchObject({
      name: name(1),
      bytes: bytes.length,
      expired: false,
      run: runId("one"),
      foreign: null,
    });
    if (!item) throw new Error("nothing is on the shelf");
    const got = await shelf("two").get(item, { signal });
    expect(got.kind === "bytes" && Buffer.from(got.bytes).equals(bytes)).toBe(true);
  });

  rule("takes a name once in a run, and keeps what was stored first (F41)", async ({ shelf, runId }) => {
    await shelf("one").put(name(1), bytes, { signal });
    expect(await shelf("one").put(name(1), Buffer.from("other"), { signal })).toEqual({ kind: "taken" });
    const [item] = await shelf("one").list(session, { runs: [runId("one")], signal });
    expect(item?.bytes).toBe(bytes.length);
  });

  rule("lists only the session's items of the runs that were named", async ({ shelf, runId }) => {
    await shelf("one").put(name(1), bytes, { signal });
    await shelf("one").put("agent-session-sffffffffffff-1-1-1.1", bytes, { signal });
    await shelf("two").put(name(2), bytes, { signal });
    const names = async (runs: readonly string[]) =>
      (await shelf("one").list(session, { runs, signal })).map((item) => item.name).sort();
    expect(await names([runId("one"), runId("one")])).toEqual([name(1)]);
    expect(await names([runId("one"), runId("two")])).toEqual([name(1), name(2)]);
    expect(await names([])).toEqual([]);
    expect(await names(["987654321"])).toEqual([]);
    expect(await names(["../x"])).toEqual([]);
  });

  rule("says that an item is missing", async ({ shelf, runId }) => {
    const item = {
      id: "987654",
      name: name(9),
      bytes: 1,
      expired: false,
      run: runId("one"),
      foreign: null,
    };
    expect(await shelf("one").get(item, { signal })).toMatchObject({ kind: "missing" });
  });

  rule("stores nothing once the signal is aborted", async ({ shelf, runId }) => {
    expect(await shelf("one").put(name(1), bytes, { signal: AbortSignal.abort() })).toMatchObject({
      kind: "failed",
    });
    expect(await shelf("one").list(session, { runs: [runId("one")], signal })).toEqual([]);
  });
}
