import type { Digest } from "../base/hash.ts";

/** What leaves the machine: each effect on others twice, and each shipment of the session once. */
export type EffectEvent =
  /** `key` is by meaning: `<session>/comment`, `<session>/branch`, `<session>/pull-request`. */
  | { readonly type: "effect.intended"; readonly key: string; readonly detail: string }
  | {
      readonly type: "effect.settled";
      readonly key: string;
      readonly status: "done" | "absent" | "refused";
      /** What it made: a number, an id, a sha, or why not. */
      readonly detail: string;
      readonly url: string | null;
    }
  | {
      readonly type: "shipment.sent";
      readonly number: number;
      readonly from: number;
      readonly to: number;
      readonly digest: Digest;
      readonly name: string;
    };
