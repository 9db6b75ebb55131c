import { probeEffect } from "../delivery/probe.ts";
import type { Identity } from "../session/event.ts";
import type { Journal } from "../session/journal.ts";
import type { Means } from "./means.ts";

/**
 * Check 9: effects that were intended and not settled are looked up by their key. What cannot be looked up stays open
 * and is said; whoever makes it next looks it up again first.
 */
export async function settleEffects(
  journal: Journal,
  identity: Identity,
  means: Means,
): Promise<readonly string[]> {
  const { session, thread } = identity;
  const doubts: string[] = [];
  for (const [key, effect] of Object.entries(journal.state.effects)) {
    if (effect.status !== "intended") continue;
    const probed = await probeEffect(
      { session, key, detail: effect.detail },
      { host: means.host, key: means.key, thread },
    );
    if (probed === null) {
      doubts.push(`Whether ${key} was done cannot be looked up.`);
    } else {
      const url = probed.status === "done" ? probed.url : null;
      await journal.append({
        type: "effect.settled",
        key,
        status: probed.status,
        detail: probed.detail,
        url,
      });
    }
  }
  return doubts;
}
