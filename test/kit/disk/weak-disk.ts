import { digestOf } from "../../../src/base/hash.ts";
import type { SessionFiles } from "../../../src/session/files.ts";

/** What the page cache holds at one moment, and how much of it no power loss can take away. */
export type Moment = {
  readonly name: string;
  /** Each manifest that a reader may find after a power loss; the last one is what a reader finds now. */
  readonly manifests: readonly (Uint8Array | null)[];
  readonly log: Uint8Array;
  /** Bytes of the log that a sync has covered. */
  readonly durable: number;
  /** Blobs whose file and directory are synced. */
  readonly blobs: ReadonlySet<string>;
  /** Records that had been acknowledged by then; whoever writes says so. */
  readonly acknowledged: number;
};

export type WeakDisk = SessionFiles & {
  readonly moments: readonly Moment[];
  readonly acknowledge: (records: number) => void;
};

/**
 * A session's files at level D on a file system that promises nothing that was not asked for: a rename may be lost
 * until the directory is synced, appended bytes until the log is. Keeps every moment between two operations. It syncs
 * where the adapter on the disk does: blobs and manifest before they count, the log at a barrier and after a cut.
 */
export function weakDisk(from?: Moment): WeakDisk {
  const moments: Moment[] = [];
  const blobs = new Map<string, Uint8Array>();
  const synced = new Set<string>(from?.blobs);
  let manifests: readonly (Uint8Array | null)[] = from?.manifests ?? [null];
  let log = from?.log ?? new Uint8Array();
  let durable = from?.durable ?? 0;
  let acknowledged = from?.acknowledged ?? 0;
  const note = (name: string): void => {
    moments.push({ name, manifests, log, durable, blobs: new Set(synced), acknowledged });
  };
  return {
    moments,
    acknowledge: (records) => {
      acknowledged = records;
      note(`record ${records} acknowledged`);
    },
    read: async () => ({ manifest: manifests.at(-1) ?? null, log }),
    append: async (line, { barrier }) => {
      const before = log;
      log = Buffer.concat([before, line.subarray(0, line.length >> 1)]);
      note("half a line appended");
      log = Buffer.concat([before, line]);
      note("line appended");
      if (!barrier) return;
      durable = log.length;
      note("log synced");
    },
    replaceManifest: async (bytes) => {
      manifests = [...manifests, bytes];
      note("manifest renamed");
      manifests = [bytes];
      note("directory synced");
    },
    cut: async (length) => {
      const torn = log.subarray(length);
      note("torn bytes kept aside");
      log = log.subarray(0, length);
      durable = Math.min(durable, length);
      note("log cut");
      durable = length;
      note("cut synced");
      return { cutBytes: torn.length, sha256: digestOf(torn) };
    },
    blobs: {
      put: async (bytes) => {
        const digest = digestOf(bytes);
        blobs.set(digest, bytes);
        note("blob renamed");
        synced.add(digest);
        note("blob synced");
        return digest;
      },
      get: async (digest) => blobs.get(digest) ?? null,
    },
  };
}
