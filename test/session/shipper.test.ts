import { describe, expect, it } from "vitest";
import type { Put } from "../../src/session/shelf.ts";
import { unsealShipment } from "../../src/session/shipment.ts";
import { openShipper } from "../../src/session/shipper.ts";
import { turnOf } from "../kit/given.ts";
import { expected, given, send, signal } from "./given-shelf.ts";
import { begun, failed, givenShipper, isFoundWhole, note, ranges } from "./given-shipper.ts";

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
