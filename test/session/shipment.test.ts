import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { memorySessionFiles } from "../../src/adapters/memory/files.ts";
import { shipRest } from "../../src/app/ship-rest.ts";
import type { Tree } from "../../src/base/hash.ts";
import { maskOf } from "../../src/base/masking.ts";
import { unpackSession } from "../../src/session/find.ts";
import { openJournal } from "../../src/session/open-journal.ts";
import { sendShipment } from "../../src/session/ship.ts";
import { unsealShipment } from "../../src/session/shipment.ts";
import { openShipper } from "../../src/session/shipper.ts";
import { verifyLog } from "../../src/session/verify.ts";
import { handClock, inline, sessionId, turnOf } from "../kit/given.ts";
import {
  expected,
  find,
  type Given,
  given,
  givenShelf,
  givenTask,
  send,
  shippingTo,
  signal,
} from "./given-shelf.ts";

describe("finding a session on the shelf", () => {
  async function threeShipments(): Promise<Given> {
    const all = await given();
    const first = await send(all, null, 1);
    for (const event of turnOf(1, { id: "toolu_1", tool: "write", tree: "a".repeat(40) }))
      await all.journal.append(event);
    const second = await send(all, first, 2);
    await all.journal.append({
      type: "note.added",
      about: "nudge",
      text: await all.journal.store("n".repeat(9000)),
    });
    await send(all, second, 3);
    return all;
  }

  it("joins the chain into the log that was shipped, blobs and trees with it", async () => {
    const all = await threeShipments();
    const found = await find(all.shelf);
    if (found.kind !== "found") throw new Error(found.why);
    expect(String(found.session.log)).toBe(String(all.files.state.log));
    const checked = verifyLog(found.session, { witnessed: [all.journal.head] });
    if (checked.kind === "damage") throw new Error(checked.why);
    const files = memorySessionFiles();
    const last = await unpackSession(found.session, checked.log, files);
    expect(last).toMatchObject({ number: 3, to: 6, tree: "a".repeat(40) });
    expect(files.state.blobs).toEqual(all.files.state.blobs);
    expect(found.session.packs.map(String)).toEqual([`pack of ${"a".repeat(40)} over `]);
  });

  it("holds what the last call left when a later machine died right after its setup", async () => {
    const all = await given();
    for (const event of turnOf(1, { id: "toolu_1", tool: "write", tree: "a".repeat(40) }))
      await all.journal.append(event);
    const settled = { type: "setup.settled", ok: true, commands: [], ms: 1 } as const;
    await all.journal.append({ ...settled, tree: "b".repeat(40) as Tree });
    await send(all, null, 1);
    const found = await find(all.shelf);
    expect(found.kind === "found" && found.session.packs.map(String)).toEqual([
      `pack of ${"b".repeat(40)},${"a".repeat(40)} over `,
    ]);
  });

  it("needs one shipment alone when it is complete", async () => {
    const all = await threeShipments();
    await send(all, null, 4);
    for (const name of [...all.shelf.stored.keys()])
      if (!name.includes("-1-4-")) all.shelf.stored.delete(name);
    expect((await find(all.shelf)).kind).toBe("found");
  });

  it.each([1, 2])("refuses with a gap when shipment %i of 3 is missing", async (number) => {
    const all = await threeShipments();
    for (const name of [...all.shelf.stored.keys()])
      if (name.includes(`-1-${number}-`)) all.shelf.stored.delete(name);
    expect(await find(all.shelf)).toMatchObject({ kind: "refused", code: "gap" });
  });

  it("takes the predecessor that the header names, of two with its number", async () => {
    const all = await threeShipments();
    const [name, genuine] = [...all.shelf.stored].find(([one]) => one.includes("-1-2-")) ?? [];
    // It ends at the same record, so that its digest alone gives it away.
    const other = await given();
    for (const event of turnOf(1, { id: "toolu_9", tool: "read", tree: null }))
      await other.journal.append(event);
    await send(other, null, 2);
    const [impostor] = other.shelf.stored.values();
    if (name === undefined || genuine === undefined || impostor === undefined)
      throw new Error("none was sent");
    all.shelf.stored.set(name, impostor);
    expect(await find(all.shelf)).toMatchObject({ kind: "refused", code: "gap" });
    all.shelf.stored.set(`${name}-1`, genuine);
    const found = await find(all.shelf);
    expect(found.kind === "found" && String(found.session.log)).toBe(String(all.files.state.log));
  });

  it("refuses when the newest shipment was changed, and does not fall back to an older one", async () => {
    const all = await threeShipments();
    const name = [...all.shelf.stored.keys()].find((one) => one.includes("-1-3-")) ?? "";
    const bytes = Buffer.from(all.shelf.stored.get(name) ?? []);
    bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1;
    all.shelf.stored.set(name, bytes);
    expect(await find(all.shelf)).toMatchObject({ kind: "refused", code: "tampered" });
  });

  it("says what is wrong with one in the middle that does not open, which is no gap (F45)", async () => {
    const all = await threeShipments();
    const [, middle = ""] = [...all.shelf.stored.keys()];
    all.shelf.stored.set(middle, (all.shelf.stored.get(middle) ?? new Uint8Array()).subarray(0, -1));
    expect(await find(all.shelf)).toMatchObject({ kind: "refused", code: "tampered" });
  });

  it("refuses a shipment that lies under another one's name", async () => {
    const all = await threeShipments();
    const [first] = [...all.shelf.stored.values()];
    all.shelf.stored.set(`agent-session-${sessionId()}-1-9-1.1`, first ?? new Uint8Array());
    expect(await find(all.shelf)).toMatchObject({ kind: "refused", code: "tampered" });
  });

  it("refuses when a newer one has expired, and does not fall back to an older one (F47)", async () => {
    const all = await threeShipments();
    const [, , newest = ""] = [...all.shelf.stored.keys()];
    all.shelf.expired.add(newest);
    expect(await find(all.shelf)).toMatchObject({ kind: "refused", code: "expired" });
  });

  it("tells by the tries of one number which came last, and refuses when that one has expired (F47)", async () => {
    const all = await given();
    all.shelf.answers.push({ kind: "lost" }, { kind: "failed", why: "500" }, { kind: "failed", why: "500" });
    const options = { ...all, signal };
    await sendShipment(await all.journal.snapshot(), null, 1, options);
    await all.journal.append({ type: "note.added", about: "nudge", text: inline("later") });
    await sendShipment(await all.journal.snapshot(), null, 1, { ...options, tried: 10 });
    const [, last = ""] = [...all.shelf.stored.keys()];
    expect(last).toMatch(/-10$/);
    all.shelf.expired.add(last);
    expect(await find(all.shelf)).toMatchObject({ kind: "refused", code: "expired" });
  });

  it("says that one in the middle has expired, which is no gap (F47)", async () => {
    const all = await threeShipments();
    const [, middle = ""] = [...all.shelf.stored.keys()];
    all.shelf.expired.add(middle);
    expect(await find(all.shelf)).toMatchObject({ kind: "refused", code: "expired" });
  });

  it("passes over a try that was stored cut, where a later try of the same run is whole (F43)", async () => {
    const all = await given();
    all.shelf.answers.push({ kind: "lost" });
    await send(all, null, 1);
    const [cut = "", whole = ""] = [...all.shelf.stored.keys()];
    all.shelf.stored.set(cut, (all.shelf.stored.get(cut) ?? new Uint8Array()).subarray(0, 100));
    expect(await find(all.shelf)).toMatchObject({ kind: "found", session: { last: { to: 1 } } });
    expect(all.shelf.read).toEqual([whole]);
  });

  it("refuses where the last try does not open, whatever an earlier one held (F45)", async () => {
    const all = await given();
    all.shelf.answers.push({ kind: "lost" });
    await send(all, null, 1);
    const [, last = ""] = [...all.shelf.stored.keys()];
    all.shelf.stored.set(last, new Uint8Array());
    expect(await find(all.shelf)).toMatchObject({ kind: "refused", code: "tampered" });
  });

  it("takes the one that reaches furthest where an upload that was given up turns up after all", async () => {
    const all = await given();
    const first = await send(all, null, 1);
    await all.journal.append({ type: "note.added", about: "nudge", text: inline("early") });
    await send(all, first, 2);
    const [name = "", late] = [...all.shelf.stored].at(-1) ?? [];
    await all.journal.append({ type: "note.added", about: "nudge", text: inline("later") });
    all.shelf.stored.delete(name);
    await send(all, first, 2);
    const [, sent] = [...all.shelf.stored].at(-1) ?? [];
    all.shelf.stored.set(name, late ?? new Uint8Array());
    all.shelf.stored.set(`${name}-1`, sent ?? new Uint8Array());
    const found = await find(all.shelf);
    expect(found.kind === "found" && String(found.session.log)).toBe(String(all.files.state.log));
  });

  it("does not see items that fail provenance, and reports them", async () => {
    const all = await given();
    await send(all, null, 1);
    for (const name of all.shelf.stored.keys()) all.shelf.foreign.add(name);
    const refusal = await find(all.shelf);
    expect(refusal).toMatchObject({ kind: "refused", code: "not-found" });
    expect(refusal.kind === "refused" && refusal.why).toContain("another repository");
  });
});

describe("what another run stored", () => {
  /** The session goes on as generation 2 from what `find` gives, and ships that. */
  async function goneOn(all: Given): Promise<void> {
    const found = await find(all.shelf);
    if (found.kind === "refused") throw new Error(found.why);
    const checked = verifyLog(found.session, { witnessed: [] });
    if (checked.kind === "damage") throw new Error(checked.why);
    const files = memorySessionFiles();
    const last = await unpackSession(found.session, checked.log, files);
    const options = { clock: handClock(), mask: maskOf([]), durability: "process" as const, gen: 2 };
    const journal = await openJournal(checked.log, { files, ...options });
    const { tail } = checked.log;
    const run = { id: "2", attempt: 1, job: "agent" };
    await journal.append({ type: "run.claimed", gen: 2, run, head: tail });
    await send({ files, journal, shipping: shippingTo(all.shelf, "2") }, last, last.number + 1);
  }

  it("after a later one had claimed the session is a dead branch: reported, and never chosen (F47)", async () => {
    const all = await givenTask();
    await send(all, null, 1);
    await goneOn(all);
    await all.journal.append({ type: "note.added", about: "nudge", text: inline("late") });
    await shipRest(all.files, { shipping: () => all.shipping, signal });
    const found = await find(all.shelf);
    if (found.kind === "refused") throw new Error(found.why);
    expect(String(found.session.log)).toContain("run.claimed");
    expect(String(found.session.log)).not.toContain("late");
    expect(found.session.reported).toEqual([
      `agent-session-${sessionId()}-1-4-1.1: its records after 2 came when generation 2 had claimed the session`,
    ]);
  });

  it("late, under a later try of the number that was gone on from, leaves the earlier try in its place (F44)", async () => {
    const all = await givenTask();
    const options = { ...all, signal };
    for (let put = 0; put < 3; put += 1) all.shelf.answers.push({ kind: "lost" });
    await sendShipment(await all.journal.snapshot(), null, 1, options);
    const { head } = all.journal;
    await all.journal.append({ type: "note.added", about: "nudge", text: inline("late") });
    await sendShipment(await all.journal.snapshot(), null, 1, { ...options, tried: 3 });
    const lease = { session: sessionId(), gen: 2, run: { id: "2", attempt: 1, job: "agent" }, head };
    const found = await find(all.shelf, [lease]);
    expect(found).toMatchObject({ kind: "found", session: { last: { number: 1, to: head.seq } } });
    expect(found.kind === "found" && found.session.reported).toEqual([
      expect.stringMatching(/-3: its records after 2 came when generation 2 had claimed/),
    ]);
  });

  it("before it was claimed is not opened where the newest holds everything", async () => {
    const all = await givenTask();
    await send(all, null, 1);
    await shipRest(all.files, { shipping: () => all.shipping, signal });
    await goneOn(all);
    all.shelf.read.length = 0;
    const found = await find(all.shelf);
    expect(found).toMatchObject({ kind: "found", session: { reported: [] } });
    expect(all.shelf.read.map((name) => name.split("-").slice(3, 5))).toEqual([
      ["2", "4"],
      ["1", "3"],
    ]);
  });

  it("up to the claim, under a number that was used again, is no dead branch", async () => {
    const all = await given();
    await send(all, null, 1);
    await goneOn(all);
    const again = await sendShipment(await all.journal.snapshot(), null, 5, { ...all, signal });
    expect(again.kind).toBe("sent");
    expect(await find(all.shelf)).toMatchObject({ kind: "found", session: { reported: [] } });
  });

  it("under the same generation is reported where no lease kept the two apart", async () => {
    const all = await given();
    await send(all, null, 1);
    const shipping = shippingTo(all.shelf, "9");
    await all.journal.append({ type: "note.added", about: "nudge", text: inline("further") });
    await send({ ...all, shipping }, null, 1);
    const found = await find(all.shelf);
    expect(found).toMatchObject({ kind: "found", session: { last: { to: 2 } } });
    expect(found.kind === "found" && found.session.reported).toEqual([
      expect.stringContaining("run 1 went on with generation 1 as well"),
    ]);
  });

  it("cannot say more in a report than a name", async () => {
    const all = await given();
    await send(all, null, 1);
    const name = `agent-session-${sessionId()}-@everyone #1`;
    all.shelf.stored.set(name, new Uint8Array());
    all.shelf.foreign.add(name);
    const found = await find(all.shelf);
    expect(found).toMatchObject({
      session: { reported: ["an artifact with an odd name: another repository"] },
    });
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
