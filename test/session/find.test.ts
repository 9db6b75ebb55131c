import { describe, expect, it } from "vitest";
import { memorySessionFiles } from "../../src/adapters/memory/files.ts";
import type { Tree } from "../../src/base/hash.ts";
import { unpackSession } from "../../src/session/find.ts";
import { sendShipment } from "../../src/session/ship.ts";
import { verifyLog } from "../../src/session/verify.ts";
import { inline, sessionId, turnOf } from "../kit/given.ts";
import { find, type Given, given, send, signal } from "./given-shelf.ts";

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
