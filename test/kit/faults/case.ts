import type { Budget, SessionEvent } from "../../../src/session/event.ts";
import type { Meaning } from "./grammar.ts";
import type { Predicted } from "./oracle.ts";
import type { Delivery } from "./server.ts";

/** One answer of the provider, and what it has to come to. */
export type Step = { readonly delivery: Delivery; readonly meaning: Meaning };

export type Case = {
  readonly name: string;
  /** The row of the table of faults. */
  readonly row: string;
  readonly steps: readonly Step[];
  /** What requests for a summary are answered; the summary, unless given. */
  readonly summaries?: readonly Step[];
  readonly budget?: Partial<Budget>;
  /** Where it is not what the answers come to by themselves. */
  readonly predicted?: Partial<Predicted>;
  /** The run dies behind the `nth` record of that type, and another one goes on, answered by `answers`. */
  readonly dies?: {
    readonly type: SessionEvent["type"];
    readonly nth: number;
    readonly answers: readonly Step[];
  };
};
