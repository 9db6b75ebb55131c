/** A call that a person has to allow. `arguments` is JSON text. */
export type AskedCall = {
  readonly id: string;
  readonly tool: string;
  readonly arguments: string;
  readonly why: string;
};

/** How the loop stopped. */
export type End =
  /** The model asked for nothing more; `text` is what it said last. */
  | { readonly kind: "finished"; readonly text: string }
  | { readonly kind: "cancelled" }
  /** The model put a question to people, with the call `id`, and waits for what they say. */
  | { readonly kind: "asked"; readonly id: string; readonly question: string }
  /** These calls wait for a person's word; none of their batch has run. */
  | { readonly kind: "approval"; readonly calls: readonly AskedCall[] }
  | { readonly kind: "exhausted"; readonly budget: "turns" | "minutes" | "tokens" | "cost" }
  /** The provider cannot go on now; resumable. `retryAtMs` is wall time where it is known. */
  | { readonly kind: "provider"; readonly reason: string; readonly retryAtMs: number | null }
  | { readonly kind: "stuck"; readonly why: string }
  /** The model declined. */
  | { readonly kind: "declined" }
  /** A reply we do not understand: suspend, never guess. */
  | { readonly kind: "unknown"; readonly why: string };
