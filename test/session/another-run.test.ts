import { describe, expect, it } from "vitest";
import { memorySessionFiles } from "../../src/adapters/memory/files.ts";
import { shipRest } from "../../src/app/ship-rest.ts";
import { maskOf } from "../../src/base/masking.ts";
import { unpackSession } from "../../src/session/find.ts";
import { openJournal } from "../../src/session/open-journal.ts";
import { sendShipment } from "../../src/session/ship.ts";
import { verifyLog } from "../../src/session/verify.ts";
import { handClock, inline, sessionId } from "../kit/given.ts";
import { find, type Given, given, givenTask, send, shippingTo, signal } from "./given-shelf.ts";

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
