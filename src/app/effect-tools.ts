import type { EffectTools } from "../delivery/effect.ts";
import { whyFenced } from "../session/claim.ts";
import type { Work } from "./work.ts";

/** What effects of this run need. */
export function effectTools(work: Work): EffectTools {
  return {
    append: work.journal.append,
    shipped: async () => {
      await work.shipper.ship();
    },
    fenced: () => fencedNow(work),
    clock: work.means.clock,
    signal: work.means.cancelled,
  };
}

/** Why this run has lost the session to another, or null. */
export function fencedNow({ identity, hold, means }: Pick<Work, "identity" | "hold" | "means">) {
  return whyFenced(identity.session, hold, { leases: means.leases, signal: means.cancelled });
}
