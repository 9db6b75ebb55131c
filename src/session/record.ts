import { createHash } from "node:crypto";
import { limits } from "../base/limits.ts";
import type { EventRecord, Head, SessionEvent } from "./event.ts";

/** What the first record names as its predecessor. */
export const genesis: Head = { seq: 0, hash: "0".repeat(32) };

const tailLength = `,"hash":"${genesis.hash}"}`.length;
const tailShape = /^,"hash":"([0-9a-f]{32})"\}$/;
const decoder = new TextDecoder("utf-8", { fatal: true });

export type Line = { readonly record: EventRecord; readonly bytes: Uint8Array };

/**
 * One line of the log, newline included. The hash is the first 128 bits of SHA-256 over the raw bytes before
 * `,"hash"`, so no canonical JSON is needed. Throws when the line is over 64 KiB: payloads belong in blobs.
 */
export function encodeRecord(
  event: SessionEvent,
  place: { readonly previous: Head; readonly gen: number; readonly at: number },
): Line {
  const { previous, gen, at } = place;
  const open = JSON.stringify({ seq: previous.seq + 1, gen, at, prev: previous.hash, event }).slice(0, -1);
  const hash = hashOf(Buffer.from(open, "utf8"));
  const bytes = Buffer.from(`${open},"hash":"${hash}"}\n`, "utf8");
  if (bytes.length > limits.lineBytesMax) {
    throw new Error(
      `record ${previous.seq + 1} (${event.type}) has ${bytes.length} bytes, over ${limits.lineBytesMax}`,
    );
  }
  return { record: { seq: previous.seq + 1, gen, at, prev: previous.hash, event, hash }, bytes };
}

export type Decoded =
  | { readonly kind: "record"; readonly record: EventRecord }
  | { readonly kind: "invalid"; readonly why: string };

/** `line` is without its newline. Valid when it is whole, parses, follows `previous`, and its hash verifies. */
export function decodeRecord(line: Uint8Array, previous: Head): Decoded {
  const found = parseLine(line);
  if (found === null) return { kind: "invalid", why: "is not a whole record" };
  const { record, open } = found;
  if (hashOf(open) !== record.hash) return { kind: "invalid", why: "does not match its hash" };
  if (record.seq !== previous.seq + 1) return { kind: "invalid", why: `has number ${record.seq}` };
  if (record.prev !== previous.hash) return { kind: "invalid", why: `does not name record ${previous.seq}` };
  return { kind: "record", record };
}

function parseLine(line: Uint8Array): { readonly record: EventRecord; readonly open: Uint8Array } | null {
  if (line.length <= tailLength || line.length > limits.lineBytesMax) return null;
  try {
    const text = decoder.decode(line);
    const hash = tailShape.exec(text.slice(-tailLength))?.[1];
    const value: unknown = JSON.parse(text);
    if (hash === undefined || !isRecord(value)) return null;
    return { record: value, open: line.subarray(0, line.length - tailLength) };
  } catch {
    return null;
  }
}

/** The frame only; what an event of a known type holds was written by this code and is under the hash. */
function isRecord(value: unknown): value is EventRecord {
  if (typeof value !== "object" || value === null) return false;
  const { seq, gen, at, prev, event, hash } = value as { readonly [key: string]: unknown };
  const typed =
    typeof event === "object" && event !== null && typeof (event as { type?: unknown }).type === "string";
  const numbers = Number.isSafeInteger(seq) && Number.isSafeInteger(gen) && typeof at === "number";
  return numbers && typed && typeof prev === "string" && typeof hash === "string";
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 32);
}
