import type { Waiting, WaitingCall, Waits } from "../delivery/waiting.ts";
import type { Payload, SessionEvent } from "../session/event.ts";
import { loadPayload } from "../session/payload.ts";
import { lastEvent } from "../session/reader.ts";
import { askedAt } from "./asked.ts";
import { blobsOf, type Proved } from "./proved.ts";
import { waitingCalls } from "./said.ts";

/**
 * What a session that was suspended to wait for people still waits for when nobody has said anything, null where it
 * can go on. `gen` is the generation that would be claimed.
 */
export async function waitsFor(
  { log, state, since, found }: Pick<Proved, "log" | "state" | "since" | "found">,
  gen: number,
): Promise<Waits | null> {
  const { session, thread } = log.manifest.identity;
  const suspended = state.status === "suspended" ? lastEvent(log.bytes, "run.suspended") : null;
  const at = (waiting: Waiting): Waits => {
    const url = askedAt(state.effects, session, waiting.kind);
    return { waiting, thread: thread?.number ?? null, url };
  };
  if (suspended?.reason === "question") return at({ kind: "question", question: suspended.detail });
  if (suspended?.reason !== "approval") return null;
  const load = (payload: Payload): Promise<string> => loadPayload(payload, { blobs: blobsOf(found) });
  const calls = await callsAsked(since, waitingCalls(state, gen), load);
  return calls.length === 0 ? null : at({ kind: "approval", calls });
}

/** Those calls as they were asked for; `events` are those since the last checkpoint. */
export async function callsAsked(
  events: readonly SessionEvent[],
  ids: readonly string[],
  load: (payload: Payload) => Promise<string>,
): Promise<readonly WaitingCall[]> {
  // What was asked for under the same id before was another call.
  const asked = new Map(
    events.filter((event) => event.type === "approval.requested").map((event) => [event.id, event]),
  );
  const waiting = ids.flatMap((id) => asked.get(id) ?? []);
  return Promise.all(
    waiting.map(async ({ id, tool, why, arguments: given }) => ({
      id,
      tool,
      why,
      arguments: await load(given),
    })),
  );
}
