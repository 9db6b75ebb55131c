import type { Brand } from "../base/brand.ts";
import type { Head, SessionEvent } from "./event.ts";
import { decodeManifest, type Manifest } from "./manifest.ts";
import { checkFrame, decodeRecord, type Frame, type Framed, genesis } from "./record.ts";
import { formatVersion } from "./upcast.ts";

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
    readonly tail: Head;
    /** The valid records, as they are: read them with reader.ts. */
    readonly bytes: Uint8Array;
    /** Their length in bytes; what stands behind is the one crash window, to be cut. */
    readonly length: number;
    readonly tornBytes: number;
  },
  "VerifiedLog"
>;

export type Verification = { readonly kind: "verified"; readonly log: VerifiedLog } | Damage;

/**
 * Proves a log by the table of session.md, section 2. `witnessed` are heads that a shipment or a lease has seen: the
 * chain has to contain each of them. The whole chain is hashed; only records that nobody acknowledged are parsed, for
 * the others are, by the chain, the bytes that were written.
 */
export function verifyLog(
  files: { readonly manifest: Uint8Array | null; readonly log: Uint8Array },
  options: { readonly witnessed: readonly Head[] },
): Verification {
  const manifest = decodeManifest(files.manifest);
  if (manifest === null) return damage("no-manifest", "the manifest is missing or unreadable");
  if (manifest.format > formatVersion) return newer(`the session has format ${manifest.format}`);
  const { acked, next } = manifest;
  const scan = scanLog(files.log, { acked, heads: [acked, next, ...options.witnessed] });
  const wrong =
    scan.strange ??
    judge(scan, manifest) ??
    judgeManifest(scan, manifest) ??
    judgeWitnesses(scan, options.witnessed) ??
    judgeIdentity(scan, manifest);
  if (wrong !== null) return wrong;
  const { tail, length } = scan;
  const bytes = files.log.subarray(0, length);
  const log = { manifest, tail, bytes, length, tornBytes: files.log.length - length } as VerifiedLog;
  return { kind: "verified", log };
}

type Scan = {
  readonly tail: Head;
  readonly length: number;
  /** The generation of the last record; 0 where there is none. */
  readonly gen: number;
  /** The first record, where there is one. */
  readonly first: Uint8Array | null;
  /** What stands behind the last valid record. */
  readonly rest: Uint8Array;
  readonly why: string;
  /** By number, the hashes of the records that `heads` ask for. */
  readonly hashes: ReadonlyMap<number, string>;
  /** The first record that this version cannot know the meaning of. */
  readonly strange: Damage | null;
};

function scanLog(
  log: Uint8Array,
  { acked, heads }: { readonly acked: Head; readonly heads: readonly Head[] },
): Scan {
  const asked = new Set(heads.map(({ seq }) => seq));
  const hashes = new Map<number, string>([[genesis.seq, genesis.hash]]);
  let tail: Head = genesis;
  let length = 0;
  let gen = 0;
  let why = "is not a whole record";
  let strange: Damage | null = null;
  let first: Uint8Array | null = null;
  for (;;) {
    const end = log.indexOf(10, length);
    if (end < 0) break;
    const line = log.subarray(length, end);
    const checked = checkLine(line, tail, acked);
    if (checked.kind === "invalid") {
      why = checked.why;
      break;
    }
    const { frame } = checked;
    strange ??= strangeness(frame);
    tail = { seq: frame.seq, hash: frame.hash };
    gen = frame.gen;
    first ??= line;
    if (asked.has(frame.seq)) hashes.set(frame.seq, frame.hash);
    length = end + 1;
  }
  return { tail, length, gen, first, rest: log.subarray(length), why, hashes, strange };
}

/** Up to the acknowledged record the chain proves the bytes; behind it a line has to be readable as well. */
function checkLine(line: Uint8Array, tail: Head, acked: Head): Framed {
  const checked = checkFrame(line, tail);
  if (checked.kind === "invalid" || tail.seq < acked.seq) return checked;
  // One that this version cannot read is refused for that, by its format or type.
  if (strangeness(checked.frame) !== null) return checked;
  const decoded = decodeRecord(line, tail);
  return decoded.kind === "invalid" ? decoded : checked;
}

function strangeness({ format, type, seq }: Frame): Damage | null {
  if (format > formatVersion) return newer(`record ${seq} has format ${format}`);
  if (Object.hasOwn(known, type)) return null;
  return damage("unknown-event", `record ${seq} has type ${JSON.stringify(type)}, unknown to this version`);
}

function newer(what: string): Damage {
  return damage("newer-format", `${what}; this version reads up to ${formatVersion}`);
}

function judge(scan: Scan, manifest: Manifest): Damage | null {
  const { tail, rest, length } = scan;
  const { acked, next, durability } = manifest;
  const at = { seq: tail.seq + 1, offset: length };
  if (tail.seq < acked.seq) {
    if (rest.length > 0) return damage("damaged", `record ${at.seq} at byte ${length} ${scan.why}`, at);
    return damage("behind", `the log ends at record ${tail.seq}, but ${acked.seq} was acknowledged`, at);
  }
  if (!contains(scan, acked)) {
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
  if (tail.seq >= next.seq && !contains(scan, next)) {
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
  if (scan.gen <= gen) return null;
  return damage("forged", `record ${scan.tail.seq} is of generation ${scan.gen}, the manifest of ${gen}`);
}

function judgeWitnesses(scan: Scan, witnessed: readonly Head[]): Damage | null {
  for (const head of witnessed) {
    if (head.seq > scan.tail.seq) {
      return damage(
        "behind",
        `the log ends at record ${scan.tail.seq}, but ${head.seq} has been seen elsewhere`,
      );
    }
    if (!contains(scan, head)) {
      return damage("forked", `record ${head.seq} is not the one that has been seen elsewhere`, {
        seq: head.seq,
        offset: null,
      });
    }
  }
  return null;
}

/** The manifest's identity is constant and stands in the first record as well. */
function judgeIdentity({ first }: Scan, manifest: Manifest): Damage | null {
  if (first === null) return null;
  const decoded = decodeRecord(first, genesis);
  const event = decoded.kind === "record" ? decoded.record.event : null;
  const opens = event?.type === "session.opened" ? event.identity : null;
  return opens !== null && JSON.stringify(opens) === JSON.stringify(manifest.identity)
    ? null
    : damage("forged", "the manifest and the first record name different sessions", { seq: 1, offset: 0 });
}

function contains({ hashes }: Scan, head: Head): boolean {
  return hashes.get(head.seq) === head.hash;
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
  "approval.requested": true,
  "approval.granted": true,
  "approval.denied": true,
  "approval.abandoned": true,
  "calls.intended": true,
  "call.settled": true,
  "turn.ended": true,
  "context.compacted": true,
  "images.left-out": true,
  "thinking.left-out": true,
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
