import type { Brand } from "../base/brand.ts";
import type { EventRecord, Head, SessionEvent } from "./event.ts";
import { decodeManifest, formatVersion, type Manifest } from "./manifest.ts";
import { decodeRecord, genesis } from "./record.ts";

export type DamageCode =
  | "damaged"
  | "behind"
  | "forged"
  | "forked"
  | "no-manifest"
  | "newer-format"
  | "unknown-event";

/** Why a log cannot be verified. `seq` and `offset` name the first record that is wrong, where there is one. */
export type Damage = {
  readonly kind: "damage";
  readonly code: DamageCode;
  readonly why: string;
  readonly seq: number | null;
  readonly offset: number | null;
};

/** A log proved whole and ours. Only `verifyLog` makes one. */
export type VerifiedLog = Brand<
  {
    readonly manifest: Manifest;
    readonly records: readonly EventRecord[];
    readonly tail: Head;
    /** Bytes of the valid records; what stands behind is the one crash window, to be cut. */
    readonly length: number;
    readonly tornBytes: number;
  },
  "VerifiedLog"
>;

export type Verification = { readonly kind: "verified"; readonly log: VerifiedLog } | Damage;

/**
 * Proves a log by the table of session.md, section 2. `witnessed` are heads that a shipment or a lease has seen: the
 * chain has to contain each of them.
 */
export function verifyLog(
  files: { readonly manifest: Uint8Array | null; readonly log: Uint8Array },
  options: { readonly witnessed: readonly Head[] },
): Verification {
  const manifest = decodeManifest(files.manifest);
  if (manifest === null) return damage("no-manifest", "the manifest is missing or unreadable");
  if (manifest.format > formatVersion) {
    return damage(
      "newer-format",
      `the session has format ${manifest.format}; this version reads up to ${formatVersion}`,
    );
  }
  const scan = scanLog(files.log);
  const unknown = scan.records.find((record) => !isKnown(record.event));
  if (unknown !== undefined) {
    return damage(
      "unknown-event",
      `record ${unknown.seq} has type ${JSON.stringify(unknown.event.type)}, unknown to this version`,
    );
  }
  const wrong =
    judge(scan, manifest) ??
    judgeManifest(scan, manifest) ??
    judgeWitnesses(scan, options.witnessed) ??
    judgeIdentity(scan, manifest);
  if (wrong !== null) return wrong;
  const { records, tail, length } = scan;
  const log = { manifest, records, tail, length, tornBytes: files.log.length - length } as VerifiedLog;
  return { kind: "verified", log };
}

type Scan = {
  readonly records: readonly EventRecord[];
  readonly tail: Head;
  readonly length: number;
  /** What stands behind the last valid record. */
  readonly rest: Uint8Array;
  readonly why: string;
};

function scanLog(log: Uint8Array): Scan {
  const records: EventRecord[] = [];
  let tail: Head = genesis;
  let length = 0;
  let why = "is not a whole record";
  for (;;) {
    const end = log.indexOf(10, length);
    if (end < 0) break;
    const decoded = decodeRecord(log.subarray(length, end), tail);
    if (decoded.kind === "invalid") {
      why = decoded.why;
      break;
    }
    records.push(decoded.record);
    tail = { seq: decoded.record.seq, hash: decoded.record.hash };
    length = end + 1;
  }
  return { records, tail, length, rest: log.subarray(length), why };
}

function judge(scan: Scan, manifest: Manifest): Damage | null {
  const { tail, rest, length } = scan;
  const { acked, next, durability } = manifest;
  const at = { seq: tail.seq + 1, offset: length };
  if (tail.seq < acked.seq) {
    if (rest.length > 0) return damage("damaged", `record ${at.seq} at byte ${length} ${scan.why}`, at);
    return damage("behind", `the log ends at record ${tail.seq}, but ${acked.seq} was acknowledged`, at);
  }
  if (!contains(scan.records, acked)) {
    return damage("forged", `record ${acked.seq} is not the one that was acknowledged`, {
      seq: acked.seq,
      offset: null,
    });
  }
  if (durability === "process" && tail.seq > next.seq) {
    return damage(
      "forged",
      `the log has record ${tail.seq}, but ${next.seq} is the last that was announced`,
      at,
    );
  }
  if (tail.seq >= next.seq && !contains(scan.records, next)) {
    return damage("forged", `record ${next.seq} is not the one that was announced`, {
      seq: next.seq,
      offset: null,
    });
  }
  if (rest.length === 0) return null;
  if (tail.seq >= next.seq)
    return damage("damaged", `bytes stand behind record ${tail.seq}, the last one`, at);
  if (durability === "process" && !isTorn(rest, tail)) {
    return damage("damaged", `record ${at.seq} at byte ${length} ${scan.why}`, at);
  }
  return null;
}

/**
 * One write leaves a prefix of one line when it is torn, and its newline comes last: a whole line was not torn, and
 * neither was one that has another byte where its newline was.
 */
function isTorn(rest: Uint8Array, tail: Head): boolean {
  return !rest.includes(10) && decodeRecord(rest.subarray(0, -1), tail).kind === "invalid";
}

/** What no writer ever leaves: a number of two records ahead at level P, or the mark of a run before the last one. */
function judgeManifest(scan: Scan, { acked, next, durability, gen }: Manifest): Damage | null {
  if (durability === "process" && next.seq > acked.seq + 1) {
    return damage("forged", `the manifest announces record ${next.seq} where ${acked.seq} was acknowledged`);
  }
  const last = scan.records.at(-1);
  if (last === undefined || last.gen <= gen) return null;
  return damage("forged", `record ${last.seq} is of generation ${last.gen}, the manifest of ${gen}`);
}

function judgeWitnesses(scan: Scan, witnessed: readonly Head[]): Damage | null {
  for (const head of witnessed) {
    if (head.seq > scan.tail.seq) {
      return damage(
        "behind",
        `the log ends at record ${scan.tail.seq}, but ${head.seq} has been seen elsewhere`,
      );
    }
    if (!contains(scan.records, head)) {
      return damage("forked", `record ${head.seq} is not the one that has been seen elsewhere`, {
        seq: head.seq,
        offset: null,
      });
    }
  }
  return null;
}

/** The manifest's identity is constant and stands in the first record as well. */
function judgeIdentity(scan: Scan, manifest: Manifest): Damage | null {
  const first = scan.records[0]?.event;
  if (first === undefined) return null;
  const same =
    first.type === "session.opened" && JSON.stringify(first.identity) === JSON.stringify(manifest.identity);
  return same
    ? null
    : damage("forged", "the manifest and the first record name different sessions", { seq: 1, offset: 0 });
}

function contains(records: readonly EventRecord[], head: Head): boolean {
  return head.seq === genesis.seq ? head.hash === genesis.hash : records[head.seq - 1]?.hash === head.hash;
}

function damage(code: DamageCode, why: string, at?: { seq: number; offset: number | null }): Damage {
  return { kind: "damage", code, why, seq: at?.seq ?? null, offset: at?.offset ?? null };
}

const known: Readonly<Record<SessionEvent["type"], true>> = {
  "session.opened": true,
  "run.claimed": true,
  "sandbox.started": true,
  "setup.started": true,
  "setup.settled": true,
  "input.accepted": true,
  "note.added": true,
  "reply.requested": true,
  "reply.failed": true,
  "reply.received": true,
  "calls.intended": true,
  "call.settled": true,
  "turn.ended": true,
  "check.started": true,
  "check.settled": true,
  "gate.passed": true,
  "gate.failed": true,
  "effect.intended": true,
  "effect.settled": true,
  "shipment.sent": true,
  "log.repaired": true,
  "run.suspended": true,
  "session.ended": true,
};

function isKnown(event: SessionEvent): boolean {
  return Object.hasOwn(known, event.type);
}
