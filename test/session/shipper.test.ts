import { describe, expect, it } from "vitest";
import type { Put } from "../../src/session/shelf.ts";
import { unsealShipment } from "../../src/session/shipment.ts";
import { openShipper, type Shipper } from "../../src/session/shipper.ts";
import { inline, sessionId, turnOf } from "../kit/given.ts";
import { type Answer, expected, find, type Given, given, givenShelf, send, signal } from "./given-shelf.ts";

const failed: Put = { kind: "failed", why: "the service answered 500" };
const unavailable: Put = { kind: "unavailable", why: "the quota is used up" };

type Open = Given & { readonly shipper: Shipper; readonly said: string[] };

async function givenShipper({
  shipSeconds = 60,
  answers = [],
}: {
  readonly shipSeconds?: number;
  readonly answers?: Answer[];
} = {}): Promise<Open> {
  const all = await given(givenShelf(answers));
  return { ...all, ...open(all, shipSeconds) };
}

function open(all: Given, shipSeconds: number): { readonly shipper: Shipper; readonly said: string[] } {
  const said: string[] = [];
  const onUnshipped = (why: string): void => {
    said.push(why);
  };
  return { said, shipper: openShipper({ ...all, last: null, shipSeconds, signal, onUnshipped }) };
}

const note = (text: string) => ({ type: "note.added", about: "nudge", text: inline(text) }) as const;

/** Which records each stored shipment holds, in the order in which they were stored. */
function ranges({ shelf }: Given): readonly string[] {
  return [...shelf.stored.values()].map((bytes) => {
    const unsealed = unsealShipment(bytes, expected);
    if (unsealed.kind === "refused") throw new Error(unsealed.why);
    const { number, from, to } = unsealed.header;
    return `${number}: ${from}-${to}`;
  });
}

async function isFoundWhole(all: Given): Promise<boolean> {
  const found = await find(all.shelf);
  const log = found.kind === "found" ? Buffer.from(found.session.log) : Buffer.from(found.why);
  return log.length > 0 && Buffer.from(all.files.state.log).subarray(0, log.length).equals(log);
}

/** Until the first upload is under way. */
async function begun({ shelf }: Given): Promise<void> {
  while (shelf.tried.length === 0) await new Promise((next) => setImmediate(next));
}

describe("shipping at a turn's end", () => {
  it("waits for ship-seconds since the shipment before", async () => {
    const { shipper, shelf, shipping, journal } = await givenShipper();
    await shipper.ship();
    await journal.append(note("one"));
    shipping.clock.advance(59_999);
    await shipper.turnEnded();
    await shipper.idle();
    expect(shelf.stored.size).toBe(1);
    shipping.clock.advance(1);
    await shipper.turnEnded();
    await shipper.idle();
    expect(shelf.stored.size).toBe(2);
  });

  it("does not wait once 256 KiB were written since", async () => {
    const all = await givenShipper();
    const { shipper, shelf, journal } = all;
    await shipper.ship();
    const until = journal.written + 256 * 1024;
    while (journal.written < until - 8 * 1024) await journal.append(note("n".repeat(7_000)));
    await shipper.turnEnded();
    await shipper.idle();
    expect(shelf.stored.size).toBe(1);
    while (journal.written < until) await journal.append(note("n".repeat(7_000)));
    await shipper.turnEnded();
    await shipper.idle();
    expect(shelf.stored.size).toBe(2);
    // It counts from there again.
    await journal.append(note("n".repeat(7_000)));
    await shipper.turnEnded();
    await shipper.idle();
    expect(shelf.stored.size).toBe(2);
  });

  it("counts what was written while the shipment before was under way", async () => {
    const held = Promise.withResolvers<Put | { readonly kind: "lost" }>();
    const all = await givenShipper({ answers: [held.promise] });
    const { shipper, shelf, journal } = all;
    const first = shipper.ship();
    await begun(all);
    const until = journal.written + 256 * 1024;
    while (journal.written < until) await journal.append(note("n".repeat(7_000)));
    held.resolve({ kind: "lost" });
    await first;
    await shipper.turnEnded();
    await shipper.idle();
    expect(shelf.stored.size).toBe(3);
  });

  it("leaves what is under way alone, and the rest to the end of the next turn", async () => {
    const held = Promise.withResolvers<Put>();
    const all = await givenShipper({ answers: [held.promise] });
    const { shipper, shelf, journal, shipping } = all;
    const first = shipper.ship();
    await begun(all);
    await journal.append(note("later"));
    shipping.clock.advance(60_000);
    await shipper.turnEnded();
    held.resolve({ kind: "stored", id: "1" });
    await first;
    await shipper.idle();
    expect(shelf.tried).toHaveLength(1);
    shipping.clock.advance(60_000);
    await shipper.turnEnded();
    await shipper.idle();
    expect(shelf.tried).toHaveLength(2);
  });

  it("lets the work go on while it uploads, and holds it up only where ship-seconds is 0", async () => {
    const held = Promise.withResolvers<Put>();
    const background = await givenShipper({ answers: [held.promise] });
    background.shipping.clock.advance(60_000);
    await background.shipper.turnEnded();
    expect(background.shelf.stored.size).toBe(0);
    held.resolve(failed);

    const order: string[] = [];
    const gate = Promise.withResolvers<Put>();
    const waiting = await givenShipper({
      shipSeconds: 0,
      answers: [gate.promise.finally(() => order.push("stored"))],
    });
    const turn = waiting.shipper.turnEnded().then(() => order.push("went on"));
    gate.resolve({ kind: "stored", id: "1" });
    await turn;
    expect(order).toEqual(["stored", "went on"]);
  });

  it("sends nothing where nothing happened but the record of the shipment before", async () => {
    const all = await givenShipper({ shipSeconds: 0 });
    await all.shipper.turnEnded();
    await all.shipper.turnEnded();
    await all.shipper.ship();
    expect(ranges(all)).toEqual(["1: 1-1"]);
  });
});

describe("shipments", () => {
  it("leave one at a time, and what is asked for meanwhile leaves together", async () => {
    const held = Promise.withResolvers<Put | { readonly kind: "lost" }>();
    const all = await givenShipper({ answers: [held.promise] });
    const { shipper, shelf, journal, shipping } = all;
    const first = shipper.ship();
    await begun(all);
    const later: Promise<unknown>[] = [];
    for (const text of ["one", "two", "three"]) {
      await journal.append(note(text));
      shipping.clock.advance(60_000);
      await shipper.turnEnded();
      later.push(shipper.ship());
    }
    expect(shelf.tried).toHaveLength(1);
    held.resolve({ kind: "lost" });
    expect(await Promise.all([first, ...later])).toEqual(Array(4).fill({ kind: "shipped" }));
    // The first was retried under another name, the other three went as one.
    expect(ranges(all)).toEqual(["1: 1-1", "1: 1-1", "2: 2-5"]);
    expect(await isFoundWhole(all)).toBe(true);
  });

  it("do not follow one another because several waited for the same one", async () => {
    const first = Promise.withResolvers<Put>();
    const second = Promise.withResolvers<Put>();
    const all = await givenShipper({ answers: [first.promise, second.promise] });
    const asked = [all.shipper.ship()];
    await begun(all);
    await all.journal.append(note("one"));
    asked.push(all.shipper.ship(), all.shipper.ship());
    first.resolve({ kind: "stored", id: "1" });
    while (all.shelf.tried.length < 2) await new Promise((next) => setImmediate(next));
    await all.journal.append(note("two"));
    second.resolve({ kind: "stored", id: "2" });
    await Promise.all(asked);
    await all.shipper.idle();
    expect(all.shelf.tried).toHaveLength(2);
  });

  it("hold everything that was appended before they were asked for", async () => {
    const all = await givenShipper();
    const appended = all.journal.append(note("just now"));
    await all.shipper.ship();
    await appended;
    expect(ranges(all)).toEqual(["1: 1-2"]);
  });

  it("are ranges: a session uploads each record once, however long it gets (F48)", async () => {
    const all = await givenShipper({ shipSeconds: 0 });
    for (let turn = 1; turn <= 5; turn += 1) {
      for (const event of turnOf(turn, { id: `toolu_${turn}`, tool: "read", tree: null }))
        await all.journal.append(event);
      await all.shipper.turnEnded();
    }
    expect(ranges(all)).toEqual(["1: 1-5", "2: 6-10", "3: 11-15", "4: 16-20", "5: 21-25"]);
    expect(await isFoundWhole(all)).toBe(true);
  });

  it("name their predecessor by its digest, and go on from the one that a run before sent", async () => {
    const all = await given();
    const last = await send(all, null, 7);
    await all.journal.append(note("later"));
    const shipper = openShipper({ ...all, last, shipSeconds: 60, signal, onUnshipped: () => undefined });
    expect(shipper.stored()).toBe(1);
    await shipper.ship();
    const second = unsealShipment([...all.shelf.stored.values()][1] ?? new Uint8Array(), expected);
    expect(second).toMatchObject({ header: { number: 8, from: 2, to: 2, previous: last.digest } });
    expect(shipper.stored()).toBe(2);
  });

  it("come ten times less often after 200 artifacts, failed ones counted, whatever ship-seconds says (F48)", async () => {
    for (const shipSeconds of [0, 60]) {
      const all = await givenShipper({ shipSeconds });
      const { shipper, journal, shelf, shipping } = all;
      for (let burnt = 0; burnt < 6; burnt += 1) shelf.answers.push(failed);
      while (shelf.tried.length < 200) {
        await journal.append(note("more"));
        await shipper.ship();
      }
      await journal.append(note("still more"));
      shipping.clock.advance(599_999);
      await shipper.turnEnded();
      await shipper.idle();
      expect(shelf.tried).toHaveLength(200);
      shipping.clock.advance(1);
      await shipper.turnEnded();
      await shipper.idle();
      expect(shelf.tried).toHaveLength(201);
      // What has to leave before an effect leaves at once all the same.
      await journal.append(note("an effect"));
      expect(await shipper.ship()).toEqual({ kind: "shipped" });
      expect(shelf.tried).toHaveLength(202);
    }
  });
});

describe("a shipment that fails", () => {
  it("is made good by the next one, under names that were never used (F41, F43)", async () => {
    const all = await givenShipper({ answers: [failed, failed, failed] });
    const { shipper, shelf, journal, shipping, said } = all;
    shipping.clock.advance(60_000);
    await shipper.turnEnded();
    await shipper.idle();
    expect({ said, why: shipper.unshipped(), stored: shipper.stored() }).toEqual({
      said: [failed.why],
      why: failed.why,
      stored: 0,
    });
    await journal.append(note("later"));
    expect(await shipper.ship()).toEqual({ kind: "shipped" });
    const name = `agent-session-${sessionId()}-1-1-1.1`;
    expect(shelf.tried).toEqual([name, `${name}-1`, `${name}-2`, `${name}-3`]);
    expect({ why: shipper.unshipped(), stored: shipper.stored() }).toEqual({ why: null, stored: 2 });
    expect(ranges(all)).toEqual(["1: 1-2"]);
  });

  it("waits between its tries, and does not before the first or after the last (F43)", async () => {
    const all = await givenShipper({ answers: [failed, failed, failed] });
    await all.shipper.ship();
    expect(all.shipping.clock.elapsed()).toBe(5_000);
  });

  it("is one shipment where its bytes were stored after all (F44)", async () => {
    const all = await givenShipper({ answers: [{ kind: "lost" }, { kind: "lost" }] });
    await all.shipper.ship();
    await all.journal.append(note("later"));
    await all.shipper.ship();
    const [one, two, three] = [...all.shelf.stored.values()].map((bytes) => Buffer.from(bytes));
    expect([one?.equals(two ?? Buffer.alloc(0)), one?.equals(three ?? Buffer.alloc(0))]).toEqual([
      true,
      true,
    ]);
    expect(await isFoundWhole(all)).toBe(true);
    const found = await find(all.shelf);
    expect(found).toMatchObject({ kind: "found", session: { last: { number: 2, to: 3 }, reported: [] } });
  });

  it("leaves one chain where all its tries were stored and none was acknowledged (F44)", async () => {
    const lost = { kind: "lost" } as const;
    const all = await givenShipper({ answers: [lost, lost, lost] });
    expect(await all.shipper.ship()).toMatchObject({ kind: "unshipped" });
    await all.journal.append(note("later"));
    await all.shipper.ship();
    await all.journal.append(note("latest"));
    await all.shipper.ship();
    expect(ranges(all)).toEqual(["1: 1-1", "1: 1-1", "1: 1-1", "1: 1-2", "2: 3-4"]);
    expect(await isFoundWhole(all)).toBe(true);
  });

  it("ends the tries of this run where nothing can be stored, and is told once (F42)", async () => {
    const all = await givenShipper({ shipSeconds: 0, answers: [unavailable] });
    for (let turn = 0; turn < 3; turn += 1) {
      await all.journal.append(note("later"));
      await all.shipper.turnEnded();
    }
    expect(await all.shipper.ship()).toEqual({ kind: "unshipped", why: unavailable.why });
    expect(all.shelf.tried).toHaveLength(1);
    expect(all.said).toEqual([unavailable.why]);
  });

  it("is nobody's trouble where the run is cancelled, for post still stores it", async () => {
    const cancel = new AbortController();
    const all = await given(givenShelf([failed]));
    const said: string[] = [];
    const onUnshipped = (why: string): void => {
      said.push(why);
    };
    const options = { shipSeconds: 60, signal: cancel.signal, onUnshipped };
    const shipper = openShipper({ ...all, last: null, ...options });
    const shipping = shipper.ship();
    cancel.abort();
    expect(await shipping).toMatchObject({ kind: "unshipped" });
    expect({ said, why: shipper.unshipped() }).toEqual({ said: [], why: null });
  });

  it("is not repeated at every turn's end, only when it is due again (F43)", async () => {
    const all = await givenShipper({ answers: [failed, failed, failed] });
    const { shipper, shelf, shipping } = all;
    shipping.clock.advance(60_000);
    for (let turn = 0; turn < 5; turn += 1) {
      await shipper.turnEnded();
      await shipper.idle();
    }
    expect(shelf.tried).toHaveLength(3);
  });
});
