import { createHash } from "node:crypto";
import { limits } from "../base/limits.ts";
import type { EventRecord, Head, SessionEvent } from "./event.ts";
import { formatVersion, upcast } from "./upcast.ts";

/** What the first record names as its predecessor. */
export const genesis: Head = { seq: 0, hash: "0".repeat(32) };

const tailLength = `,"hash":"${genesis.hash}"}`.length;
const tailShape = /^,"hash":"([0-9a-f]{32})"\}$/;
/** Everything before the event's own fields, in the order in which it is written. Format 1 did not name itself. */
const headShape =
  /^\{(?:"v":([1-9]\d{0,8}),)?"seq":(\d{1,15}),"gen":(\d{1,15}),"at":[^",]{1,30},"prev":"([0-9a-f]{32})","event":\{"type":"([^"\\]{1,60})"[,}]/;
const headLengthMax = 256;
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
  const { type, ...rest } = event;
  const frame = { v: formatVersion, seq: previous.seq + 1, gen, at, prev: previous.hash };
  const open = JSON.stringify({ ...frame, event: { type, ...rest } }).slice(0, -1);
  const hash = hashOf(Buffer.from(open, "utf8"));
  const bytes = Buffer.from(`${open},"hash":"${hash}"}\n`, "utf8");
  if (bytes.length > limits.lineBytesMax) {
    throw new Error(
      `record ${previous.seq + 1} (${event.type}) has ${bytes.length} bytes, over ${limits.lineBytesMax}`,
    );
  }
  return { record: { seq: previous.seq + 1, gen, at, prev: previous.hash, event, hash }, bytes };
}

/** What a line says of itself outside its event, read without parsing it. */
export type Frame = {
  readonly format: number;
  readonly seq: number;
  readonly gen: number;
  readonly hash: string;
  /** The event's type; it may be one that this version does not know. */
  readonly type: string;
};

export type Framed =
  | { readonly kind: "framed"; readonly frame: Frame }
  | { readonly kind: "invalid"; readonly why: string };

/**
 * `line` is without its newline. Follows `previous` and its hash verifies, so its bytes are the ones that were chained;
 * that they are JSON is left to who reads them.
 */
export function checkFrame(line: Uint8Array, previous: Head): Framed {
  if (line.length <= tailLength || line.length >= limits.lineBytesMax) return notWhole;
  const open = line.subarray(0, line.length - tailLength);
  const head = headShape.exec(latin1(line.subarray(0, headLengthMax)));
  const hash = tailShape.exec(latin1(line.subarray(open.length)))?.[1];
  if (head === null || hash === undefined) return notWhole;
  if (hashOf(open) !== hash) return { kind: "invalid", why: "does not match its hash" };
  const [, format = "1", seq, gen, prev, type = ""] = head;
  if (Number(seq) !== previous.seq + 1) return { kind: "invalid", why: `has number ${seq}` };
  if (prev !== previous.hash) return { kind: "invalid", why: `does not name record ${previous.seq}` };
  return {
    kind: "framed",
    frame: { format: Number(format), seq: Number(seq), gen: Number(gen), hash, type },
  };
}

export type Decoded =
  | { readonly kind: "record"; readonly record: EventRecord }
  | { readonly kind: "invalid"; readonly why: string };

/** `line` is without its newline. Valid when it is whole, parses, follows `previous`, and its hash verifies. */
export function decodeRecord(line: Uint8Array, previous: Head): Decoded {
  const checked = checkFrame(line, previous);
  if (checked.kind === "invalid") return checked;
  try {
    return { kind: "record", record: parseRecord(line) };
  } catch {
    return notWhole;
  }
}

/** A line that was proved before, newline or not. Events of older formats come as events of this one. */
export function parseRecord(line: Uint8Array): EventRecord {
  const stored = JSON.parse(decoder.decode(line)) as EventRecord & { readonly v?: number };
  const { v = 1, seq, gen, at, prev, event, hash } = stored;
  return { seq, gen, at, prev, event: upcast(event, v), hash };
}

const notWhole = { kind: "invalid", why: "is not a whole record" } as const;

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 32);
}
