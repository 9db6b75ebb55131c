import type { Waiting, Waits } from "../delivery/waiting.ts";
import type { SessionEvent } from "../session/event.ts";
import { loadPayload } from "../session/payload.ts";
import { lastEvent } from "../session/reader.ts";
import { askedIn } from "./asked.ts";
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
    const url = askedIn(state.effects, session, waiting.kind)?.url ?? null;
    return { waiting, thread: thread?.number ?? null, url };
  };
  if (suspended?.reason === "question") return at({ kind: "question", question: suspended.detail });
  if (suspended?.reason !== "approval") return null;
  const ids = waitingCalls(state, gen);
  const asked = since
    .filter((event) => event.type === "approval.requested")
    .filter(({ id }) => ids.includes(id));
  if (asked.length === 0) return null;
  const load = (event: Asked): Promise<string> => loadPayload(event.arguments, { blobs: blobsOf(found) });
  const calls = asked.map(async (event) => {
    const { id, tool, why } = event;
    return { id, tool, why, arguments: await load(event) };
  });
  return at({ kind: "approval", calls: await Promise.all(calls) });
}

type Asked = Extract<SessionEvent, { type: "approval.requested" }>;
