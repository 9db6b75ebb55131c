// The artifacts of all runs: what has been uploaded, and the means to spoil it.
import { createHash } from "node:crypto";
import { type BlobStore, startBlobStore } from "./blob-store.ts";

export type StoredArtifact = {
  readonly id: number;
  readonly name: string;
  readonly run: number;
  /** Size of the zip in bytes. */
  readonly size: number;
  /** `sha256:<hex>` of the zip as it was uploaded; spoiling the bytes does not change it. */
  readonly digest: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly expired: boolean;
};

type Slot = {
  readonly id: number;
  readonly name: string;
  readonly run: number;
  readonly blob: string;
  readonly createdAt: string;
  expiresAt: string;
  /** Set by finalizing; until then the slot is invisible, but its name is taken. */
  sealed: { size: number; digest: string } | undefined;
};

/** The test's view: look at what was shipped, and spoil it. */
export type Artifacts = {
  /** Finalized artifacts, oldest first. */
  list(): readonly StoredArtifact[];
  /** The zip's bytes. With several of one name, the newest is meant, here and below. */
  read(name: string): Promise<Buffer>;
  /** Replaces the zip's bytes; the digest stays what it was unless `digest: "follow"`. */
  tamper(
    name: string,
    change: (bytes: Buffer) => Buffer,
    options?: { readonly digest: "follow" },
  ): Promise<void>;
  /** Puts a zip under a name without any client, as a foreign workflow would have done. */
  plant(artifact: {
    readonly name: string;
    readonly run: number;
    readonly bytes: Buffer;
  }): Promise<StoredArtifact>;
  remove(name: string): void;
  expire(name: string): void;
};

export type ArtifactShelf = Artifacts &
  AsyncDisposable & {
    /** Takes a name for a run; nothing if it is taken. */
    create(request: {
      readonly name: string;
      readonly run: number;
      readonly expiresAt?: string;
    }): Promise<Slot | undefined>;
    /** Makes an uploaded artifact visible; nothing if there is none of that name or the size is not the upload's. */
    finalize(request: {
      readonly name: string;
      readonly run: number;
      readonly size: number;
    }): Promise<StoredArtifact | undefined>;
    find(id: number): StoredArtifact | undefined;
    delete(id: number): boolean;
    /** Path and query below `origin()` under which the blob can be read or written. */
    signedPath(id: number, allow: "read" | "write"): Promise<string>;
    /** Where the blob server listens. */
    blobOrigin(): Promise<string>;
  };

const retentionMs = 90 * 24 * 60 * 60 * 1000;

export function openArtifactShelf(options: {
  readonly nextId: () => number;
  readonly now: () => string;
}): ArtifactShelf {
  const slots: Slot[] = [];
  let starting: Promise<BlobStore> | undefined;
  const store = () => {
    starting ??= startBlobStore();
    return starting;
  };
  const newest = (name: string): Slot => {
    const slot = slots.findLast((candidate) => candidate.name === name && candidate.sealed);
    if (!slot)
      throw new Error(`there is no artifact ${name}; there are ${list().map((artifact) => artifact.name)}`);
    return slot;
  };
  const list = () => slots.flatMap((slot) => visible(slot));
  const drop = (slot: Slot) => slots.splice(slots.indexOf(slot), 1);

  const create: ArtifactShelf["create"] = async ({ name, run, expiresAt }) => {
    if (slots.some((slot) => slot.run === run && slot.name === name)) return undefined;
    const id = options.nextId();
    const createdAt = options.now();
    const lasting = new Date(Date.parse(createdAt) + retentionMs).toISOString();
    const slot = {
      id,
      name,
      run,
      blob: `${run}/${id}.zip`,
      createdAt,
      expiresAt: expiresAt ?? lasting,
      sealed: undefined,
    };
    slots.push(slot);
    return slot;
  };

  const finalize: ArtifactShelf["finalize"] = async ({ name, run, size }) => {
    const slot = slots.find(
      (candidate) => candidate.run === run && candidate.name === name && !candidate.sealed,
    );
    if (!slot) return undefined;
    const bytes = await (await store()).read(slot.blob);
    if (bytes.length !== size) return undefined;
    slot.sealed = { size, digest: digestOf(bytes) };
    return visible(slot)[0];
  };

  return {
    list,
    create,
    finalize,
    read: async (name) => (await store()).read(newest(name).blob),
    async tamper(name, change, how) {
      const slot = newest(name);
      const blobs = await store();
      const bytes = change(await blobs.read(slot.blob));
      await blobs.write(slot.blob, bytes);
      if (how?.digest === "follow") slot.sealed = { size: bytes.length, digest: digestOf(bytes) };
    },
    async plant({ name, run, bytes }) {
      const slot = await create({ name, run });
      if (!slot) throw new Error(`run ${run} has an artifact ${name} already`);
      await (await store()).write(slot.blob, bytes);
      slot.sealed = { size: bytes.length, digest: digestOf(bytes) };
      const [planted] = visible(slot);
      if (!planted) throw new Error(`the artifact ${name} was planted but cannot be seen`);
      return planted;
    },
    remove: (name) => {
      drop(newest(name));
    },
    expire: (name) => {
      newest(name).expiresAt = "2020-01-01T00:00:00Z";
    },
    find: (id) => list().find((artifact) => artifact.id === id),
    delete(id) {
      const slot = slots.find((candidate) => candidate.id === id && candidate.sealed);
      if (slot) drop(slot);
      return slot !== undefined;
    },
    async signedPath(id, allow) {
      const slot = slots.find((candidate) => candidate.id === id);
      if (!slot) throw new Error(`there is no artifact with the id ${id}`);
      return (await store()).signedPath(slot.blob, allow);
    },
    blobOrigin: async () => (await store()).origin,
    async [Symbol.asyncDispose]() {
      if (starting) await (await starting)[Symbol.asyncDispose]();
    },
  };
}

function visible(slot: Slot): readonly StoredArtifact[] {
  const { id, name, run, createdAt, expiresAt, sealed } = slot;
  return sealed
    ? [{ id, name, run, createdAt, expiresAt, expired: Date.parse(expiresAt) < Date.now(), ...sealed }]
    : [];
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
