import { digestOf } from "../base/hash.ts";
import type { SessionId } from "../session/id.ts";
import { carryOut, type EffectDone, type EffectTools } from "./effect.ts";
import { HostForbidden, type HostRefusal } from "./host.ts";
import type { Patches, StoredPatch } from "./patches.ts";

/** The whole work, or what of it was held back; also the end of the effect's key. */
export type PatchEffect = "patch" | "held-back";

export type PatchToStore = {
  readonly session: SessionId;
  readonly effect: PatchEffect;
  readonly patch: Uint8Array;
  /** The runs of the session, which may have stored it before. */
  readonly runs: readonly string[];
};

/** Puts a patch where people can take it, once. */
export async function storePatch(
  { session, effect, patch, runs }: PatchToStore,
  { patches, ...tools }: EffectTools & { readonly patches: Patches },
): Promise<EffectDone<StoredPatch> | HostRefusal> {
  const name = `agent-patch-${session}-${digestOf(patch).slice(0, 8)}`;
  return carryOut(
    {
      key: `${session}/${effect}`,
      detail: JSON.stringify({ name }),
      find: async () => {
        const found = await findPatch(name, { patches, runs });
        return found && done(found);
      },
      make: async () => {
        const put = await patches.put(name, patch);
        return put.kind === "stored" ? done(put.patch) : put;
      },
    },
    tools,
  );
}

/** Null too for a token that may not look: a second one of the same content does no harm. Throws `HostUnavailable`. */
export async function findPatch(
  name: string,
  { patches, runs }: { readonly patches: Patches; readonly runs: readonly string[] },
): Promise<StoredPatch | null> {
  try {
    return await patches.find(name, { runs });
  } catch (error) {
    if (error instanceof HostForbidden) return null;
    throw error;
  }
}

function done(patch: StoredPatch): EffectDone<StoredPatch> {
  return { kind: "done", value: patch, detail: patch.name, url: patch.url };
}
