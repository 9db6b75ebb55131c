import { describe, expect, it } from "vitest";
import { memorySessionFiles } from "../../src/adapters/memory/files.ts";
import type { Tree } from "../../src/base/hash.ts";
import { unpackSession } from "../../src/session/find.ts";
import { sendShipment } from "../../src/session/ship.ts";
import { unsealShipment } from "../../src/session/shipment.ts";
import { verifyLog } from "../../src/session/verify.ts";
import { inline, sessionId, turnOf } from "../kit/given.ts";
import { expected, find, type Given, given, givenShelf, send, signal } from "./given-shelf.ts";

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

  it("refuses a shipment that lies under another one's name", async () => {
    const all = await threeShipments();
    const [first] = [...all.shelf.stored.values()];
    all.shelf.stored.set(`agent-session-${sessionId()}-1-9-1.1`, first ?? new Uint8Array());
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

describe("sending", () => {
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
