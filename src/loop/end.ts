/** How the loop stopped. */
export type End =
  /** The model asked for nothing more; `text` is what it said last. */
  | { readonly kind: "finished"; readonly text: string }
  | { readonly kind: "cancelled" }
  | { readonly kind: "exhausted"; readonly budget: "turns" | "minutes" | "tokens" | "cost" }
  /** The provider cannot go on now; resumable. `retryAtMs` is wall time where it is known. */
  | { readonly kind: "provider"; readonly reason: string; readonly retryAtMs: number | null }
  | { readonly kind: "stuck"; readonly why: string }
  /** The model declined. */
  | { readonly kind: "declined" }
  /** A reply we do not understand: suspend, never guess. */
  | { readonly kind: "unknown"; readonly why: string };
