import type { Clock } from "../base/clock.ts";
import type { SessionFiles } from "./files.ts";
import type { OpenJournal } from "./open-journal.ts";
import { type Shipped, type Shipping, sendShipment } from "./ship.ts";

/** Ships the open session while it works; one shipment at a time, the later ones wait and then send the rest. */
export type Shipper = {
  /** Resolves once everything appended before the call has left the machine, or cannot. */
  readonly ship: () => Promise<ShipResult>;
  /** At a turn's end: ships when `shipSeconds` or 256 KiB have passed; waits for it only when `shipSeconds` is 0. */
  readonly turnEnded: () => Promise<void>;
  /** Waits for a shipment under way. */
  readonly idle: () => Promise<void>;
  /** Why the session cannot be resumed from elsewhere, or null. */
  readonly unshipped: () => string | null;
};

export type ShipResult = { readonly kind: "shipped" } | { readonly kind: "unshipped"; readonly why: string };

const bytesBetween = 256 * 1024;
/** GitHub allows 500 artifacts a job; after this many, shipments come ten times less often. */
const shipmentsMax = 200;

export function openShipper(options: {
  readonly journal: OpenJournal;
  readonly files: SessionFiles;
  readonly shipping: Shipping;
  /** The last shipment of the chain that this run continues, or null. */
  readonly last: Shipped | null;
  readonly shipSeconds: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onUnshipped: (why: string) => void;
}): Shipper {
  const { journal, files, shipping, clock, signal } = options;
  let last = options.last;
  let sent = 0;
  let lastAt = clock.elapsed();
  let lastWritten = 0;
  /** The record that says what was sent needs no shipment of its own. */
  let told = options.last?.to ?? 0;
  let lasting: string | null = null;
  let trouble: string | null = null;
  let underWay: Promise<unknown> = Promise.resolve();

  const send = async (): Promise<ShipResult> => {
    if (lasting !== null) return { kind: "unshipped", why: lasting };
    const { written } = journal;
    const snapshot = await journal.snapshot();
    if (last !== null && told >= snapshot.head.seq) return { kind: "shipped" };
    const result = await sendShipment(snapshot, last, (last?.number ?? 0) + 1, { files, shipping, signal });
    lastAt = clock.elapsed();
    lastWritten = written;
    switch (result.kind) {
      case "nothing":
        return { kind: "shipped" };
      case "failed":
        trouble = result.why;
        if (result.lasting) lasting = result.why;
        options.onUnshipped(result.why);
        return { kind: "unshipped", why: result.why };
      case "sent": {
        last = result.shipped;
        sent += 1;
        trouble = null;
        const { number, to, digest } = result.shipped;
        const record = await journal.append({
          type: "shipment.sent",
          number,
          from: result.from,
          to,
          digest,
          name: result.name,
        });
        if (record.seq === to + 1) told = record.seq;
        return { kind: "shipped" };
      }
    }
  };

  const ship = (): Promise<ShipResult> => {
    const result = underWay.then(send);
    underWay = result.catch(() => undefined);
    return result;
  };

  const due = (): boolean => {
    const wait = options.shipSeconds * 1000 * (sent < shipmentsMax ? 1 : 10);
    if (clock.elapsed() - lastAt >= wait) return true;
    return journal.written - lastWritten >= bytesBetween;
  };

  return {
    ship,
    turnEnded: async () => {
      if (!due()) return;
      const result = ship();
      if (options.shipSeconds === 0) await result;
      // A fault of ours in the background comes out where the run waits for `idle`.
      else result.catch((error: unknown) => options.onUnshipped(String(error)));
    },
    idle: async () => {
      await underWay;
    },
    unshipped: () => lasting ?? trouble,
  };
}
