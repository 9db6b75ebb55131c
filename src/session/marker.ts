import { createHmac, timingSafeEqual } from "node:crypto";
import type { SessionId } from "./id.ts";
import type { SealKey } from "./shipment.ts";

/** What makes a comment or pull request ours besides its author: an HMAC of the effect's key, 16 hex digits. */
export function markerMac(key: SealKey, effect: `${SessionId}/${string}`): string {
  return createHmac("sha256", key.mac).update(effect).digest("hex").slice(0, 16);
}

export function isOurMarker(key: SealKey, effect: `${SessionId}/${string}`, mac: string): boolean {
  const ours = Buffer.from(markerMac(key, effect));
  const theirs = Buffer.from(mac);
  return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}
