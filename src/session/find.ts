import { type Digest, digestOf } from "../base/hash.ts";
import type { SessionFiles } from "./files.ts";
import type { SessionId } from "./id.ts";
import type { Lease } from "./leases.ts";
import { deadBranches, type Opened, rivalBranches, shownName, whyDead } from "./passed-over.ts";
import type { Shelf, ShelfItem } from "./shelf.ts";
import { lastTree, readShipmentName, type Shipped } from "./ship.ts";
import { type SealKey, type ShipmentHeader, shipmentBytesMax, unsealShipment } from "./shipment.ts";
import type { VerifiedLog } from "./verify.ts";

/** A session as it came off the shelf: opened, one chain, not yet verified as a log. */
export type FoundSession = {
  readonly manifest: Uint8Array;
  readonly log: Uint8Array;
  readonly blobs: readonly Uint8Array[];
  /** In the order they have to be taken in. */
  readonly packs: readonly Uint8Array[];
  readonly last: { readonly number: number; readonly to: number; readonly digest: Digest };
  /** Items that were passed over, with why. */
  readonly reported: readonly string[];
};

export type Find =
  | { readonly kind: "found"; readonly session: FoundSession }
  | {
      readonly kind: "refused";
      readonly code: "not-found" | "expired" | "gap" | "tampered" | "other-key" | "foreign" | "newer-format";
      readonly why: string;
    };

/**
 * Finds the newest shipment that the runs of this session stored and walks its chain back to a complete one. Names
 * only say where to look; headers under the seal decide. An item that does not open ends the search, and so does a
 * newer one that has expired: falling back to an older one would lose work in silence.
 */
export async function findSession(
  session: SessionId,
  options: {
    readonly shelf: Shelf;
    readonly runs: readonly string[];
    readonly key: SealKey;
    readonly repositoryId: number;
    /** The session's leases: what an older generation stored behind the head of a claim is passed over. */
    readonly claims: readonly Lease[];
    readonly signal: AbortSignal;
  },
): Promise<Find> {
  const listed = await options.shelf.list(session, { runs: options.runs, signal: options.signal });
  const reported = listed.flatMap((item) =>
    item.foreign === null ? [] : [`${shownName(item)}: ${item.foreign}`],
  );
  const ours = listed
    .filter((item) => item.foreign === null && readShipmentName(item.name) !== null)
    .sort(newestFirst);
  const open = (item: ShelfItem): Promise<Opened | Refused> => openItem(item, session, options);
  const newest = await newestOf(session, ours, { claims: options.claims, open });
  if ("kind" in newest) return newest;
  const { rivals } = newest;
  reported.push(...newest.dead);
  if (rivals.length === 0) return nothingOf(session, reported, options.runs);
  const last = longestOf(rivals);
  const chain = await chainBack(last, ours, open);
  if ("kind" in chain) return chain;
  const found = joined(chain, reported);
  const more = [...rivalBranches(rivals, last), ...(await deadBranches(found.log, { chain, ours, open }))];
  return { kind: "found", session: { ...found, reported: [...reported, ...more] } };
}

type Refused = Extract<Find, { kind: "refused" }>;

type Newest = { readonly rivals: readonly Opened[]; readonly dead: readonly string[] };

/** The newest generation and number that no claim has left behind; several items may carry it, or none is left. */
async function newestOf(
  session: SessionId,
  ours: readonly ShelfItem[],
  options: {
    readonly claims: readonly Lease[];
    readonly open: (item: ShelfItem) => Promise<Opened | Refused>;
  },
): Promise<Newest | Refused> {
  const dead: string[] = [];
  for (let left = ours; ; ) {
    const [newest] = left;
    if (newest === undefined) return { rivals: [], dead };
    const level = left.filter((item) => newestFirstOrLevel(item, newest) === 0);
    const rivals: Opened[] = [];
    for (const tries of Map.groupBy(level, runIn).values()) {
      const last = await lastOf(tries, { ...options, expired: (item) => expired(session, item, ours) });
      if ("kind" in last) return last;
      dead.push(...last.dead);
      if (last.opened !== null) rivals.push(last.opened);
    }
    if (rivals.length > 0) return { rivals, dead };
    left = left.filter((item) => !level.includes(item));
  }
}

/**
 * The last of one run's tries of a number that no claim has left behind. The log only ever grew, so it holds what the
 * tries before it held: they are not opened, and may be of an upload that was cut.
 */
async function lastOf(
  tries: readonly ShelfItem[],
  options: {
    readonly claims: readonly Lease[];
    readonly open: (item: ShelfItem) => Promise<Opened | Refused>;
    readonly expired: (item: ShelfItem) => Refused;
  },
): Promise<{ readonly opened: Opened | null; readonly dead: readonly string[] } | Refused> {
  const dead: string[] = [];
  for (const item of tries) {
    if (item.expired) return options.expired(item);
    const opened = await options.open(item);
    if ("kind" in opened) return opened;
    const why = whyDead(opened, options.claims);
    if (why === null) return { opened, dead };
    dead.push(why);
  }
  return { opened: null, dead };
}

function runIn({ name }: ShelfItem): string {
  return readShipmentName(name)?.run ?? "";
}

function nothingOf(session: SessionId, reported: readonly string[], runs: readonly string[]): Refused {
  const passed = reported.length === 0 ? "" : ` (passed over: ${reported.join("; ")})`;
  return refused("not-found", `the runs ${runs.join(", ")} stored no shipment of ${session}${passed}`);
}

function expired(session: SessionId, newest: ShelfItem, ours: readonly ShelfItem[]): Refused {
  const kept = ours.find((item) => !item.expired);
  if (kept === undefined)
    return refused("expired", `all ${ours.length} shipments of ${session} have expired`);
  return refused("expired", `shipment ${newest.name} has expired, which came after ${kept.name}`);
}

/** Where no lease kept two runs apart, both may have gone on under one number: the one that got further is taken. */
function longestOf(rivals: readonly Opened[]): Opened {
  return rivals.reduce((longest, one) => (one.header.to > longest.header.to ? one : longest));
}

async function chainBack(
  first: Opened,
  ours: readonly ShelfItem[],
  open: (item: ShelfItem) => Promise<Opened | Refused>,
): Promise<readonly Opened[] | Refused> {
  const opened: Opened[] = [first];
  for (let oldest = first; oldest.header.from > 1; ) {
    const before = await predecessor(oldest.header, ours, open);
    if ("kind" in before) return before;
    opened.unshift(before);
    oldest = before;
  }
  return opened;
}

/**
 * Several items may carry the number before (retries, a dead branch), and numbers may be left out; the digest that the
 * header names tells which it is.
 */
async function predecessor(
  header: ShipmentHeader,
  ours: readonly ShelfItem[],
  open: (item: ShelfItem) => Promise<Opened | Refused>,
): Promise<Opened | Refused> {
  const number = (item: ShelfItem): number => readShipmentName(item.name)?.number ?? 0;
  const before = ours
    .filter((item) => number(item) < header.number)
    .toSorted((a, b) => number(b) - number(a));
  let unreadable: Refused | null = null;
  for (const item of before.filter(({ expired }) => !expired)) {
    const one = await open(item);
    if ("kind" in one) unreadable ??= one;
    else if (one.digest === header.previous && one.header.to === header.from - 1) return one;
  }
  if (unreadable !== null) return unreadable;
  const expired = before.find((item) => item.expired);
  return expired === undefined
    ? refused("gap", `shipment ${header.number} follows one that is not on the shelf`)
    : refused("expired", `shipment ${header.number} follows one that has expired, such as ${expired.name}`);
}

async function openItem(
  item: ShelfItem,
  session: SessionId,
  options: {
    readonly shelf: Shelf;
    readonly key: SealKey;
    readonly repositoryId: number;
    readonly signal: AbortSignal;
  },
): Promise<Opened | Refused> {
  if (item.bytes > shipmentBytesMax)
    return refused("tampered", `shipment ${item.name} has ${item.bytes} bytes, over ${shipmentBytesMax}`);
  const got = await options.shelf.get(item, { signal: options.signal });
  if (got.kind === "missing") return refused("gap", `shipment ${item.name} cannot be read: ${got.why}`);
  const unsealed = unsealShipment(got.bytes, {
    key: options.key,
    repositoryId: options.repositoryId,
    session,
  });
  if (unsealed.kind === "refused") return refused(unsealed.code, `shipment ${item.name} ${unsealed.why}`);
  const named = readShipmentName(item.name);
  const { header, entries } = unsealed;
  if (named?.gen !== header.gen || named.number !== header.number) {
    return refused(
      "tampered",
      `shipment ${item.name} says inside that it is number ${header.number} of generation ${header.gen}`,
    );
  }
  return { item, header, entries, digest: digestOf(got.bytes) };
}

function joined(chain: readonly Opened[], reported: readonly string[]): FoundSession {
  const last = chain.at(-1);
  if (last === undefined) throw new Error("a chain of no shipments cannot be joined");
  const named = (name: string): readonly Uint8Array[] =>
    chain.flatMap(({ entries }) =>
      entries.filter((entry) => entry.name === name).map((entry) => entry.bytes),
    );
  const blobs = chain.flatMap(({ entries }) =>
    entries.filter((entry) => entry.name.startsWith("blob/")).map((entry) => entry.bytes),
  );
  return {
    manifest: last.entries.find((entry) => entry.name === "manifest")?.bytes ?? new Uint8Array(),
    log: Buffer.concat(named("log")),
    blobs,
    packs: named("pack"),
    last: { number: last.header.number, to: last.header.to, digest: last.digest },
    reported,
  };
}

/** Writes what was found into fresh files, after its log was verified in memory. Blobs first, the line last. */
export async function unpackSession(
  found: FoundSession,
  log: VerifiedLog,
  files: SessionFiles,
): Promise<Shipped> {
  for (const blob of found.blobs) await files.blobs.put(blob);
  await files.replaceManifest(found.manifest, { barrier: true });
  await files.append(found.log, { barrier: true });
  return { ...found.last, tree: lastTree(log.bytes) };
}

function newestFirst(a: ShelfItem, b: ShelfItem): number {
  const [left, right] = [readShipmentName(a.name), readShipmentName(b.name)];
  const level = newestFirstOrLevel(a, b);
  return level === 0 ? (right?.attempt ?? 0) - (left?.attempt ?? 0) : level;
}

/** 0 for two of the same generation and number. */
function newestFirstOrLevel(a: ShelfItem, b: ShelfItem): number {
  const [left, right] = [readShipmentName(a.name), readShipmentName(b.name)];
  if (left === null || right === null) return 0;
  return right.gen - left.gen || right.number - left.number;
}

function refused(code: Refused["code"], why: string): Refused {
  return { kind: "refused", code, why };
}
