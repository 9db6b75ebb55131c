import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import * as v from "valibot";
import type { Brand } from "../base/brand.ts";
import { type Digest, digestOf } from "../base/hash.ts";
import type { RunRef } from "./event.ts";
import type { SessionId } from "./id.ts";
import { formatVersion } from "./upcast.ts";

/**
 * A shipment is one sealed file: magic, header length (4 bytes, big endian), header JSON, nonce (12 bytes),
 * AES-256-GCM ciphertext with the bytes before the nonce as associated data, tag (16 bytes). The plaintext is a
 * gzipped container: one JSON line that lists the entries, then their bytes in that order.
 */
export type ShipmentHeader = {
  readonly format: number;
  readonly keyId: string;
  readonly repositoryId: number;
  readonly thread: number | null;
  readonly session: SessionId;
  readonly gen: number;
  readonly number: number;
  /** The records in it, both ends included; `from` 1 makes it complete. */
  readonly from: number;
  readonly to: number;
  /** Digest of the file of the shipment before it; null when it is complete. */
  readonly previous: Digest | null;
  readonly baseSha: string;
  readonly configSha: string;
  readonly workflow: string;
  readonly run: RunRef;
};

/** Fixed names only: `log`, `manifest`, `pack`, and `blob/<sha256>`. */
export type ShipmentEntry = { readonly name: string; readonly bytes: Uint8Array };

/** Whatever seals and unseals; derived once a run. */
export type SealKey = Brand<
  { readonly id: string; readonly key: Uint8Array; readonly mac: Uint8Array },
  "SealKey"
>;

const magic = Buffer.from("BATON\x01\n\n", "latin1");
const nonceBytes = 12;
const tagBytes = 16;
const headerBytesMax = 4096;
/** Bounds what an unsealed container may grow to. */
const plainBytesMax = 512 * 1024 * 1024;
/** Room for the line that lists the entries. */
const indexBytesMax = 1024 * 1024;
export const shipmentBytesMax = 64 * 1024 * 1024;

/** HKDF of the API key, or of the `session-key` input, bound to the repository: a key of another repository opens nothing. */
export function sealKeyOf(secret: string, repositoryId: number): SealKey {
  const derive = (use: string): Uint8Array =>
    new Uint8Array(hkdfSync("sha256", secret, "", `agent-session/v1/${use}/${repositoryId}`, 32));
  return { id: digestOf(derive("id")).slice(0, 16), key: derive("seal"), mac: derive("mac") } as SealKey;
}

/** Why `unsealShipment` would refuse it for its size, or null. */
export function whyTooLarge(
  sealed: Uint8Array,
  entries: readonly ShipmentEntry[],
  bytesMax = shipmentBytesMax,
): string | null {
  const plain = entries.reduce((sum, { bytes }) => sum + bytes.length, indexBytesMax);
  if (sealed.length > bytesMax) return `a shipment of ${sealed.length} bytes is over ${bytesMax}`;
  return plain > plainBytesMax ? `a shipment that holds ${plain} bytes is over ${plainBytesMax}` : null;
}

export function sealShipment(
  header: ShipmentHeader,
  entries: readonly ShipmentEntry[],
  options: { readonly key: SealKey; readonly nonce: Uint8Array },
): Uint8Array {
  const front = frontOf(header);
  const cipher = createCipheriv("aes-256-gcm", options.key.key, options.nonce);
  cipher.setAAD(front);
  const sealed = [cipher.update(gzipSync(packEntries(entries))), cipher.final()];
  return Buffer.concat([front, options.nonce, ...sealed, cipher.getAuthTag()]);
}

export type Unsealed =
  | { readonly kind: "unsealed"; readonly header: ShipmentHeader; readonly entries: readonly ShipmentEntry[] }
  | {
      readonly kind: "refused";
      readonly code: "tampered" | "other-key" | "foreign" | "newer-format";
      readonly why: string;
    };

/** Proves key, seal and binding, in that order, before a byte of the content is believed. */
export function unsealShipment(
  bytes: Uint8Array,
  expected: { readonly key: SealKey; readonly repositoryId: number; readonly session: SessionId },
): Unsealed {
  if (bytes.length > shipmentBytesMax) return tampered(`has ${bytes.length} bytes, over ${shipmentBytesMax}`);
  const split = splitFront(bytes);
  if (split === null) return tampered("has no readable header");
  const { header, front } = split;
  if (header.format > formatVersion) {
    const why = `has format ${header.format}; this version reads up to ${formatVersion}`;
    return { kind: "refused", code: "newer-format", why };
  }
  if (header.keyId !== expected.key.id) {
    const why = `was sealed with key ${header.keyId}, ours is ${expected.key.id}; use the API key or session-key of the run that wrote it`;
    return { kind: "refused", code: "other-key", why };
  }
  const plain = decrypt(bytes, front, expected.key);
  if (plain === null) return tampered("does not open: its bytes were changed or cut");
  if (header.repositoryId !== expected.repositoryId || header.session !== expected.session) {
    const why = `belongs to session ${header.session} of repository ${header.repositoryId}`;
    return { kind: "refused", code: "foreign", why };
  }
  const entries = unpackEntries(plain);
  return entries === null
    ? tampered("holds entries of unknown names")
    : { kind: "unsealed", header, entries };
}

function tampered(why: string): Unsealed {
  return { kind: "refused", code: "tampered", why };
}

function frontOf(header: ShipmentHeader): Uint8Array {
  const json = Buffer.from(JSON.stringify(header), "utf8");
  if (json.length > headerBytesMax)
    throw new Error(`a shipment header of ${json.length} bytes is over ${headerBytesMax}`);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return Buffer.concat([magic, length, json]);
}

const natural = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const headerSchema = v.object({
  format: natural,
  keyId: v.string(),
  repositoryId: natural,
  thread: v.nullable(natural),
  session: v.string(),
  gen: natural,
  number: natural,
  from: natural,
  to: natural,
  previous: v.nullable(v.string()),
  baseSha: v.string(),
  configSha: v.string(),
  workflow: v.string(),
  run: v.object({ id: v.string(), attempt: natural, job: v.string() }),
});

function splitFront(bytes: Uint8Array): { header: ShipmentHeader; front: Uint8Array } | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fixed = magic.length + 4;
  if (view.length < fixed + nonceBytes + tagBytes || !view.subarray(0, magic.length).equals(magic))
    return null;
  const length = view.readUInt32BE(magic.length);
  if (length > headerBytesMax || view.length < fixed + length + nonceBytes + tagBytes) return null;
  try {
    const header: unknown = JSON.parse(view.toString("utf8", fixed, fixed + length));
    if (!v.is(headerSchema, header)) return null;
    return { header: header as unknown as ShipmentHeader, front: bytes.subarray(0, fixed + length) };
  } catch {
    return null;
  }
}

function decrypt(bytes: Uint8Array, front: Uint8Array, key: SealKey): Uint8Array | null {
  const nonce = bytes.subarray(front.length, front.length + nonceBytes);
  const decipher = createDecipheriv("aes-256-gcm", key.key, nonce);
  decipher.setAAD(front);
  decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes));
  try {
    const sealed = bytes.subarray(front.length + nonceBytes, bytes.length - tagBytes);
    const zipped = Buffer.concat([decipher.update(sealed), decipher.final()]);
    return gunzipSync(zipped, { maxOutputLength: plainBytesMax });
  } catch {
    return null;
  }
}

function packEntries(entries: readonly ShipmentEntry[]): Uint8Array {
  const index = entries.map(({ name, bytes }) => ({ name, bytes: bytes.length }));
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(index)}\n`, "utf8"),
    ...entries.map((entry) => entry.bytes),
  ]);
}

const entryName = /^(log|manifest|pack|blob\/[0-9a-f]{64})$/;
const indexSchema = v.array(v.object({ name: v.pipe(v.string(), v.regex(entryName)), bytes: natural }));

function unpackEntries(plain: Uint8Array): readonly ShipmentEntry[] | null {
  const end = plain.indexOf(10);
  if (end < 0) return null;
  try {
    const index: unknown = JSON.parse(new TextDecoder().decode(plain.subarray(0, end)));
    if (!v.is(indexSchema, index)) return null;
    let offset = end + 1;
    const entries = index.map(({ name, bytes }) => {
      const entry = { name, bytes: plain.subarray(offset, offset + bytes) };
      offset += bytes;
      return entry;
    });
    return offset === plain.length ? entries : null;
  } catch {
    return null;
  }
}
