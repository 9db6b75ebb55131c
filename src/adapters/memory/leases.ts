import { isSameRun } from "../../session/claim.ts";
import type { RunRef } from "../../session/event.ts";
import type { Lease, Leases } from "../../session/leases.ts";

/** What several runs share. `ended` holds the runs whose job is over. */
export type MemoryLeases = { readonly leases: Lease[]; readonly ended: RunRef[] };

export function memoryLeases({ leases, ended }: MemoryLeases): Leases {
  return {
    claim: async (lease) => {
      const taken = leases.some(({ session, gen }) => session === lease.session && gen === lease.gen);
      if (taken) return { kind: "lost" };
      leases.push(lease);
      return { kind: "claimed" };
    },
    holders: async (session) =>
      leases.filter((lease) => lease.session === session).sort((a, b) => a.gen - b.gen),
    alive: async (run) => (ended.some((other) => isSameRun(run, other)) ? "gone" : "running"),
    release: async (session, { from, to }) => {
      const kept = leases.filter(({ session: other, gen }) => other !== session || gen < from || gen > to);
      leases.splice(0, leases.length, ...kept);
    },
  };
}
