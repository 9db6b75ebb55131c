import { expect, it } from "vitest";
import type { RunRef } from "../../src/session/event.ts";
import { parseSessionId, type SessionId } from "../../src/session/id.ts";
import type { Lease, Leases } from "../../src/session/leases.ts";

export type LeasesWorld = AsyncDisposable & {
  /** A fresh adapter, as another machine would have it. */
  readonly leases: () => Leases;
  /** A run whose job still runs, and one whose job is over. */
  readonly running: RunRef;
  readonly over: RunRef;
};

/** What every adapter of the port `Leases` has to do. */
export function leasesContract(make: () => Promise<LeasesWorld>): void {
  const rule = (title: string, test: (world: LeasesWorld) => Promise<void>) =>
    it(title, async () => {
      await using world = await make();
      await test(world);
    });
  const { signal } = new AbortController();
  const session = idOf("s0123456789ab");
  const other = idOf("sba9876543210");
  const lease = (gen: number, run: RunRef, head: Lease["head"] = null): Lease => ({
    session,
    gen,
    run,
    head,
  });

  rule("gives a generation to the first who claims it", async ({ leases, running, over }) => {
    const first = lease(1, over);
    const head = { seq: 12, hash: "ab".repeat(16) };
    expect(await leases().holders(session, { signal })).toEqual([]);
    expect(await leases().claim(first, { signal })).toEqual({ kind: "claimed" });
    expect(await leases().claim(lease(1, running), { signal })).toEqual({ kind: "lost" });
    expect(await leases().claim(lease(2, running, head), { signal })).toEqual({ kind: "claimed" });
    expect(await leases().holders(session, { signal })).toEqual([first, lease(2, running, head)]);
    expect(await leases().holders(other, { signal })).toEqual([]);
  });

  rule("gives a generation to exactly one of many who claim it at once", async ({ leases, running }) => {
    const claims = await Promise.all(
      Array.from({ length: 6 }, (_, number) =>
        leases().claim(lease(1, { ...running, job: `${running.job} ${number}` }), { signal }),
      ),
    );
    expect(claims.filter(({ kind }) => kind === "claimed")).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === "lost")).toHaveLength(5);
    expect(await leases().holders(session, { signal })).toHaveLength(1);
  });

  rule("orders generations as numbers", async ({ leases, running }) => {
    for (const gen of [10, 9, 1]) await leases().claim(lease(gen, running), { signal });
    const gens = (await leases().holders(session, { signal })).map(({ gen }) => gen);
    expect(gens).toEqual([1, 9, 10]);
  });

  rule("gives back generations from one to another, of one session", async ({ leases, running }) => {
    for (const gen of [1, 2, 3]) await leases().claim(lease(gen, running), { signal });
    await leases().claim({ ...lease(1, running), session: other }, { signal });
    const left = async () => (await leases().holders(session, { signal })).map(({ gen }) => gen);
    await leases().release(session, { from: 2, to: 2, signal });
    expect(await left()).toEqual([1, 3]);
    await leases().release(session, { from: 1, to: 2, signal });
    expect(await left()).toEqual([3]);
    await leases().release(session, { from: 1, to: 3, signal });
    await leases().release(session, { from: 1, to: 3, signal });
    expect(await left()).toEqual([]);
    expect(await leases().holders(other, { signal })).toHaveLength(1);
  });

  rule("knows a job that runs from one that is over", async ({ leases, running, over }) => {
    expect(await leases().alive(running, { signal })).toBe("running");
    expect(await leases().alive(over, { signal })).toBe("gone");
  });
}

function idOf(text: string): SessionId {
  const id = parseSessionId(text);
  if (id === null) throw new Error(`${text} is no session id`);
  return id;
}
