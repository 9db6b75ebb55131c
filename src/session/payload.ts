import { type Digest, digestOf } from "../base/hash.ts";
import { limits } from "../base/limits.ts";
import type { Mask } from "../base/masking.ts";
import type { Payload, SessionEvent } from "./event.ts";
import type { Blobs, SessionFiles } from "./files.ts";

export async function loadPayload(payload: Payload, files: Pick<SessionFiles, "blobs">): Promise<string> {
  if (payload.type === "inline") return payload.text;
  const bytes = await files.blobs.get(payload.sha256);
  if (bytes === null) throw new Error(`blob ${payload.sha256} is missing or damaged`);
  return new TextDecoder().decode(bytes);
}

/** The digest of its bytes, wherever these are. */
export function digestIn(payload: Payload): Digest {
  return payload.type === "inline" ? digestOf(payload.text) : payload.sha256;
}

/** `inlineMax` in bytes: what is longer is stored by `put` first. */
export async function payloadOf(text: string, put: Blobs["put"], inlineMax: number): Promise<Payload> {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= inlineMax) return { type: "inline", text };
  return { type: "blob", sha256: await put(bytes), bytes: bytes.length };
}

export function masked(event: SessionEvent, mask: Mask): SessionEvent {
  const text = JSON.stringify(event);
  const clean = mask(text);
  return clean === text ? event : (JSON.parse(clean) as SessionEvent);
}

/** A batch of many small payloads may be too long for one line: the largest ones move to blobs until it fits. */
export async function spill(event: SessionEvent, put: Blobs["put"]): Promise<SessionEvent> {
  const room = limits.lineBytesMax - 512;
  let fitting = event;
  while (Buffer.byteLength(JSON.stringify(fitting)) > room) {
    const largest = inlineTexts(fitting).sort((a, b) => b.length - a.length)[0];
    if (largest === undefined || largest.length < 128) return fitting;
    const moved = await payloadOf(largest, put, 0);
    fitting = JSON.parse(JSON.stringify(fitting), (_key, value: unknown) =>
      isInline(value) && value.text === largest ? moved : value,
    ) as SessionEvent;
  }
  return fitting;
}

function inlineTexts(value: unknown): string[] {
  if (isInline(value)) return [value.text];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(inlineTexts);
}

function isInline(value: unknown): value is Extract<Payload, { type: "inline" }> {
  return typeof value === "object" && value !== null && (value as { type?: unknown }).type === "inline";
}
