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

/** The event with no secret in any of its texts. */
export function masked(event: SessionEvent, mask: Mask): SessionEvent {
  return maskedIn(event, mask) as SessionEvent;
}

/**
 * The text without secrets; JSON stays JSON. A secret that begins with the letter of an escape, such as the `n` of a line's
 * end, would take half of the escape with it, so it is looked for in the strings of such a text instead.
 */
export function maskedText(text: string, mask: Mask): string {
  const clean = mask(text);
  if (clean === text) return text;
  const value = objectIn(text);
  return value === null || objectIn(clean) !== null ? clean : JSON.stringify(maskedIn(value, mask));
}

function maskedIn(value: unknown, mask: Mask): unknown {
  if (typeof value === "string") return maskedText(value, mask);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => maskedIn(item, mask));
  const fields = Object.entries(value).map(([name, held]) => [mask(name), maskedIn(held, mask)]);
  return Object.fromEntries(fields);
}

function objectIn(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
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
