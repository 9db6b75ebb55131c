/** A shipment as the shelf shows it, before anything in it was believed. */
export type ShelfItem = {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly expired: boolean;
  /** The run that stored it. */
  readonly run: string;
  /** Null when it passes provenance, else why it does not (R14): such an item does not exist for resume, and is reported. */
  readonly foreign: string | null;
};

export type Put =
  | { readonly kind: "stored"; readonly id: string }
  /** The name is taken in this run: a retry goes under the next try's name. */
  | { readonly kind: "taken" }
  /** Nothing can be stored here, now or later in this run: quota, disabled, no permission. */
  | { readonly kind: "unavailable"; readonly why: string }
  /** It may work on another try under another name. */
  | { readonly kind: "failed"; readonly why: string };

export type Got =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "missing"; readonly why: string };

/**
 * Port: where shipments lie, off the machine. Items are immutable; `put` resolves with `stored` only once the
 * service acknowledged the whole upload (level R). Names match /^agent-session-[a-z0-9.-]+$/.
 */
export type Shelf = {
  readonly put: (name: string, bytes: Uint8Array, options: { readonly signal: AbortSignal }) => Promise<Put>;
  /** Everything that these runs stored under names that begin with `agent-session-<session>-`, all pages. */
  readonly list: (
    session: string,
    options: { readonly runs: readonly string[]; readonly signal: AbortSignal },
  ) => Promise<readonly ShelfItem[]>;
  readonly get: (item: ShelfItem, options: { readonly signal: AbortSignal }) => Promise<Got>;
};
