import type { SessionFiles } from "./files.ts";
import type { OpenJournal } from "./open-journal.ts";
import { type Sent, type Shipped, type Shipping, sendShipment } from "./ship.ts";

/**
 * Ships the open session while it works, one shipment at a time. What is asked for meanwhile waits, and then sends
 * everything that came since in one.
 */
export type Shipper = {
  /** Resolves once everything appended before the call has left the machine, or cannot. */
  readonly ship: () => Promise<ShipResult>;
  /** At a turn's end: ships when `shipSeconds` or 256 KiB have passed; waits for it only when `shipSeconds` is 0. */
  readonly turnEnded: () => Promise<void>;
  /** Waits for a shipment under way. */
  readonly idle: () => Promise<void>;
  /** Why the last shipment did not leave, or null. */
  readonly unshipped: () => string | null;
  /** The last record that is known to be off this machine, from this run or one before it; 0 when none is. */
  readonly stored: () => number;
};

export type ShipResult = { readonly kind: "shipped" } | { readonly kind: "unshipped"; readonly why: string };

const bytesBetween = 256 * 1024;
/** GitHub allows 500 artifacts a job; after this many, shipments come ten times less often. */
const artifactsMax = 200;
const seldom = 10;
const seldomSecondsMin = 60;

export function openShipper(options: {
  readonly journal: OpenJournal;
  readonly files: SessionFiles;
  readonly shipping: Shipping;
  /** The last shipment of the chain that this run continues, or null. */
  readonly last: Shipped | null;
  readonly shipSeconds: number;
  readonly signal: AbortSignal;
  readonly onUnshipped: (why: string) => void;
}): Shipper {
  const { journal, files, shipping, signal } = options;
  const { clock } = shipping;
  let last = options.last;
  /** Names of the next number that are used up: a shipment that failed may have been stored under one. */
  let tried = 0;
  let artifacts = 0;
  let lastAt = clock.elapsed();
  let lastWritten = 0;
  /** The record that says what was sent needs no shipment of its own. */
  let told = options.last?.to ?? 0;
  let lasting: string | null = null;
  let trouble: string | null = null;

  const send = async (): Promise<ShipResult> => {
    if (lasting !== null) return { kind: "unshipped", why: lasting };
    const { written } = journal;
    const snapshot = await journal.snapshot();
    if (last !== null && told >= snapshot.head.seq) return { kind: "shipped" };
    const number = (last?.number ?? 0) + 1;
    const result = await sendShipment(snapshot, last, number, { files, shipping, tried, signal });
    lastAt = clock.elapsed();
    lastWritten = written;
    if (result.kind === "nothing") return { kind: "shipped" };
    artifacts += result.tries - tried;
    return result.kind === "failed" ? failed(result) : sent(result);
  };

  const failed = (result: Extract<Sent, { kind: "failed" }>): ShipResult => {
    const { why } = result;
    tried = result.tries;
    // Given up because the run was cancelled: what has not left goes with `post`.
    if (signal.aborted && !result.lasting) return { kind: "unshipped", why };
    trouble = why;
    if (result.lasting) lasting = why;
    options.onUnshipped(why);
    return { kind: "unshipped", why };
  };

  const sent = async ({ shipped, from, name }: Extract<Sent, { kind: "sent" }>): Promise<ShipResult> => {
    last = shipped;
    tried = 0;
    trouble = null;
    const { number, to, digest } = shipped;
    const record = await journal.append({ type: "shipment.sent", number, from, to, digest, name });
    if (record.seq === to + 1) told = record.seq;
    return { kind: "shipped" };
  };

  const line = oneAtATime(send);

  const due = (): boolean => {
    const isMany = artifacts >= artifactsMax;
    const seconds = isMany ? seldom * Math.max(options.shipSeconds, seldomSecondsMin) : options.shipSeconds;
    if (clock.elapsed() - lastAt >= seconds * 1000) return true;
    return journal.written - lastWritten >= bytesBetween * (isMany ? seldom : 1);
  };

  return {
    ship: line.begin,
    turnEnded: async () => {
      if (!due()) return;
      if (options.shipSeconds === 0) await line.begin();
      // What is under way ends first; the end of the next turn sends the rest.
      else if (!line.isBusy())
        // A fault of ours in the background comes out where the run ships and waits for it.
        line.begin().catch((error: unknown) => options.onUnshipped(String(error)));
    },
    idle: line.idle,
    unshipped: () => lasting ?? trouble,
    stored: () => last?.to ?? 0,
  };
}

type Line<T> = {
  readonly begin: () => Promise<T>;
  readonly isBusy: () => boolean;
  readonly idle: () => Promise<void>;
};

/** One waits at most: it has not begun, so it takes along whatever is there when it does. */
function oneAtATime<T>(work: () => Promise<T>): Line<T> {
  let underWay: Promise<unknown> = Promise.resolve();
  let waiting: Promise<T> | null = null;
  let busy = 0;
  return {
    begin: () => {
      if (waiting !== null) return waiting;
      busy += 1;
      const result = underWay.then(() => {
        waiting = null;
        return work();
      });
      waiting = result;
      const done = (): void => {
        busy -= 1;
      };
      underWay = result.then(done, done);
      return result;
    },
    isBusy: () => busy > 0,
    idle: async () => {
      await underWay;
    },
  };
}
