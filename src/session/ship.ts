import type { Clock } from "../base/clock.ts";
import { type Digest, digestOf, type Tree } from "../base/hash.ts";
import type { EventRecord, Payload, RunRef } from "./event.ts";
import type { SessionFiles } from "./files.ts";
import { decodeManifest } from "./manifest.ts";
import type { Snapshot } from "./open-journal.ts";
import { recordsBack } from "./reader.ts";
import { decodeRecord } from "./record.ts";
import type { Shelf } from "./shelf.ts";
import {
  type SealKey,
  type ShipmentEntry,
  type ShipmentHeader,
  sealShipment,
  whyTooLarge,
} from "./shipment.ts";
import { formatVersion } from "./upcast.ts";

/** The last shipment of a chain that was acknowledged. */
export type Shipped = {
  readonly number: number;
  readonly to: number;
  readonly digest: Digest;
  readonly tree: Tree | null;
};

export type Shipping = {
  readonly shelf: Shelf;
  readonly key: SealKey;
  readonly run: RunRef;
  readonly workflow: string;
  readonly clock: Clock;
  /** Below what can be opened again, where less than that fits. */
  readonly bytesMax?: number;
  readonly nonce: () => Uint8Array;
  /** The objects that the trees need and the base commit, and the trees in `have`, do not hold. */
  readonly pack: (options: {
    readonly have: readonly Tree[];
    readonly want: readonly Tree[];
  }) => Promise<Uint8Array>;
};

/** `tries` counts the names of this number that are used up by now, whatever became of them. */
export type Sent =
  | {
      readonly kind: "sent";
      readonly shipped: Shipped;
      readonly name: string;
      readonly from: number;
      readonly tries: number;
    }
  | { readonly kind: "nothing" }
  /** `lasting`: no later try in this run can help. */
  | { readonly kind: "failed"; readonly lasting: boolean; readonly why: string; readonly tries: number };

const failuresMax = 3;
/** A name that is taken is no failure, but there is an end to them. */
const namesMax = 20;
/** Between two tries; what broke a connection is mostly over soon. */
const pausesMs = [1_000, 4_000];

/**
 * Seals the records after `since` (null for a complete shipment) and puts them on the shelf. A retry sends the same
 * bytes under the next try's name: a failed upload may have burnt its name, or may have been stored (F41, F44).
 * `tried` is how many names of this number an earlier shipment has used.
 */
export async function sendShipment(
  snapshot: Snapshot,
  since: Shipped | null,
  number: number,
  options: {
    readonly files: Pick<SessionFiles, "blobs">;
    readonly shipping: Shipping;
    readonly tried?: number;
    readonly signal: AbortSignal;
  },
): Promise<Sent> {
  const { files, shipping, tried = 0, signal } = options;
  const range = rangeOf(snapshot.log, since?.to ?? 0);
  const first = range.records[0];
  const last = range.records.at(-1);
  const manifest = decodeManifest(snapshot.manifest);
  if (first === undefined || last === undefined || manifest === null) return { kind: "nothing" };
  const trees = treesIn(range.records);
  const tree = trees.at(-1) ?? since?.tree ?? null;
  const want = treesToSend(range.records);
  const entries = await entriesOf(snapshot, range, files, await packOf(shipping, since, want));
  const { identity, gen } = manifest;
  const header: ShipmentHeader = {
    format: formatVersion,
    keyId: shipping.key.id,
    repositoryId: identity.repository.id,
    thread: identity.thread?.number ?? null,
    session: identity.session,
    gen,
    number,
    from: first.seq,
    to: last.seq,
    previous: since?.digest ?? null,
    baseSha: identity.baseSha,
    configSha: identity.configSha,
    workflow: shipping.workflow,
    run: shipping.run,
  };
  const bytes = sealShipment(header, entries, { key: shipping.key, nonce: shipping.nonce() });
  // Stored, it would stand before everything that can still be read.
  const large = whyTooLarge(bytes, entries, shipping.bytesMax);
  if (large !== null) return { kind: "failed", lasting: false, why: large, tries: tried };
  const stored = await putWithTries(bytes, header, { shipping, tried, signal });
  const { tries } = stored;
  if (stored.kind !== "stored")
    return { kind: "failed", lasting: stored.kind === "unavailable", why: stored.why, tries };
  const shipped = { number, to: last.seq, digest: digestOf(bytes), tree };
  return { kind: "sent", shipped, name: stored.name, from: first.seq, tries };
}

type Stored = { readonly tries: number } & (
  | { readonly kind: "stored"; readonly name: string }
  | { readonly kind: "failed" | "unavailable"; readonly why: string }
);

async function putWithTries(
  bytes: Uint8Array,
  header: ShipmentHeader,
  options: { readonly shipping: Shipping; readonly tried: number; readonly signal: AbortSignal },
): Promise<Stored> {
  const { shipping, tried, signal } = options;
  let why = "every name was taken";
  let failures = 0;
  let tries = tried;
  while (failures < failuresMax && tries < tried + namesMax) {
    const name = shipmentName(header, tries);
    tries += 1;
    const put = await shipping.shelf.put(name, bytes, { signal });
    if (put.kind === "stored") return { kind: "stored", name, tries };
    if (put.kind === "unavailable") return { ...put, tries };
    if (put.kind === "taken") continue;
    why = put.why;
    if (signal.aborted) break;
    const pauseMs = pausesMs[failures];
    failures += 1;
    if (pauseMs !== undefined) await shipping.clock.sleep(pauseMs, { signal });
  }
  return { kind: "failed", why, tries };
}

function shipmentName(
  header: Pick<ShipmentHeader, "session" | "gen" | "number" | "run">,
  attempt: number,
): string {
  const { session, gen, number, run } = header;
  const again = attempt === 0 ? "" : `-${attempt}`;
  return `agent-session-${session}-${gen}-${number}-${run.id}.${run.attempt}${again}`;
}

const nameShape = /^agent-session-s[0-9a-f]{12}-(\d{1,9})-(\d{1,9})-([a-z0-9.]+)(?:-(\d{1,9}))?$/;

/** `attempt` counts the tries of one number from 0: a later one holds what an earlier one held, and maybe more. */
export type ShipmentName = {
  readonly gen: number;
  readonly number: number;
  /** Id and attempt of the run. */
  readonly run: string;
  readonly attempt: number;
};

/** What a name claims; only the header is believed. */
export function readShipmentName(name: string): ShipmentName | null {
  const match = nameShape.exec(name);
  if (match === null) return null;
  const [, gen, number, run = "", attempt = 0] = match;
  return { gen: Number(gen), number: Number(number), run, attempt: Number(attempt) };
}

type Range = { readonly records: readonly EventRecord[]; readonly bytes: Uint8Array };

/** The lines after record `to`. The log is our own and was verified when it was opened. */
function rangeOf(log: Uint8Array, to: number): Range {
  let offset = 0;
  for (let seq = 0; seq < to; seq += 1) {
    const end = log.indexOf(10, offset);
    if (end < 0) throw new Error(`the log has no record ${seq + 1}, but ${to} records were shipped`);
    offset = end + 1;
  }
  const records: EventRecord[] = [];
  const bytes = log.subarray(offset);
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(10, at);
    const line = JSON.parse(new TextDecoder().decode(bytes.subarray(at, end))) as EventRecord;
    const decoded = decodeRecord(bytes.subarray(at, end), { seq: line.seq - 1, hash: line.prev });
    if (decoded.kind === "invalid") throw new Error(`record ${line.seq} ${decoded.why}: nothing was shipped`);
    records.push(decoded.record);
    at = end + 1;
  }
  return { records, bytes };
}

/** The tree that was sealed last, by a call or by a setup, up to record `to`. */
export function lastTree(log: Uint8Array, to = Number.POSITIVE_INFINITY): Tree | null {
  for (const { record } of recordsBack(log)) {
    const [tree] = record.seq > to ? [] : treesIn([record]);
    if (tree !== undefined) return tree;
  }
  return null;
}

/** Trees in the order they were sealed. */
function treesIn(records: readonly EventRecord[]): readonly Tree[] {
  return records.flatMap(({ event }) => {
    if (event.type !== "call.settled" && event.type !== "setup.settled") return [];
    return event.tree === null ? [] : [event.tree];
  });
}

/**
 * What a later machine needs: the trees that differences are taken to, and the one that is restored, which is what
 * the last call left. A later machine's setup makes a tree as well, and does not take that one's place.
 */
function treesToSend(records: readonly EventRecord[]): readonly Tree[] {
  const of = (type: "setup.settled" | "call.settled"): readonly Tree[] =>
    treesIn(records.filter(({ event }) => event.type === type));
  return [...new Set([...of("setup.settled"), ...of("call.settled").slice(-1)])];
}

async function packOf(
  shipping: Shipping,
  since: Shipped | null,
  want: readonly Tree[],
): Promise<Uint8Array | null> {
  const have = since?.tree === null || since === null ? [] : [since.tree];
  const missing = want.filter((tree) => !have.includes(tree));
  return missing.length === 0 ? null : shipping.pack({ have, want: missing });
}

async function entriesOf(
  snapshot: Snapshot,
  range: Range,
  files: Pick<SessionFiles, "blobs">,
  pack: Uint8Array | null,
): Promise<readonly ShipmentEntry[]> {
  const digests = [...new Set(range.records.flatMap((record) => blobsIn(record.event)))];
  const blobs = await Promise.all(
    digests.map(async (digest) => {
      const bytes = await files.blobs.get(digest);
      if (bytes === null) throw new Error(`blob ${digest} is missing: nothing was shipped`);
      return { name: `blob/${digest}`, bytes };
    }),
  );
  const packed = pack === null ? [] : [{ name: "pack", bytes: pack }];
  return [
    { name: "log", bytes: range.bytes },
    { name: "manifest", bytes: snapshot.manifest },
    ...blobs,
    ...packed,
  ];
}

/** Every blob that an event names. */
export function blobsIn(value: unknown): readonly Digest[] {
  if (typeof value !== "object" || value === null) return [];
  const payload = value as Partial<Payload & { sha256: Digest; bytes: number }>;
  if (payload.type === "blob" && typeof payload.sha256 === "string" && typeof payload.bytes === "number") {
    return [payload.sha256];
  }
  return Object.values(value).flatMap(blobsIn);
}
