import { probeEffect } from "../delivery/probe.ts";
import type { Identity, SessionEvent } from "../session/event.ts";
import type { State } from "../session/state.ts";
import type { Means } from "./means.ts";

export type Settlements =
  | { readonly kind: "known"; readonly events: readonly SettledEffect[] }
  | { readonly kind: "refused"; readonly code: "in-doubt"; readonly why: string };

export type SettledEffect = Extract<SessionEvent, { type: "effect.settled" }>;

/**
 * Check 9 for effects: those that were intended and not settled are looked up by their key. Nothing is written; the
 * events are what there is to append. Where one cannot be looked up the session has to wait.
 */
export async function lookUpEffects(state: State, identity: Identity, means: Means): Promise<Settlements> {
  const { session, thread } = identity;
  const events: SettledEffect[] = [];
  for (const [key, effect] of Object.entries(state.effects)) {
    if (effect.status !== "intended") continue;
    const probed = await probeEffect(
      { session, key, detail: effect.detail },
      { host: means.host, patches: means.patches, runs: state.runs, key: means.key, thread },
    );
    switch (probed.status) {
      case "unknown": {
        const why = `${key} was begun and not settled, and whether it was made could not be looked up: ${probed.why}. Resume again when it can`;
        return { kind: "refused", code: "in-doubt", why };
      }
      case "done":
        events.push({ type: "effect.settled", key, ...probed });
        break;
      case "absent":
        events.push({ type: "effect.settled", key, ...probed, url: null });
    }
  }
  return { kind: "known", events };
}
