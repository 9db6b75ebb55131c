import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { shipRest } from "../../src/app/ship-rest.ts";
import { sendShipment } from "../../src/session/ship.ts";
import { unsealShipment } from "../../src/session/shipment.ts";
import { openShipper } from "../../src/session/shipper.ts";
import { inline, sessionId, turnOf } from "../kit/given.ts";
import { expected, find, given, givenShelf, givenTask, send, signal } from "./given-shelf.ts";
import { failed, givenShipper, isFoundWhole, note, ranges, unavailable } from "./given-shipper.ts";

describe("sending", () => {
  it("stores nothing that is too large to be opened again, and says so (F48)", async () => {
    const all = await given();
    const shipping = { ...all.shipping, bytesMax: 100 };
    const sent = await sendShipment(await all.journal.snapshot(), null, 1, { ...all, shipping, signal });
    expect(sent).toMatchObject({ kind: "failed", lasting: false, why: expect.stringMatching(/over \d+/) });
    expect(all.shelf.tried).toEqual([]);
  });

  it("is not begun with an item that is larger than any of ours (F48)", async () => {
    const all = await given();
    await send(all, null, 1);
    const list = async (...args: Parameters<typeof all.shelf.list>) =>
      (await all.shelf.list(...args)).map((item) => ({ ...item, bytes: 65 * 1024 * 1024 }));
    expect(await find({ ...all.shelf, list })).toMatchObject({ kind: "refused", code: "tampered" });
    expect(all.shelf.read).toEqual([]);
  });

  it("sends the same bytes under the next try's name after a failure", async () => {
    const all = await given(givenShelf([{ kind: "failed", why: "500" }, { kind: "taken" }]));
    await send(all, null, 1);
    expect([...all.shelf.stored.keys()]).toEqual([`agent-session-${sessionId()}-1-1-1.1-2`]);
  });

  it("gives up at once where nothing can be stored", async () => {
    const all = await given(givenShelf([{ kind: "unavailable", why: "the quota is used up" }]));
    const sent = await sendShipment(await all.journal.snapshot(), null, 1, { ...all, signal });
    expect(sent).toEqual({ kind: "failed", lasting: true, why: "the quota is used up", tries: 1 });
  });

  it("sends only what came since the shipment before", async () => {
    const all = await given();
    const first = await send(all, null, 1);
    await all.journal.append({ type: "note.added", about: "nudge", text: inline("later") });
    await send(all, first, 2);
    const second = unsealShipment([...all.shelf.stored.values()][1] ?? new Uint8Array(), expected);
    expect(second).toMatchObject({ header: { from: 2, to: 2, previous: first.digest } });
  });
});

describe("what post ships", () => {
  it("stands before a shipment that main stored and died before it could record (F44)", async () => {
    const all = await givenTask();
    for (const number of [1, 2, 3]) await send(all, null, number);
    await all.journal.append({ type: "note.added", about: "nudge", text: inline("after it") });
    await shipRest(all.files, { shipping: () => all.shipping, signal });
    const found = await find(all.shelf);
    expect(found.kind === "found" && String(found.session.log)).toBe(String(all.files.state.log));
  });

  it("is the range since the last shipment where the whole is too large to be opened (F48)", async () => {
    const all = await givenTask();
    const add = async () => {
      const text = await all.journal.store(randomBytes(5_000).toString("base64"));
      await all.journal.append({ type: "note.added", about: "nudge", text });
    };
    const shipping = { ...all.shipping, bytesMax: 20_000 };
    const shipper = openShipper({ ...all, shipping, last: null, shipSeconds: 60, signal, onUnshipped });
    for (const event of turnOf(1, { id: "toolu_1", tool: "write", tree: "a".repeat(40) }))
      await all.journal.append(event);
    for (let shipments = 0; shipments < 2; shipments += 1) {
      for (let notes = 0; notes < 3; notes += 1) await add();
      await shipper.ship();
    }
    await add();
    for (const event of turnOf(2, { id: "toolu_2", tool: "write", tree: "b".repeat(40) }))
      await all.journal.append(event);
    const rest = await shipRest(all.files, { shipping: () => shipping, signal });
    expect(rest).toMatchObject({ kind: "shipped", sent: { kind: "sent", from: 14 } });
    const found = await find(all.shelf);
    expect(found.kind === "found" && String(found.session.log)).toBe(String(all.files.state.log));
    expect(found.kind === "found" && found.session.packs.map(String)).toEqual([
      `pack of ${"a".repeat(40)} over `,
      `pack of ${"b".repeat(40)} over ${"a".repeat(40)}`,
    ]);
  });
});

const onUnshipped = (why: string): never => {
  throw new Error(why);
};

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
