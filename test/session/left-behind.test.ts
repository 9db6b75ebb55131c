import { describe, expect, it } from "vitest";
import { shipRest } from "../../src/app/ship-rest.ts";
import type { Head } from "../../src/session/event.ts";
import type { Lease } from "../../src/session/leases.ts";
import { inline, sessionId } from "../kit/given.ts";
import { find, type Given, givenTask, send, signal } from "./given-shelf.ts";

const claim = (gen: number, head: Head | null): Lease => {
  return { session: sessionId(), gen, run: { id: String(gen), attempt: 1, job: "agent" }, head };
};

/** One shipment, and a complete one that came late, with a record more. */
async function storedLate(): Promise<Given & { readonly head: Head }> {
  const all = await givenTask();
  const { head } = await all.journal.snapshot();
  await send(all, null, 1);
  await all.journal.append({ type: "note.added", about: "nudge", text: inline("late") });
  await shipRest(all.files, { shipping: () => all.shipping, signal });
  return { ...all, head };
}

describe("what a run stored after another had claimed the session", () => {
  it("is passed over and reported, although the one that claimed stored nothing (F47, F65)", async () => {
    const { shelf, head } = await storedLate();
    const found = await find(shelf, [claim(1, null), claim(2, head)]);
    if (found.kind === "refused") throw new Error(found.why);
    expect(found.session.last).toMatchObject({ number: 1, to: head.seq });
    expect(String(found.session.log)).not.toContain("late");
    const [late = ""] = [...shelf.stored.keys()].slice(-1);
    expect(found.session.reported).toEqual([
      `${late}: its records after ${head.seq} came when generation 2 had claimed the session`,
    ]);
  });

  it("is not there for who begins anew, as the one that claimed did", async () => {
    const { shelf } = await storedLate();
    const found = await find(shelf, [claim(1, null), claim(2, null)]);
    expect(found).toMatchObject({ kind: "refused", code: "not-found" });
    expect(found.kind === "refused" && found.why).toContain("came when generation 2 had claimed the session");
  });

  it("counts where its own generation is the newest that was claimed", async () => {
    const { shelf } = await storedLate();
    const found = await find(shelf, [claim(1, null)]);
    expect(found).toMatchObject({ kind: "found", session: { reported: [] } });
    expect(found.kind === "found" && String(found.session.log)).toContain("late");
  });
});
