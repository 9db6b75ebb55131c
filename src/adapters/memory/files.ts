import { type Digest, digestOf } from "../../base/hash.ts";
import type { SessionFiles } from "../../session/files.ts";

/** What a crash can do to a write: let `bytes` of it through, then fail. */
export type WriteFault = {
  readonly at: "append" | "manifest" | "blob";
  readonly write: number;
  readonly bytes: number;
};

export type MemoryFiles = SessionFiles & {
  /** What a reader would find now; assignable, to damage it. */
  readonly state: {
    manifest: Uint8Array | null;
    log: Uint8Array;
    blobs: Map<string, Uint8Array>;
    /** Bytes that a file may have, as on a full disk: what is longer is refused, and nothing of it stays. */
    room?: number;
  };
};

/** A session's files in memory. `fault` makes the n-th write of its kind fail after some bytes, as a crash would. */
export function memorySessionFiles(fault?: WriteFault): MemoryFiles {
  const state: MemoryFiles["state"] = { manifest: null, log: new Uint8Array(), blobs: new Map() };
  const counts = { append: 0, manifest: 0, blob: 0 };
  const faulty = (at: WriteFault["at"]): number | null => {
    counts[at] += 1;
    return fault?.at === at && fault.write === counts[at] ? fault.bytes : null;
  };
  const refuse = (file: string, bytes: number): void => {
    if (bytes > (state.room ?? Number.POSITIVE_INFINITY))
      throw new Error(`${file} has no room for ${bytes} bytes`);
  };
  return {
    state,
    read: async () => ({ manifest: state.manifest, log: state.log }),
    append: async (line) => {
      refuse("the log", state.log.length + line.length);
      const bytes = faulty("append");
      state.log = Buffer.concat([state.log, bytes === null ? line : line.subarray(0, bytes)]);
      if (bytes !== null) throw new Error(`the append failed after ${bytes} bytes`);
    },
    replaceManifest: async (bytes) => {
      refuse("the manifest", bytes.length);
      if (faulty("manifest") !== null) throw new Error("the manifest could not be replaced");
      state.manifest = bytes;
    },
    cut: async (length) => {
      const torn = state.log.subarray(length);
      state.log = state.log.subarray(0, length);
      return { cutBytes: torn.length, sha256: digestOf(torn) };
    },
    blobs: {
      put: async (bytes) => {
        refuse("the blob", bytes.length);
        if (faulty("blob") !== null) throw new Error("the blob could not be stored");
        const digest = digestOf(bytes);
        state.blobs.set(digest, bytes);
        return digest;
      },
      get: async (digest: Digest) => {
        const bytes = state.blobs.get(digest) ?? null;
        return bytes !== null && digestOf(bytes) === digest ? bytes : null;
      },
    },
  };
}
