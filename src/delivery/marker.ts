import { parseSessionId, type SessionId } from "../session/id.ts";
import { isOurMarker, markerMac } from "../session/marker.ts";
import type { SealKey } from "../session/shipment.ts";

export type MarkedEffect = "comment" | "pull-request" | "reply" | AskedEffect;
/** With the id of the call that asks, which is in the MAC and not shown: it may be any text. */
export type AskedEffect = `question/${string}` | `approval/${string}`;

/** The hidden line by which we know our own comment or pull request again. Unique, and not to be made without the key. */
export function markerOf(key: SealKey, session: SessionId, effect: MarkedEffect): string {
  const [shown = ""] = effect.split("/", 1);
  return `<!-- agent:v1:${session}:${shown}:${markerMac(key, `${session}/${effect}`)} -->`;
}

/** Whether a text begins as every comment of ours does. Nobody proves by it that it is ours. */
export function startsWithMarker(body: string): boolean {
  return body.startsWith("<!-- agent:v1:");
}

/** Names the runs that stored shipments, for where leases cannot. */
export function runsMarkerOf(key: SealKey, session: SessionId, runs: readonly string[]): string {
  const list = runs.join(",");
  return `<!-- agent:v1:${session}:runs:${list}:${markerMac(key, `${session}/runs/${list}`)} -->`;
}

/** The runs that a comment of ours names, or null when none is named by us. */
export function readRunsMarker(key: SealKey, session: SessionId, body: string): readonly string[] | null {
  const found = new RegExp(`<!-- agent:v1:${session}:runs:([0-9,]{1,4000}):([0-9a-f]{1,64}) -->`).exec(body);
  const [, list = "", mac = ""] = found ?? [];
  return list !== "" && isOurMarker(key, `${session}/runs/${list}`, mac) ? list.split(",") : null;
}

/** The sessions whose status comment this is, by markers that only we can have made; at most one in our own comments. */
export function sessionsIn(key: SealKey, body: string): readonly SessionId[] {
  const found = body.matchAll(/<!-- agent:v1:(s[0-9a-f]{12}):comment:([0-9a-f]{1,64}) -->/g);
  return Array.from(found).flatMap(([, id = "", mac = ""]) => {
    const session = parseSessionId(id);
    return session !== null && isOurMarker(key, `${session}/comment`, mac) ? [session] : [];
  });
}
