import type { Host } from "../delivery/host.ts";
import { whoFollowed } from "../session/claim.ts";
import type { SessionId } from "../session/id.ts";
import type { Leases } from "../session/leases.ts";
import type { Shelf } from "../session/shelf.ts";
import { readShipmentName } from "../session/ship.ts";
import type { SealKey } from "../session/shipment.ts";
import type { State } from "../session/state.ts";
import { isOnlyTrace } from "./end-work.ts";
import { finishComment, type Rest, savedBy, type Untold } from "./ship-rest.ts";

const cancelled: Untold = { outcome: "suspended", reason: "cancelled", detail: "The run was cancelled." };

/** Says what became of the session that `main` left, in the log and in its comment, where `main` did not say it. */
export async function tellRest(
  rest: Extract<Rest, { kind: "shipped" }>,
  options: {
    readonly host: Host;
    readonly leases: Leases;
    readonly shelf: Shelf;
    readonly key: SealKey;
    readonly triggerPhrase: string;
    readonly runUrl: string | null;
    /** `told` where `main` reported its end by itself; null where it died. */
    readonly ending: "told" | Untold | null;
    readonly say: (text: string) => void;
    readonly warn: (text: string) => void;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { host, leases, shelf, key, triggerPhrase, runUrl, ending, say, signal } = options;
  const { sent, state } = rest;
  const { session } = rest.log.manifest.identity;
  if (sent.kind === "sent") say(`${session} is stored up to record ${rest.log.tail.seq}.`);
  if (sent.kind === "failed") {
    const then =
      state.shipped === null ? "cannot be resumed" : "can only be resumed from what was stored before";
    options.warn(`${session} could not be stored (${sent.why}), so it ${then}.`);
  }
  // The comment and the leases belong to whoever goes on with the session.
  const follower = await whoFollowed(session, state.gen, { leases, signal });
  if (follower !== null) return say(`${follower} goes on with ${session}.`);
  if (await isOvertaken(session, state, { shelf, signal }))
    return say(`${session} was gone on with already.`);
  if (ending !== "told") {
    const untold = ending ?? (state.reason === "cancelled" ? cancelled : null);
    const words = { triggerPhrase, runUrl, untold };
    await finishComment({ ...rest, saved: savedBy(rest) }, { host, key, ...words });
  }
  if (state.status !== "ended" || isOnlyTrace(rest.log.manifest.identity, state)) return;
  await leases.release(session, { from: 1, to: state.gen, signal });
}

/** Whether a later attempt of the same run had the session and ended it: no lease is left, but what it stored is. */
async function isOvertaken(
  session: SessionId,
  { gen, runs }: State,
  { shelf, signal }: { readonly shelf: Shelf; readonly signal: AbortSignal },
): Promise<boolean> {
  const stored = await shelf.list(session, { runs: runs.slice(-1), signal });
  return stored.some(({ name, foreign }) => foreign === null && (readShipmentName(name)?.gen ?? 0) > gen);
}
