import * as v from "valibot";
import { limits } from "../base/limits.ts";
import type { Head, Identity } from "./event.ts";

/**
 * The constant-size head of the log, replaced before each record. `next` is the record about to be appended,
 * `acked` the last one acknowledged at the level in force. It holds no messages and at most 4 KiB.
 */
export type Manifest = {
  readonly format: number;
  readonly identity: Identity;
  readonly gen: number;
  readonly status: "open" | "suspended" | "ended";
  readonly durability: "process" | "disk";
  readonly next: Head;
  readonly acked: Head;
};

const head = v.object({
  seq: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)),
});
const schema = v.object({
  format: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  identity: v.looseObject({
    session: v.string(),
    protocol: v.number(),
    provider: v.string(),
    model: v.string(),
  }),
  gen: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  status: v.picklist(["open", "suspended", "ended"]),
  durability: v.picklist(["process", "disk"]),
  next: head,
  acked: head,
});

export function encodeManifest(manifest: Manifest): Uint8Array {
  const bytes = Buffer.from(`${JSON.stringify(manifest)}\n`, "utf8");
  if (bytes.length > limits.manifestBytesMax) {
    throw new Error(
      `the manifest of ${manifest.identity.session} has ${bytes.length} bytes, over ${limits.manifestBytesMax}`,
    );
  }
  return bytes;
}

/** Null when the bytes are no manifest. */
export function decodeManifest(bytes: Uint8Array | null): Manifest | null {
  if (bytes === null || bytes.length > limits.manifestBytesMax) return null;
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return v.is(schema, value) ? (value as unknown as Manifest) : null;
  } catch {
    return null;
  }
}
