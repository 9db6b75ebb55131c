import { expect, it } from "vitest";
import type { Patches, StoredPatch } from "../../src/delivery/patches.ts";

export type PatchesWorld = AsyncDisposable & {
  /** What each of two runs stores and finds with. */
  readonly patches: (run: "one" | "two") => Patches;
  readonly runId: (run: "one" | "two") => string;
  /** What a person gets who does what is said of it. */
  readonly taken: (stored: StoredPatch) => Promise<Uint8Array>;
};

/** What every adapter of the port `Patches` has to do. */
export function patchesContract(make: () => Promise<PatchesWorld>): void {
  const name = "agent-patch-s0123456789ab-01234567";
  const patch = Buffer.from([...Buffer.from("diff --git a/a b/a\r\n"), 0xff, 0x00, 0x0a]);

  it("gives a person exactly the bytes that were stored, and finds them for every later run", async () => {
    await using world = await make();
    const { patches, runId, taken } = world;
    const runs = [runId("two"), runId("one")];
    expect(await patches("one").find(name, { runs })).toBeNull();
    const put = await patches("one").put(name, patch);
    if (put.kind === "refused") throw new Error(put.why);
    expect(Buffer.from(await taken(put.patch))).toEqual(patch);
    expect(put.patch.file).toContain(`${name}.patch`);
    expect(await patches("two").find(name, { runs })).toEqual(put.patch);
    expect(await patches("two").find(`${name.slice(0, -1)}8`, { runs })).toBeNull();
  });
}
