import type { Head } from "./event.ts";
import type { Lease } from "./leases.ts";

export type Staleness = {
  readonly kind: "refused";
  readonly code: "stale" | "forked";
  readonly why: string;
};

/**
 * Check 4 of session.md, section 7: what was found has to hold each record that a lease goes on from. Asked before
 * the log is proved, so it only looks at how far the shipments reach and at the hash that a line ends with; a line that
 * has none is left to the proof. Null when nothing newer, and nothing else, was ever claimed.
 */
export function judgeFreshness(
  { log, to }: { readonly log: Uint8Array; readonly to: number },
  holders: readonly Lease[],
): Staleness | null {
  for (const { head, run, gen } of holders) {
    if (head === null) continue;
    if (head.seq > to) {
      const why = `generation ${gen} (run ${run.id}) went on from record ${head.seq}, and what is stored ends at record ${to}`;
      return { kind: "refused", code: "stale", why };
    }
    const hash = hashAt(log, head.seq);
    if (hash !== null && hash !== head.hash) {
      const why = `record ${head.seq} is not the one that has been seen elsewhere: generation ${gen} (run ${run.id}) went on from another`;
      return { kind: "refused", code: "forked", why };
    }
  }
  return null;
}

const tailShape = /,"hash":"([0-9a-f]{32})"\}$/;

/** What line `seq` says its hash is, or null where there is no such line or it does not say. */
function hashAt(log: Uint8Array, seq: Head["seq"]): string | null {
  let start = 0;
  for (let passed = 1; passed < seq; passed += 1) {
    const end = log.indexOf(10, start);
    if (end < 0) return null;
    start = end + 1;
  }
  const end = log.indexOf(10, start);
  if (end < 0) return null;
  const tail = new TextDecoder().decode(log.subarray(Math.max(start, end - 64), end));
  return tailShape.exec(tail)?.[1] ?? null;
}
