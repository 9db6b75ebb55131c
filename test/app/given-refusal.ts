// A session that a process left in the middle of a call without a sandbox, and ways to spoil it.
import type { Means } from "../../src/app/means.ts";
import type { Head, SessionEvent } from "../../src/session/event.ts";
import { decodeManifest, encodeManifest, type Manifest } from "../../src/session/manifest.ts";
import { encodeRecord, genesis } from "../../src/session/record.ts";
import {
  type ShipmentEntry,
  type ShipmentHeader,
  sealShipment,
  unsealShipment,
} from "../../src/session/shipment.ts";
import { endOf, type LifeOptions, live } from "../kit/story/play.ts";
import { givenStage, repositoryId, type Stage } from "../kit/story/stage.ts";

/** A check of session.md, section 7, and a fault that it refuses. Of two faults at once the earlier check is told. */
export type Case = readonly [check: number, fault: Fault];

/** What a fault does to what was left, and to the process that resumes. */
export type Fault = {
  readonly code: string;
  readonly says: string;
  readonly spoil?: (stage: Stage) => void;
  /** Of two faults at once the log is rewritten first, then claims are made of it, then bytes are spoiled. */
  readonly spoils?: "log" | "claims" | "bytes";
  readonly life?: (stage: Stage) => LifeOptions;
};

/** The first call that writes was begun, and its machine stored all of it: a person has to say what became of it. */
export async function givenLeft(): Promise<Stage> {
  const stage = givenStage({ sandbox: "off" });
  const first = await live(stage, { death: { at: "toolbox.run", nth: 3, when: "after" } });
  if (endOf(first) !== "died") throw new Error(`the process ended ${endOf(first)}`);
  return stage;
}

type Parts = { readonly header: ShipmentHeader; readonly entries: readonly ShipmentEntry[] };

/** Puts other content under the newest shipment's seal, as only a holder of the key could. */
export function reseal(stage: Stage, change: (parts: Parts) => Parts): void {
  const newest = stage.shelves.stored.pop();
  if (newest === undefined) throw new Error("nothing is stored");
  const { key, session } = stage;
  const opened = unsealShipment(newest.bytes, { key, repositoryId, session });
  if (opened.kind === "refused") throw new Error(opened.why);
  const { header, entries } = change(opened);
  const bytes = sealShipment(header, entries, { key, nonce: Buffer.alloc(12, 7) });
  stage.shelves.stored.push({ ...newest, bytes });
}

export const withEntry =
  (name: string, change: (bytes: Buffer) => Buffer) =>
  (parts: Parts): Parts => ({
    ...parts,
    entries: parts.entries.map((entry) =>
      entry.name === name ? { name, bytes: change(Buffer.from(entry.bytes)) } : entry,
    ),
  });

export const withManifest = (change: (manifest: Manifest) => Manifest) =>
  withEntry("manifest", (bytes) => {
    const manifest = decodeManifest(bytes);
    if (manifest === null) throw new Error("the shipment has no manifest");
    return Buffer.from(encodeManifest(change(manifest)));
  });

/** The same log with other events, chained and announced as a writer would have. */
export function rewrite(
  stage: Stage,
  change: (events: readonly SessionEvent[]) => readonly SessionEvent[],
): void {
  reseal(stage, (parts) => {
    const log = Buffer.from(parts.entries.find(({ name }) => name === "log")?.bytes ?? []);
    const lines = log.toString().trimEnd().split("\n");
    const events = change(lines.map((line) => (JSON.parse(line) as { event: SessionEvent }).event));
    let previous: Head = genesis;
    const written = events.map((event) => {
      const { record, bytes } = encodeRecord(event, { previous, gen: 1, at: 0 });
      previous = { seq: record.seq, hash: record.hash };
      return bytes;
    });
    const [first] = events;
    const identity = first?.type === "session.opened" ? first.identity : null;
    const announced = withManifest((manifest) => {
      return { ...manifest, identity: identity ?? manifest.identity, next: previous, acked: previous };
    })(parts);
    const { header, entries } = withEntry("log", () => Buffer.concat(written))(announced);
    return { header: { ...header, to: previous.seq }, entries };
  });
}

/** The log without its last record. */
export function withoutLast(log: Uint8Array): Buffer {
  return Buffer.from(log.subarray(0, log.lastIndexOf(10, log.length - 2) + 1));
}

export function flip(bytes: Uint8Array, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

/** The last record that is stored. */
export function tailOf(stage: Stage): Head {
  const newest = stage.shelves.stored.at(-1);
  const { key, session } = stage;
  const opened = newest && unsealShipment(newest.bytes, { key, repositoryId, session });
  if (opened?.kind !== "unsealed") throw new Error("what is stored does not open");
  const log = Buffer.from(opened.entries.find(({ name }) => name === "log")?.bytes ?? []);
  const { seq, hash } = JSON.parse(log.toString().trimEnd().split("\n").at(-1) ?? "") as Head;
  return { seq, hash };
}

/** A run that had claimed the session, to go on from this record. */
export function claimedBy(stage: Stage, id: string, head: Head, over = true): void {
  const run = { id, attempt: 1, job: "agent" };
  const gen = (stage.leases.leases.at(-1)?.gen ?? 0) + 1;
  stage.leases.leases.push({ session: stage.session, gen, run, head });
  if (over) stage.leases.ended.push(run);
}

/** A process whose means are changed like this. */
export const over = (change: (means: Means) => Partial<Means>) => (): LifeOptions => ({ over: change });
