import type { SessionId } from "../session/id.ts";
import { isOurMarker, markerMac } from "../session/marker.ts";
import type { SealKey } from "../session/shipment.ts";

export type MarkedEffect = "comment" | "pull-request";

/** The hidden line by which we know our own comment or pull request again. Unique, and not to be made without the key. */
export function markerOf(key: SealKey, session: SessionId, effect: MarkedEffect): string {
  return `<!-- agent:v1:${session}:${effect}:${markerMac(key, `${session}/${effect}`)} -->`;
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
