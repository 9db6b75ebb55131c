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

/** The event with no secret in any of its texts. JSON in a payload is as it was stored, so that its digest stays. */
export function masked(event: SessionEvent, mask: Mask): SessionEvent {
  return maskedIn(event, { mask, isClean: isStoredJson }) as SessionEvent;
}

/** The text of a checkpoint without secrets: payloads in it are as they were stored, and replies were stored before. */
export function maskedCheckpoint(text: string, mask: Mask): string {
  return maskedJson(text, { mask, isClean: isStoredJson });
}

type Masking = {
  readonly mask: Mask;
  /** Whether what it holds was masked before. */
  readonly isClean: (value: object) => boolean;
};

/**
 * JSON text with no secret in any of its strings. Taken out of the text itself, a secret that begins with the letter of
 * an escape, such as the `n` of a line's end, would take half of the escape with it, and the text would be no JSON.
 */
export function maskedJson(
  text: string,
  { mask, isClean = () => false }: Pick<Masking, "mask"> & Partial<Masking>,
): string {
  // What is escaped twice hides a secret that has a quote in it from a look at the text alone.
  if (!text.includes("\\\\") && mask(text) === text) return text;
  return JSON.stringify(maskedIn(JSON.parse(text), { mask, isClean }));
}

function maskedIn(value: unknown, masking: Masking): unknown {
  const { mask, isClean } = masking;
  if (typeof value === "string") return mask(value);
  if (typeof value !== "object" || value === null || isClean(value)) return value;
  if (Array.isArray(value)) return value.map((item) => maskedIn(item, masking));
  const fields = Object.entries(value).map(([name, held]) => [mask(name), maskedIn(held, masking)]);
  return Object.fromEntries(fields);
}

/** Text that is JSON by chance is stored as any other is, so there a secret is gone wherever it stood. */
function isStoredJson(value: object): boolean {
  return isInline(value) && objectIn(value.text) !== null;
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
