import type { Digest } from "../base/hash.ts";
import type { EventRecord } from "./event.ts";
import type { Lease } from "./leases.ts";
import type { ShelfItem } from "./shelf.ts";
import { readShipmentName } from "./ship.ts";
import type { ShipmentEntry, ShipmentHeader } from "./shipment.ts";

/** An item of the shelf whose seal was proved. */
export type Opened = {
  readonly item: ShelfItem;
  readonly header: ShipmentHeader;
  readonly entries: readonly ShipmentEntry[];
  readonly digest: Digest;
};

type Refused = { readonly kind: "refused"; readonly why: string };

/** A name that others may have chosen is shown only where it can say nothing but a name. */
export function shownName({ name }: ShelfItem): string {
  return /^[a-z0-9.-]{1,120}$/.test(name) ? name : "an artifact with an odd name";
}

/** Where no lease keeps two runs apart, both may have stored under one generation and number. */
export function rivalBranches(rivals: readonly Opened[], last: Opened): readonly string[] {
  const { id, attempt } = last.header.run;
  return rivals
    .filter(({ header }) => header.run.id !== id || header.run.attempt !== attempt)
    .map(({ item, header }) => {
      const { run, gen } = header;
      return `${item.name}: run ${run.id} went on with generation ${gen} as well, not as far as run ${id}`;
    });
}

/**
 * Whether a claim left it behind: it is of an older generation and reaches past the head that the claim goes on from.
 * Its run was still storing when its job counted as over. Null where no claim did.
 */
export function whyDead({ item, header }: Opened, claims: readonly Lease[]): string | null {
  const { gen, to } = header;
  const claim = claims.find((each) => each.gen > gen && to > (each.head?.seq ?? 0));
  return claim === undefined ? null : lateText(item, { claim: claim.gen, head: claim.head?.seq ?? 0 });
}

/**
 * What a run stored after another one had claimed the session: records of an older generation behind the head that the
 * claim names. Only items whose names allow it are opened, which is none of them where all went in turn.
 */
export async function deadBranches(
  log: Uint8Array,
  {
    chain,
    ours,
    open,
  }: {
    readonly chain: readonly Opened[];
    readonly ours: readonly ShelfItem[];
    readonly open: (item: ShelfItem) => Promise<Opened | Refused>;
  },
): Promise<readonly string[]> {
  const taken = new Set(chain.map(({ item }) => item.id));
  const suspects = ours.filter((item) => !item.expired && !taken.has(item.id) && isOvertaken(item, ours));
  if (suspects.length === 0) return [];
  const claims = claimsIn(log);
  const dead: string[] = [];
  for (const item of suspects) {
    const one = await open(item);
    if ("kind" in one) {
      dead.push(one.why);
      continue;
    }
    const { gen, to } = one.header;
    const claim = claims.find((each) => each.gen > gen);
    if (claim === undefined || to <= claim.head) continue;
    dead.push(lateText(item, { claim: claim.gen, head: claim.head }));
  }
  return dead;
}

function lateText(
  { name }: ShelfItem,
  { claim, head }: { readonly claim: number; readonly head: number },
): string {
  return `${name}: its records after ${head} came when generation ${claim} had claimed the session`;
}

/** Whether a later generation has counted from a lower number on than this item carries. */
function isOvertaken(item: ShelfItem, ours: readonly ShelfItem[]): boolean {
  const own = readShipmentName(item.name);
  return ours.some((other) => {
    const named = readShipmentName(other.name);
    return own !== null && named !== null && named.gen > own.gen && named.number <= own.number;
  });
}

/** Read from a log that came from under the seal; who resumes proves it afterwards. */
function claimsIn(log: Uint8Array): readonly { readonly gen: number; readonly head: number }[] {
  const lines = new TextDecoder().decode(log).split("\n");
  return lines.flatMap((line) => {
    if (!line.includes('"run.claimed"')) return [];
    try {
      const { event } = JSON.parse(line) as EventRecord;
      return event.type === "run.claimed" ? [{ gen: event.gen, head: event.head?.seq ?? 0 }] : [];
    } catch {
      return [];
    }
  });
}
